//! Types of TorchScript programs: any program is typed or refused, and what is left without its dead branches is
//! a program again.

use std::sync::LazyLock;

use unskew_script::typing::{ScriptProgram, infer};
use unskew_torch_schemas::FunctionSchema;

static OPERATORS: LazyLock<Vec<FunctionSchema>> = LazyLock::new(|| {
    let schemas = [
        "aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
        "aten::add.int(int a, int b) -> int",
        "aten::add.t(t[] a, t[] b) -> t[]",
        "aten::eq.str(str a, str b) -> bool",
        "aten::zeros(int[] size, *, ScalarType? dtype=None) -> Tensor",
        "aten::dict.str((str, tVal)[] inputs) -> Dict(str, tVal)",
        "aten::__getitem__.t(t[](a) list, int idx) -> t(*)",
        "prim::RaiseException(str msg, str? cls=None) -> ()",
    ];
    schemas.iter().filter_map(|text| text.parse().ok()).collect()
});

/// Gives the bytes to the reader.
pub(crate) fn run(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let mut program = ScriptProgram::new();
    if program.add("code/__torch__.py", "__torch__", text).is_err() {
        return;
    }
    let typing = infer(&program, &*OPERATORS);
    let _ = typing.problems(&program);
    let mut edits = unskew_script::Edits::new(text);
    for pruning in typing.prunings(&program) {
        edits.replace(pruning.span, pruning.text).expect("prunings do not overlap");
    }
    unskew_script::parse(&edits.finish()).expect("what is left is a program");
}
