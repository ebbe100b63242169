//! One command writes a change into the registry of PyTorch.

use crate::pytorch::{data, texts};
use unskew_torch_operators::{
    ChangeStart, NewChange, OperatorRegistry, OperatorRegistryError, RegistrySources,
    UpdatedRegistryFiles, function_files,
};
use unskew_torch_schemas::FunctionSchema;

fn add(change: &NewChange) -> Result<UpdatedRegistryFiles, OperatorRegistryError> {
    let [versions, upgraders, downgraders] = &texts();
    OperatorRegistry::add(RegistrySources { versions, upgraders, downgraders }, change)
}

fn change(operator: &str, since: ChangeStart, schema: Option<&str>) -> NewChange {
    let schema = schema.map(|text| text.parse::<FunctionSchema>().unwrap());
    NewChange { operator: operator.to_owned(), since, schema, downgrade: None, note: None }
}

fn reloaded(written: &UpdatedRegistryFiles) -> OperatorRegistry {
    let UpdatedRegistryFiles { versions, upgraders, downgraders, .. } = written;
    OperatorRegistry::load(RegistrySources { versions, upgraders, downgraders }).unwrap()
}

const GELU: &str = "aten::gelu(Tensor self, *, str approximate='none') -> Tensor";

#[test]
fn a_second_change_of_an_operator_gets_the_end_of_its_entry() {
    let written = add(&change("aten::gelu", ChangeStart::Version(11), Some(GELU))).unwrap();
    assert_eq!(written.functions, ["gelu_10_10"]);
    assert_eq!(written.cases[0].1, "self=tensor('float32', [2, 2], [1.0, -2.0, 0.5, 3.0])");
    let stub = "def gelu_10_10(self: Tensor, *, approximate: str='none') -> Tensor:\n  \
        return torch.gelu(self, approximate=approximate)\n";
    assert!(
        written.upgraders.ends_with(stub),
        "{}",
        &written.upgraders[written.upgraders.len() - 300..]
    );
    let registry = reloaded(&written);
    assert_eq!(registry.upgrader("aten::gelu", 10).unwrap().name.text, "gelu_10_10");
    assert_eq!(registry.upgrader("aten::gelu", 9).unwrap().name.text, "gelu_0_9");
    // Nothing else changed.
    let before = data("crates/torch/operators/data/operator_versions.yaml");
    let kept: Vec<&str> = before.lines().collect();
    let now: Vec<&str> = written.versions.lines().collect();
    assert_eq!(now.len(), kept.len() + 3);
    let at = now.iter().zip(&kept).position(|(now, kept)| now != kept).unwrap();
    assert_eq!((&now[..at], &now[at + 3..]), (&kept[..at], &kept[at..]));
}

#[test]
fn a_new_operator_gets_an_entry_and_a_removed_one_an_upgrader_and_a_downgrader_its_own_file() {
    let relu: FunctionSchema = "aten::relu(Tensor self) -> Tensor".parse().unwrap();
    let removed = add(&change(
        "aten::relu",
        ChangeStart::Removed("2.16".parse().unwrap()),
        Some(&relu.to_string()),
    ));
    let removed = removed.unwrap();
    assert_eq!(removed.functions, ["relu_before_2_16"]);
    assert!(removed.versions.ends_with(
        "\n\n- func: aten::relu\n  removed_in: 2.16\n  upgrader: relu_before_2_16\n  \
         schema: \"aten::relu(Tensor self) -> Tensor\"\n"
    ));
    let mut added = change("aten::relu", ChangeStart::Added("1.3".parse().unwrap()), None);
    added.downgrade = Some((relu, "1.1-1.2".parse().unwrap()));
    let added = add(&added).unwrap();
    assert_eq!(added.functions, ["relu_to_1_2"]);
    let files = function_files::split(&added.downgraders);
    let (file, text) = files.last().unwrap();
    assert_eq!(*file, "operator_downgraders/relu.py");
    assert!(text.starts_with("def relu_to_1_2(self: Tensor) -> Tensor:"), "{text}");
    // A change that breaks only new programs has a note and no function.
    let mut note = change("aten::relu", ChangeStart::Version(11), None);
    note.note = Some("a new mode: \"soft\"".to_owned());
    let note = add(&note).unwrap();
    assert!(
        note.functions.is_empty() && note.versions.ends_with("  note: \"a new mode: 'soft'\"\n")
    );
    assert_eq!(reloaded(&note).current(), 11);
}

#[test]
fn what_cannot_be_is_refused_with_the_reason() {
    let text = |change: &NewChange| add(change).unwrap_err().to_string();
    let gelu = |since| change("aten::gelu", since, Some(GELU));
    let old = "aten::gelu(Tensor self) -> Tensor";
    let again = text(&change("aten::gelu", ChangeStart::Version(10), Some(old)));
    assert!(
        again.contains("aten::gelu has this change already: changed at operator version 10"),
        "{again}"
    );
    let over = text(&gelu(ChangeStart::Version(7)));
    assert!(over.contains("the newest is 10: 7 is over"), "{over}");
    let other = text(&change("aten::relu", ChangeStart::Version(11), Some(GELU)));
    assert!(other.contains("the schema is of aten::gelu, not of aten::relu"), "{other}");
    let nothing = text(&change("aten::relu", ChangeStart::Version(11), None));
    assert!(nothing.contains("give the old schema for an upgrader, or a note"), "{nothing}");
    let cast = change("aten::cast", ChangeStart::Version(11), Some("aten::cast(int from) -> bool"));
    assert!(text(&cast).contains("a word of Python: from"), "{}", text(&cast));
    let listed =
        change("aten::can_cast2", ChangeStart::Version(11), Some("aten::can_cast2(Foo x) -> bool"));
    assert!(text(&listed).contains("no word for the type Foo"), "{}", text(&listed));
    let chunk = "aten::chunk(Tensor self, int chunks, int dim=0) -> Tensor[]";
    let listed = text(&change("aten::chunk", ChangeStart::Version(11), Some(chunk)));
    assert!(listed.contains("aten::chunk stands in a list"), "{listed}");
    let floor = "aten::floor_divide(Tensor self, Tensor other) -> Tensor";
    let twice = text(&change(
        "aten::floor_divide",
        ChangeStart::Meaning("1.13".parse().unwrap()),
        Some(floor),
    ));
    assert!(twice.contains("has this change already: another result since 1.13"), "{twice}");
}
