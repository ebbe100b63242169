//! What a change of operators asks of their registry.

use unskew_torch_operators::{OperatorRegistry, RegistryCoverage, RegistrySources};
use unskew_torch_schemas::{OperatorTable, OperatorTableDiff, diff};

const GELU: &str = "aten::gelu(Tensor self) -> Tensor";
const NEW_GELU: &str = "aten::gelu(Tensor self, *, str approximate) -> Tensor";

const VERSIONS: &str = "\
- func: aten::linspace
  version: 9
  upgrader: linspace_0_8
  schema: \"aten::linspace(Scalar start, Scalar end, int? steps=None) -> Tensor\"
";
const UPGRADERS: &str = "\
def linspace_0_8(start: number, end: number, steps: Optional[int]=None) -> Tensor:
  if steps is None:
    return torch.linspace(start, end, 100)
  return torch.linspace(start, end, steps)
";
const ENTRY: &str = "
- func: aten::gelu
  version: 10
  upgrader: gelu_0_9
  schema: \"aten::gelu(Tensor self) -> Tensor\"
";
const UPGRADER: &str = "
def gelu_0_9(self: Tensor) -> Tensor:
  return torch.gelu(self, approximate='none')
";

fn sources<'t>(versions: &'t str, upgraders: &'t str) -> RegistrySources<'t> {
    RegistrySources { versions, upgraders, downgraders: "" }
}

fn changed() -> OperatorTableDiff {
    let table = |text: &str| OperatorTable::read("ops", text).unwrap().unwrap();
    diff(&table(GELU), &table(NEW_GELU))
}

fn account(versions: &str, upgraders: &str) -> RegistryCoverage {
    let old = sources(VERSIONS, UPGRADERS);
    OperatorRegistry::account(Some(&changed()), Some(old), sources(versions, upgraders))
}

fn codes(account: &RegistryCoverage) -> Vec<&'static str> {
    account.owed.iter().map(|owed| owed.finding.rule.code).collect()
}

#[test]
fn a_change_that_the_registry_bridges_owes_nothing() {
    let account = account(&format!("{VERSIONS}{ENTRY}"), &format!("{UPGRADERS}{UPGRADER}"));
    assert_eq!(codes(&account), [""; 0], "{:?}", account.owed);
    assert!(account.served.contains("aten::gelu"));
}

#[test]
fn a_change_without_an_entry_is_told_with_the_entry_the_stub_and_the_test() {
    let account = account(VERSIONS, UPGRADERS);
    assert_eq!(codes(&account), ["OP301"]);
    let fix = account.owed[0].finding.fix.as_deref().unwrap();
    for part in [
        "- func: aten::gelu\n  version: 10\n  upgrader: gelu_0_9\n",
        "def gelu_0_9(self: Tensor) -> Tensor:\n",
        "gelu_0_9\t\tself=",
    ] {
        assert!(fix.contains(part), "{part} is not in:\n{fix}");
    }
}

#[test]
fn what_the_mend_says_makes_a_registry_that_owes_nothing() {
    let first = account(VERSIONS, UPGRADERS);
    let fix = first.owed[0].finding.fix.clone().unwrap();
    let (entry, rest) = fix.split_once("\nadd to operator_upgraders.py:\n").unwrap();
    let entry = entry.strip_prefix("add to operator_versions.yaml:\n").unwrap();
    let (stub, _) = rest.split_once("\nadd to operator_cases.tsv").unwrap();
    let account = account(&format!("{VERSIONS}\n{entry}\n"), &format!("{UPGRADERS}\n{stub}\n"));
    assert_eq!(codes(&account), [""; 0], "{:?}", account.owed);
}

#[test]
fn a_version_that_is_out_is_not_raised() {
    let versions = format!("{VERSIONS}{}", ENTRY.replace("version: 10", "version: 9"));
    let account = account(&versions, &format!("{UPGRADERS}{UPGRADER}"));
    assert_eq!(codes(&account), ["OP302"]);
}

#[test]
fn an_upgrader_that_is_not_there_is_told_with_its_stub() {
    let account = account(&format!("{VERSIONS}{ENTRY}"), UPGRADERS);
    assert_eq!(codes(&account), ["OP303"]);
    assert!(account.owed[0].finding.fix.as_deref().unwrap().contains("def gelu_0_9(self: Tensor)"));
}

#[test]
fn an_upgrader_must_take_what_its_schema_says() {
    let wrong = UPGRADER.replace("self: Tensor", "self: Tensor, approximate: str");
    let account = account(&format!("{VERSIONS}{ENTRY}"), &format!("{UPGRADERS}{wrong}"));
    assert_eq!(codes(&account), ["OP304"]);
    assert!(account.owed[0].finding.message.contains("takes 2 arguments, the schema has 1"));
}

#[test]
fn an_upgrader_of_another_schema_bridges_nothing() {
    let versions = format!("{VERSIONS}{}", ENTRY.replace("(Tensor self)", "(Tensor input)"));
    let upgraders = format!("{UPGRADERS}{}", UPGRADER.replace("self", "input"));
    assert_eq!(codes(&account(&versions, &upgraders)), ["OP305"]);
}

#[test]
fn an_upgrader_without_a_schema_bridges_what_its_signature_fits() {
    let entry: String = ENTRY
        .lines()
        .filter(|line| !line.contains("schema"))
        .map(|line| format!("{line}\n"))
        .collect();
    let account =
        |upgrader: &str| account(&format!("{VERSIONS}{entry}"), &format!("{UPGRADERS}{upgrader}"));
    assert_eq!(codes(&account(UPGRADER)), [""; 0]);
    assert_eq!(codes(&account(&UPGRADER.replace("self", "input"))), ["OP305"]);
}

#[test]
fn an_upgrader_that_was_promised_stays() {
    let account = account(ENTRY, UPGRADER);
    assert_eq!(codes(&account), ["OP306"]);
}

#[test]
fn a_registry_that_cannot_be_read_is_told_with_its_line() {
    let account = account(&format!("{VERSIONS}- version: 3\n"), UPGRADERS);
    assert_eq!(codes(&account), ["OP307"]);
    assert_eq!(account.owed[0].finding.places.named(), ["operator_versions.yaml:5"]);
}
