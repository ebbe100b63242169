//! PyTorch's registry, against the operators of every release; registries with faults.

use crate::pytorch::{history, registry, texts};
use unskew_torch_operators::{ChangeStart, OperatorRegistry, RegistrySources, function_files};
use unskew_torch_schemas::{FunctionSchema, changes};

fn load(
    versions: &str,
    upgraders: &str,
) -> Result<OperatorRegistry, unskew_torch_operators::OperatorRegistryError> {
    OperatorRegistry::load(RegistrySources { versions, upgraders, downgraders: "" })
}

#[test]
fn every_function_calls_what_its_releases_have() {
    let (registry, history) = (registry(), history());
    let tables = history.releases().iter().map(|release| history.table(*release).unwrap());
    let faults: Vec<String> =
        tables.flat_map(|table| registry.check(&table)).map(|fault| fault.to_string()).collect();
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
    // Held against releases that it does not name, a function fails.
    let [versions, upgraders, downgraders] = texts();
    let versions = versions.replace("on: 1.12-", "on: 1.11-");
    let sources =
        RegistrySources { versions: &versions, upgraders: &upgraders, downgraders: &downgraders };
    let faults = OperatorRegistry::load(sources)
        .unwrap()
        .check(&history.table("1.11.0".parse().unwrap()).unwrap());
    let what = "gelu_0_9, on torch 1.11.0: aten::gelu does not take it: no argument approximate";
    assert!(faults[0].what.starts_with(what), "{faults:?}");
    let line = upgraders.lines().nth(faults[0].line - 1).unwrap();
    assert_eq!(line, "  return torch.gelu(self, approximate='none')");
}

/// A schema with the types that another one has where it takes and gives lists of any type.
fn form(schema: &FunctionSchema, other: &FunctionSchema) -> FunctionSchema {
    let mut form = schema.clone();
    let all = form.arguments.iter_mut().zip(&other.arguments);
    for (one, other) in all.chain(form.returns.iter_mut().zip(&other.returns)) {
        if one.ty.is_generic() {
            one.ty = other.ty.clone();
        }
    }
    form
}

#[test]
fn every_schema_was_one_of_a_release() {
    let (registry, history) = (registry(), history());
    for (operator, changes_of) in registry.operators() {
        let bridges = changes_of.iter().flat_map(|one| one.upgrader.iter().chain(&one.downgraders));
        for schema in bridges.map(|bridge| &bridge.schema) {
            let was = history.named(&schema.name).iter().any(|definition| {
                let was = definition.schema().unwrap();
                was.full_name() == operator && changes(&form(was, schema), schema).is_empty()
            });
            assert!(was, "{schema}");
        }
    }
}

#[test]
fn a_file_means_the_first_change_that_is_newer() {
    let registry = registry();
    assert_eq!(registry.current(), 10);
    let version = |operator, file| {
        registry.historic(operator, file).and_then(|change| change.since.version())
    };
    assert_eq!(version("aten::div.Tensor", 3), Some(4));
    assert_eq!(version("aten::div.Tensor", 4), None);
    assert_eq!(version("aten::linspace", 3), Some(8));
    assert_eq!(version("aten::add.Tensor", 0), None);
    let upgrader = registry.upgrader("aten::div.Tensor", 2).unwrap();
    let callees: Vec<String> = OperatorRegistry::callees(upgrader).into_iter().collect();
    assert_eq!(callees, ["aten::divide", "aten::is_floating_point", "aten::true_divide"]);
}

/// The registry of the RFC, with repeated keys in one entry, and what it leaves out said.
const FOO: &str = "
- func: foo
  version: 10
  upgrader: foo_upgrader_0_9
  schema: foo(Tensor self, Scalar alpha=1, Tensor b) -> Tensor
  version: 25
  note: a new mode that old runtimes do not know
";

const FOO_UPGRADER: &str = "
def foo_upgrader_0_9(self: Tensor, alpha: number=1, b: Tensor) -> Tensor:
  return torch.foo(self, torch.empty([0]), alpha, b)
";

#[test]
fn keys_may_be_repeated_and_a_change_may_have_no_upgrader() {
    // A default before a parameter without one is no Python; the schema language has it.
    let upgrader = FOO_UPGRADER.replace("=1, b: Tensor", ", b: Tensor");
    let versions = FOO.replace("alpha=1", "alpha");
    let registry = load(&versions, &upgrader).unwrap();
    let (_, changes) = registry.operators().next().unwrap();
    assert_eq!(
        changes.iter().map(|change| change.since).collect::<Vec<_>>(),
        [10, 25].map(ChangeStart::Version)
    );
    assert!(registry.upgrader("foo", 0).is_some());
    assert!(registry.upgrader("foo", 10).is_none());
    assert_eq!(registry.current(), 25);
}

/// As the RFC prints it: the signature of an upgrader is the schema that it stands for.
const AS_PRINTED: &str = "
- func: foo
  version: 10
  upgrader: foo_upgrader_0_9
  version: 25
  upgrader: foo_upgrader_10_24
";

#[test]
fn an_upgrader_without_a_schema_stands_for_its_signature() {
    let upgraders = "
def foo_upgrader_0_9(self: Tensor, b: int=2):
  return torch.foo(self, torch.empty([0]), b)

def foo_upgrader_10_24(self: Tensor, c: Tensor) -> Tensor:
  return torch.foo(self, c, 1)
";
    let registry = load(AS_PRINTED, upgraders).unwrap();
    let schema = |version: u32| {
        let change = registry.historic("aten::foo", version).unwrap();
        change.upgrader.as_ref().unwrap().schema.to_string()
    };
    assert_eq!(schema(0), "aten::foo(Tensor self, int b=2) -> ()");
    assert_eq!(schema(12), "aten::foo(Tensor self, Tensor c) -> Tensor");
    let wrong = |from: &str, to: &str| {
        load(AS_PRINTED, &upgraders.replace(from, to)).unwrap_err().to_string()
    };
    assert!(wrong("10_24", "10_23").contains("has no function foo_upgrader_10_24"));
    assert!(wrong("b: int=2", "b").contains("b has no type"));
}

#[test]
fn faults_are_told_with_their_file_and_line() {
    let versions = FOO.replace("alpha=1", "alpha");
    let upgrader = FOO_UPGRADER.replace("=1, b: Tensor", ", b: Tensor");
    let fault = |from: &str, to: &str, in_versions: bool| {
        let (mut a, mut b) = (versions.clone(), upgrader.clone());
        let text = if in_versions { &mut a } else { &mut b };
        assert!(text.contains(from), "{from}");
        *text = text.replace(from, to);
        load(&a, &b).unwrap_err().to_string()
    };
    for (from, to, in_versions, message) in [
        ("version: 25", "version: 10", true, "line 6: versions rise: 10 after 10"),
        ("version: 25", "version: x", true, "line 6: not a version number: x"),
        (
            "note: a new mode that old runtimes do not know",
            "mobile: true",
            true,
            "line 6: foo, changed at operator version 25: no upgrader",
        ),
        ("upgrader: foo_upgrader_0_9", "upgrader: bar", true, "has no function bar"),
        ("upgrader: foo", "upgradr: foo", true, "line 4: no such key: upgradr"),
        ("schema: foo(", "schema: bar(", true, "the schema is of bar, not of foo"),
        ("func: foo", "function: foo", true, "an entry begins with func"),
        ("- func: foo", "- [foo]", true, "operator_versions.yaml, line"),
        ("b: Tensor", "c: Tensor", false, "has c where the schema has b"),
        ("alpha: number", "alpha: float", false, "alpha is float, in the schema Scalar"),
        (") -> Tensor:", ") -> int:", false, "returns int, the schema Tensor"),
        ("(self: Tensor, ", "(", false, "takes 2 arguments, the schema has 3"),
        ("return", "import", false, "operator_upgraders.py, line 3"),
        ("def foo", "def unused(x: int) -> int:\n  return x\ndef foo", false, "stands for nothing"),
    ] {
        let error = fault(from, to, in_versions);
        assert!(error.contains(message), "{from} -> {to}: {error}");
    }
}

#[test]
fn what_functions_share_is_held_against_releases_and_told_where_it_stands() {
    let versions = "
- func: aten::square
  added_in: 1.5
  downgrader: square_to_1_4
  on: 1.3-1.4
  new_schema: aten::square(Tensor self) -> Tensor
";
    let user = "def square_to_1_4(self: Tensor) -> Tensor:\n  return power(self, 2)\n";
    let shared =
        "def power(x: Tensor, n: int) -> Tensor:\n  result = torch.pow(x, n)\n  return result\n";
    let load = |user: &str, shared: &str| {
        let downgraders = function_files::join([("down/a.py", user), ("down/b.py", shared)]);
        OperatorRegistry::load(RegistrySources {
            versions,
            upgraders: "",
            downgraders: &downgraders,
        })
    };
    let registry = load(user, shared).unwrap();
    let wanted = "def square_to_1_4(self: Tensor) -> Tensor:\n  result = torch.pow(self, 2)\n  return result\n";
    assert_eq!(registry.function("square_to_1_4").unwrap().to_string(), wanted);
    let table = history().table("1.4.0".parse().unwrap()).unwrap();
    assert_eq!(registry.check(&table), []);
    let wrong = load(user, &shared.replace(".pow", ".pow_er")).unwrap().check(&table);
    let place = "down/b.py, line 2: square_to_1_4, on torch 1.4.0: ";
    assert!(wrong[0].to_string().starts_with(place), "{}", wrong[0]);
    let refused = |user: &str, shared: &str| load(user, shared).unwrap_err().to_string();
    let inside = refused(&user.replace("power(self, 2)", "torch.neg(power(self, 2))"), shared);
    let wanted = "down/a.py, line 1: square_to_1_4: power is called inside of an expression";
    assert!(inside.starts_with(wanted), "{inside}");
    let idle = refused(&user.replace("power", "torch.pow"), shared);
    assert!(idle.starts_with("down/b.py, line 1: power stands for nothing"), "{idle}");
}

#[test]
fn a_function_whose_types_do_not_fit_is_told_with_its_line_and_both_types() {
    let versions = "
- func: aten::cholesky
  removed_in: 2.14
  upgrader: cholesky_before_2_14
  schema: aten::cholesky(Tensor self, bool upper=False) -> Tensor
";
    let body = "def cholesky_before_2_14(self: Tensor, upper: bool=False) -> Tensor:\n  ";
    let table = history().table("2.15.0".parse().unwrap()).unwrap();
    let faults = |line: &str| {
        let registry = load(versions, &format!("{body}{line}\n")).unwrap();
        let faults = registry.check(&table).into_iter();
        faults.map(|fault| fault.to_string()).collect::<Vec<_>>().join("\n")
    };
    assert_eq!(faults("return torch.linalg_cholesky(self, upper=upper)"), "");
    let place = "operator_upgraders.py, line 2: cholesky_before_2_14, on torch 2.15.0: ";
    for (line, what) in [
        ("return torch.linalg_cholesky(self, upper='U')", "upper is str, takes bool"),
        ("return torch.linalg_cholesky(upper)", "self is bool, takes Tensor"),
        ("return torch.linalg_qr(self, 'reduced')", "Tuple[Tensor, Tensor]"),
        ("return torch.cholesky(self, upper)", "no operator aten::cholesky"),
        ("return torch.linalg_cholesky(selv)", "selv"),
    ] {
        let found = faults(line);
        assert!(found.starts_with(place) && found.contains(what), "{line}: {found}");
    }
}
