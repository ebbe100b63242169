//! Types of programs: what real ones call, and what is found in texts.

use std::collections::BTreeMap;
use std::fs::{File, read_to_string};
use std::io::Read;
use std::path::Path;
use std::sync::{Arc, LazyLock};

use unskew_script::typing::{LoaderProblem, ResolvedCall, ScriptProgram, Typing, check, infer};
use unskew_torch_schemas::matching::Literal;
use unskew_torch_schemas::{OperatorHistory, OperatorTable};

static HISTORY: LazyLock<Arc<OperatorHistory>> = LazyLock::new(|| {
    let path = concat!(env!("UNSKEW_ROOT"), "/crates/judging/releases/data/torch/operators.tsv");
    OperatorHistory::from_text(read_to_string(path).unwrap()).unwrap().into()
});

fn table(release: &str) -> OperatorTable {
    HISTORY.table(release.parse().unwrap()).unwrap()
}

fn typed(text: &str) -> Result<(ScriptProgram, Typing), Vec<LoaderProblem>> {
    check("f.py", text, &table("2.15.0"))
}

/// The overloads that a text calls, in its order.
fn calls(text: &str) -> Vec<String> {
    let (_, typing) = typed(text).unwrap_or_else(|all| panic!("{text}{}", all[0]));
    typing.calls.iter().map(|call| call.schema().unwrap().full_name()).collect()
}

fn problem(text: &str) -> String {
    typed(text).err().map_or_else(String::new, |all| all[0].to_string())
}

#[test]
fn an_overload_is_found_by_types() {
    for (signature, call, overload) in [
        ("a: Tensor, b: Tensor", "torch.div(a, b)", "div.Tensor"),
        ("a: Tensor, b: float", "torch.div(a, b)", "div.Scalar"),
        ("a: int, b: int", "torch.div(a, b)", "div.int"),
        ("a: int, b: float", "torch.add(a, b)", "add.int_float"),
        ("a: number, b: int", "torch.add(a, b)", "add"),
        ("a: List[int], b: List[int]", "torch.add(a, b)", "add.t"),
        ("a: str, b: str", "torch.eq(a, b)", "eq.str"),
        ("a: Tensor, b: int", "torch.to(a, b)", "to.dtype"),
        ("a: Tensor, b: Device", "torch.to(a, b)", "to.prim_Device"),
        ("a: Tensor, b: List[int]", "torch.sum(a, b)", "sum.dim_IntList"),
        ("a: Tensor, b: int", "torch.sum(a, b)", "sum.dim_IntList"),
        ("a: Tensor, b: int", "a.view(b, -1)", "view"),
        ("a: Tensor, b: Tensor", "torch.max(a, b)", "max.other"),
        ("a: int, b: int", "torch.zeros([a, b])", "zeros"),
        ("a: int, b: int", "torch.zeros(a, b)", "zeros"),
        ("a: Tuple[int, int], b: int", "torch.zeros(a)", "zeros"),
        ("a: Tensor, b: int", "torch.add(a, b, alpha=2)", "add.Scalar"),
        ("a: Dict[str, int], b: str", "torch.__contains__(a, b)", "__contains__.str"),
        ("a: Tensor, b: List[Tensor]", "torch.index(a, b)", "index.Tensor_hacked_twin"),
        ("a: Tensor, b: str", "a.to(torch.device(b))", "to.prim_Device"),
        ("a: Tensor, b: int", "a * 2 + b", "add.Scalar"),
    ] {
        let found = calls(&format!("def f({signature}):\n  {call}\n"));
        assert!(found.contains(&format!("aten::{overload}")), "{call} of {signature}: {found:?}");
    }
}

#[test]
fn types_flow_through_branches_loops_and_own_functions() {
    let text = "\
def first(xs: List[Tensor], n: Optional[int]=None) -> Tuple[Tensor, int]:
  if n is None:
    m = 1
  else:
    m = n + 1
  return (xs[0], m)
def f(xs: List[Tensor], a: Any) -> Tensor:
  x, n, = first(xs)
  y = [x]
  for i in range(n):
    y.append(torch.mul(xs[i], i))
  if isinstance(a, float):
    x = torch.div(x, a)
  total = annotate(List[int], [])
  for one in y:
    total.append(one.size(0))
  while n < 3:
    n = n + 1
  return torch.add(y[0], total[0])
";
    let found = calls(text);
    for overload in
        ["add.int", "append.t", "mul.Scalar", "div.Scalar", "size.int", "add.Scalar", "lt.int"]
    {
        assert!(found.contains(&format!("aten::{overload}")), "{overload}: {found:?}");
    }
}

#[test]
fn what_the_loader_refuses_is_told_with_its_line() {
    for (text, wanted) in [
        ("def f(x: Tensor):\n  y\n", "line 2: no such name: y"),
        ("def f(x: Tensor):\n  torch.nothing(x)\n", "line 2: no operator aten::nothing"),
        ("def f(x: str) -> Tensor:\n  return torch.relu(x)\n", "self is str, takes Tensor"),
        ("def f(x: Tensor) -> int:\n  return torch.relu(x) + x\n", ""),
        (
            "def f(x: Tensor) -> str:\n  return x\n",
            "what is returned is Tensor where str is wanted",
        ),
        (
            "def f(x: Tensor) -> Tensor:\n  return torch.gelu(x, aproximate='none')\n",
            "no argument aproximate",
        ),
        ("def f(x: Tensor):\n  a, b, = torch.relu(x), x, x\n", "2 names for the parts of"),
        ("def g(x: int) -> int:\n  return x\ndef f():\n  g()\n", "g is called without x"),
        (
            "def g(x: int) -> int:\n  return x\ndef f():\n  g('a')\n",
            "x of g is str where int is wanted",
        ),
        ("def f(x):\n  import os\n", "line 2"),
    ] {
        let found = problem(text);
        assert!(found.contains(wanted), "{text}{found}");
        assert_eq!(found.is_empty(), wanted.is_empty(), "{text}{found}");
    }
}

#[test]
fn tolist_is_a_method_of_the_language_since_1_5() {
    let text = "def f(x: Tensor) -> List[float]:\n  y = torch.mul(x, 2)\n  z = annotate(List[float], y.tolist())\n  return z\n";
    assert_eq!(calls(text), ["aten::mul.Scalar", "prim::tolist"]);
    let all = check("f.py", text, &table("1.4.0")).unwrap_err();
    assert!(all[0].to_string().contains("prim::tolist"), "{}", all[0]);
}

#[test]
fn values_that_stand_in_the_code_are_known() {
    let (_, typing) = typed(
        "def f(x: Tensor) -> Tensor:\n  mode = 'tanh'\n  return torch.gelu(x, approximate=mode)\n",
    )
    .unwrap();
    let call = &typing.calls[0];
    assert_eq!(call.value("approximate"), Some(Literal::Text("tanh".into())));
    let (_, typing) = typed("def f(x: Tensor) -> Tensor:\n  return torch.gelu(x)\n").unwrap();
    assert_eq!(typing.calls[0].value("approximate"), Some(Literal::Text("none".into())));
    assert!(typing.calls[0].argument("approximate").is_none());
}

#[test]
fn what_can_be_none_only_is_none() {
    let (_, typing) = typed(
        "\
def f(x: Tensor, sizes: List[int], whole: bool) -> Tensor:
  if whole:
    factors = None
  else:
    ops.prim.RaiseException(\"\")
    factors = uninitialized(NoneType)
  return torch.upsample_bilinear2d(x, sizes, False, factors)
",
    )
    .unwrap();
    let call = typing.calls.iter().find(|call| &*call.operator == "aten::upsample_bilinear2d");
    assert_eq!(call.unwrap().value("scales_h"), Some(Literal::None));
}

#[test]
fn what_is_assigned_behind_an_exception_counts_for_types_and_not_for_values() {
    let upsampled = |end: &str| {
        let (_, typing) = typed(&format!(
            "\
def f(x: Tensor, sizes: List[int], whole: bool) -> Tensor:
  factors = None
  if whole:
    pass
  else:
    {end}
    factors = uninitialized(Optional[List[float]])
  return torch.upsample_bilinear2d(x, sizes, False, factors)
"
        ))
        .unwrap();
        let wanted = |call: &&ResolvedCall| &*call.operator == "aten::upsample_bilinear2d";
        let call = typing.calls.iter().find(wanted).unwrap().clone();
        (call.schema().unwrap().full_name(), call.given[3].literal.clone())
    };
    // The loader takes it for a call like any other; nobody comes there, so the value is that of the other branch.
    let (overload, factors) = upsampled("ops.prim.RaiseException(\"\")");
    assert_eq!(overload, "aten::upsample_bilinear2d.vec");
    assert_eq!(factors, Some(Literal::None));
    let (overload, factors) = upsampled("return x");
    assert_eq!(overload, "aten::upsample_bilinear2d");
    assert_eq!(factors, Some(Literal::None));
}

/// A module with a function that is called with these modes.
fn module(modes: &[&str]) -> ScriptProgram {
    let mut program = ScriptProgram::new();
    let function = "\
def up(x: Tensor, mode: str) -> Tensor:
  if torch.eq(mode, \"a\"):
    y = torch.relu(x)
  else:
    if torch.eq(mode, \"b\"):
      y = torch.gelu(x)
    else:
      y = torch.sigmoid(x)
  return y
";
    program.add("code/__torch__/f.py", "__torch__.f", function).unwrap();
    let mut text = "class M(Module):\n  def forward(self: __torch__.M, x: Tensor) -> Tensor:\n    _0 = __torch__.f.up\n".to_owned();
    for mode in modes {
        text += &format!("    x = _0(x, \"{mode}\", )\n");
    }
    text += "    return x\n";
    program.add("code/__torch__.py", "__torch__", &text).unwrap();
    program
}

#[test]
fn branches_that_no_call_takes_are_dead_and_their_removal_is_an_edit() {
    let live = |modes: &[&str]| {
        let program = module(modes);
        let typing = infer(&program, &table("2.15.0"));
        assert!(typing.problems(&program).is_empty());
        let calls = typing.calls.iter().filter(|call| call.live);
        let names: Vec<String> = calls.map(|call| call.operator.replace("aten::", "")).collect();
        let removable = typing.calls.iter().filter(|call| call.removable).count();
        (names, removable, typing.prunings(&program))
    };
    let (names, removable, prunings) = live(&["b"]);
    assert_eq!(names, ["eq", "eq", "gelu"]);
    assert_eq!((removable, prunings.len()), (2, 1));
    assert_eq!(prunings[0].text, "y = torch.gelu(x)");
    assert_eq!((prunings[0].line, prunings[0].taken), (2, false));

    // Two calls that do not agree: what neither takes is dead.
    let (names, removable, prunings) = live(&["a", "c"]);
    assert_eq!(names, ["eq", "relu", "eq", "sigmoid"]);
    assert_eq!((removable, prunings.len()), (1, 1));
    assert_eq!(prunings[0].text, "y = torch.sigmoid(x)");

    let (names, removable, _) = live(&["a", "b", "c"]);
    assert_eq!((names.len(), removable), (5, 0));
}

#[test]
fn a_text_without_its_dead_branches_is_typed_the_same() {
    let program = module(&["b"]);
    let typing = infer(&program, &table("2.15.0"));
    let record = &program.records()[0];
    let mut edits = unskew_script::Edits::new(&record.text);
    for pruning in typing.prunings(&program) {
        edits.replace(pruning.span, pruning.text).unwrap();
    }
    let text = edits.finish();
    assert_eq!(text, "def up(x: Tensor, mode: str) -> Tensor:\n  y = torch.gelu(x)\n  return y\n");
}

#[test]
fn every_division_of_real_voice_models_is_of_integers() {
    let corpus = Path::new(env!("UNSKEW_ROOT")).join("corpus");
    let mut divisions: BTreeMap<String, usize> = BTreeMap::new();
    for name in ["silero-vad-5.1.jit", "silero-vad-6.2.3.jit", "hakai-kelp-presence.pt"] {
        let path = corpus.join(name);
        let file = File::open(&path)
            .unwrap_or_else(|e| panic!("{}: {e}; run cargo xtask corpus", path.display()));
        let mut archive = zip::ZipArchive::new(file).unwrap();
        let mut program = ScriptProgram::new();
        for i in 0..archive.len() {
            let mut record = archive.by_index(i).unwrap();
            let path = record.name().unwrap().into_owned();
            let Some((_, module)) = path.split_once("/code/") else { continue };
            let Some(module) = module.strip_suffix(".py") else { continue };
            let mut text = String::new();
            record.read_to_string(&mut text).unwrap();
            program.add(&path, &module.replace('/', "."), &text).unwrap();
        }
        for release in ["1.13.1", "2.15.0"] {
            let typing = infer(&program, &table(release));
            let problems = typing.problems(&program);
            assert!(problems.is_empty(), "{name} in {release}: {}", problems[0]);
        }
        let typing = infer(&program, &**HISTORY);
        for call in typing.calls.iter().filter(|call| &*call.operator == "aten::div") {
            *divisions.entry(call.schema().unwrap().full_name()).or_default() += 1;
        }
    }
    println!("{divisions:?}");
    assert_eq!(divisions, BTreeMap::from([("aten::div.int".to_owned(), 6)]));
}

#[test]
fn upgraders_of_pytorch_are_typed_in_every_release_that_has_them() {
    let path = concat!(env!("UNSKEW_ROOT"), "/crates/torch/operators/data/operator_upgraders.py");
    let text = read_to_string(path).unwrap();
    let first = "1.13.1".parse().unwrap();
    for release in HISTORY.releases().iter().filter(|release| **release >= first) {
        let table = HISTORY.table(*release).unwrap();
        if let Err(problems) = check("operator_upgraders.py", &text, &table) {
            panic!("{release}: {}", problems[0]);
        }
    }
}

#[test]
fn hostile_programs_end() {
    let lines = |line: &str, count: usize| line.repeat(count);
    let double = format!(
        "def f(a: int, b: bool):\n  x = (a, a)\n  y = (1, 1)\n{}  if b:\n    z = x\n  else:\n    z = y\n  return z\n",
        lines("  x = (x, x)\n  y = (y, y)\n", 200)
    );
    let nested = format!("def f(x: int):\n  y = {}x{}\n", "(".repeat(250), ",)".repeat(250));
    let union = format!(
        "def f(x: Union[{}]) -> Tensor:\n  return torch.relu(x)\n",
        (0..2000).map(|n| format!("__torch__.C{n}")).collect::<Vec<_>>().join(", ")
    );
    let deep = format!("def f(x: {}int{}):\n  return x\n", "List[".repeat(250), "]".repeat(250));
    // Each function calls the next one twice, with values of its own.
    let calls: String = (0..300)
        .map(|n| {
            format!("def f{n}(x: int, y: bool):\n  f{}(1, y)\n  f{}({n}, True)\n", n + 1, n + 1)
        })
        .collect();
    let calls = format!("{calls}def f300(x: int, y: bool):\n  f0(x, y)\n");
    let itself = "def f(x: Tensor) -> Tensor:\n  return f(f(x))\n".to_owned();
    let ifs =
        format!("def f(b: bool):\n{}", lines("  if b:\n    x = 1\n  else:\n    x = 2\n", 3000));
    for text in [double, nested, union, deep, calls, itself, ifs] {
        let _ = check("f.py", &text, &table("2.15.0"));
    }
}

#[test]
fn classes_that_hold_each_other_are_followed_as_far_as_the_code_goes() {
    let text = "\
class A(Module):
  b : __torch__.B
  x : Tensor
  def forward(self: __torch__.A) -> Tensor:
    return torch.relu(self.b.a.b.a.x)
class B(Module):
  a : __torch__.A
  def forward(self: __torch__.B) -> Tensor:
    return (self.a).forward()
";
    let mut program = ScriptProgram::new();
    program.add("code/__torch__.py", "__torch__", text).unwrap();
    let typing = infer(&program, &table("2.15.0"));
    assert!(typing.problems(&program).is_empty(), "{:?}", typing.problems(&program));
    let wrong = text.replace("(self.a).forward()", "(self.c).forward()");
    let mut program = ScriptProgram::new();
    program.add("code/__torch__.py", "__torch__", &wrong).unwrap();
    let problems = infer(&program, &table("2.15.0")).problems(&program);
    assert_eq!(
        problems[0].to_string(),
        "code/__torch__.py, line 9: __torch__.B has no attribute c"
    );
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(300))]

    #[test]
    fn any_program_is_typed_or_refused(tokens in proptest::collection::vec(
        proptest::sample::select(vec![
            "x", "y", "self", "torch.add(x, y)", "torch.relu", "(", ")", "[", "]", ", ", " = ", "1", "2.5", "None",
            "\n  ", "\n    ", "\ndef f(x: Tensor, y: int=1) -> Tensor:\n  ", "\nclass C(Module):\n  ", "if x:", "else:",
            "for x in y:", "while x:", "return x", " is ", " not ", " and ", " + ", "isinstance(x, int)", "f(x)", "x : List[int]",
            "annotate(int, x)", "getattr(x, \"y\")", "x.y", "CONSTANTS.c0", "__torch__.C", "pass", "range(x)",
        ]), 0..60)) {
        let _ = check("f.py", &tokens.concat(), &table("2.15.0"));
        let text = format!("def f(x: Tensor, y: int) -> Tensor:\n  {}", tokens.concat());
        if let Ok((program, typing)) = check("f.py", &text, &table("2.15.0")) {
            let _ = typing.prunings(&program);
        }
    }
}
