//! Programs that never end, take all memory, nest without end, or make no sense: each ends with an error.

use unskew_interpreter::{
    Interpreter, ProgramCode, ReleaseSemantics, RunError, RunLimits, RunProblem, ScriptValue,
};

fn run(text: &str) -> Result<ScriptValue, RunError> {
    let mut code = ProgramCode::default();
    code.add("bad.py", "", text).unwrap();
    let limits = RunLimits { steps: 200_000, elements: 50_000_000, bytes: 1 << 26, depth: 400 };
    Interpreter::new(ReleaseSemantics::newest()).with_limits(limits).call(&code, "f", Vec::new())
}

fn problem(text: &str) -> RunProblem {
    run(text).unwrap_err().problem
}

#[test]
fn what_never_ends_is_stopped() {
    for body in [
        "  while True:\n    pass\n  return 0\n",
        "  for i in range(9223372036854775807):\n    pass\n  return 0\n",
        "  x = [1]\n  while True:\n    x.extend(x)\n  return 0\n",
        "  x = torch.ones([1])\n  for i in range(100000000):\n    x = torch.matmul(torch.ones([300, 300]), torch.ones([300, 300]))\n  return x\n",
        "  return list(range(100000000000))\n",
        "  return [0] * 100000000000\n",
    ] {
        let found = problem(&format!("def f():\n{body}"));
        assert!(matches!(found, RunProblem::Limit { .. }), "{body}: {found}");
    }
}

#[test]
fn what_takes_all_memory_is_stopped() {
    for body in [
        "  return torch.zeros([1000000, 1000000])\n",
        "  return torch.arange(1000000000000)\n",
        "  return torch.linspace(0, 1, 1000000000000)\n",
        "  return torch.ones([1000]).expand([1000000000, 1000]).contiguous()\n",
        "  return torch.eye(1000000)\n",
        "  return torch.ones([2]).repeat([1000000000, 4])\n",
        "  x = torch.zeros([1])\n  l = [x]\n  while True:\n    l.append(torch.zeros([100000]))\n  return l\n",
        "  s = 'a'\n  while True:\n    s = s + s\n  return s\n",
    ] {
        let found = problem(&format!("def f():\n{body}"));
        assert!(
            matches!(found, RunProblem::Limit { .. } | RunProblem::Refused(_)),
            "{body}: {found}"
        );
    }
}

#[test]
fn what_nests_without_end_is_stopped() {
    let found = problem("def f():\n  return f()\n").to_string();
    assert!(found.contains("no function of this name") || found.contains("nested"), "{found}");
    let mut code = ProgramCode::default();
    code.add("deep.py", "__torch__", "def f(x: int) -> int:\n  return __torch__.f(x + 1)\n")
        .unwrap();
    let interpreter = Interpreter::new(ReleaseSemantics::newest());
    let found = interpreter.call(&code, "__torch__.f", vec![ScriptValue::from(0_i64)]).unwrap_err();
    assert_eq!(found.problem, RunProblem::Limit { what: "nested calls", limit: 400 });
    let deep = format!("def f():\n  return {}1{}\n", "(-".repeat(100), ")".repeat(100));
    assert_eq!(run(&deep).unwrap().to_string(), "1");
}

#[test]
fn a_list_that_holds_itself_is_shown_and_compared() {
    let text = "def f():\n  x = [[1]]\n  x.append(x)\n  return torch.eq(str(x), str(x))\n";
    assert_eq!(run(text).unwrap().to_string(), "True");
}

#[test]
fn faults_say_what_and_where() {
    for (body, wanted) in [
        (
            "  return torch.no_such(1)\n",
            "bad.py:2:10: the interpreter has no operator of this name: aten::no_such",
        ),
        (
            "  return torch.add('a', 1)\n",
            "bad.py:2:10: no overload of aten::add takes these arguments: aten::add(str, int)",
        ),
        ("  return y\n", "bad.py:2:3: a name without a value: y"),
        ("  a, b = [1]\n  return a\n", "bad.py:2:3: 2 values are wanted for an assignment: 1"),
        (
            "  ops.prim.RaiseException('no', 'builtins.ValueError')\n",
            "bad.py:2:3: the program raised builtins.ValueError: no",
        ),
        (
            "  return torch.zeros([2]).view([3])\n",
            "bad.py:2:10: shape '[3]' is invalid for input of size 2",
        ),
        (
            "  return torch.select(torch.zeros([2]), 0, 5)\n",
            "bad.py:2:10: index 5 is out of bounds for dimension with size 2",
        ),
        (
            "  return torch.floor_divide(torch.ones([1], dtype=4), 0)\n",
            "bad.py:2:10: ZeroDivisionError",
        ),
    ] {
        assert_eq!(run(&format!("def f():\n{body}")).unwrap_err().to_string(), wanted);
    }
}

#[test]
fn what_is_written_in_place_is_seen_through_every_view() {
    let text = "def f():\n  x = torch.zeros([2, 3])\n  y = x.t()\n  y[0].add_(5)\n  x.select(1, 2).fill_(7)\n  \
                o = torch.empty([0])\n  torch.mul(x, 2, out=o)\n  return (x, y, o)\n";
    let shown = run(text)
        .unwrap()
        .tensors()
        .iter()
        .map(|t| t.to_array().to_string().replace("\n ", " "))
        .collect::<Vec<_>>();
    assert_eq!(shown[0], "[[5, 0, 7], [5, 0, 7]]");
    assert_eq!(shown[1], "[[5, 5], [0, 0], [7, 7]]");
}
