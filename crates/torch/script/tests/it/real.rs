//! The code of real models is read, shown again, and read as the same; any text is read or refused.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use proptest::prelude::*;
use unskew_script::{Module, parse};
use zip::ZipArchive;

/// Without places: they differ between a text and what is shown of it.
fn shape(module: &Module) -> String {
    let text = format!("{module:?}");
    let mut out = String::new();
    for (i, part) in text.split("Span {").enumerate() {
        out.push_str(if i == 0 { part } else { part.split_once('}').map_or("", |(_, rest)| rest) });
    }
    out
}

#[test]
fn the_code_of_real_models_is_read_and_shown_again() {
    let corpus = Path::new(env!("UNSKEW_ROOT")).join("corpus");
    let mut sources = 0;
    for name in [
        "silero-vad-5.1.jit",
        "silero-vad-6.2.3.jit",
        "hakai-kelp-presence.pt",
        "hakai-kelp-species.pt",
        "hakai-mussel-presence.pt",
    ] {
        let path = corpus.join(name);
        let file = File::open(&path)
            .unwrap_or_else(|e| panic!("{}: {e}; run cargo xtask corpus", path.display()));
        let mut archive = ZipArchive::new(file).unwrap();
        for i in 0..archive.len() {
            let mut record = archive.by_index(i).unwrap();
            let path = record.name().unwrap().into_owned();
            if !path.ends_with(".py") {
                continue;
            }
            let mut text = String::new();
            record.read_to_string(&mut text).unwrap();
            let module = parse(&text).unwrap_or_else(|e| panic!("{name}, {path}: {e}"));
            let shown = module.to_string();
            let again = parse(&shown).unwrap_or_else(|e| panic!("{name}, {path}: {e}"));
            assert_eq!(shape(&module), shape(&again), "{name}, {path}");
            sources += 1;
        }
    }
    assert!(sources > 100, "{sources}");
}

#[test]
fn what_is_python_and_not_torchscript_is_refused_with_its_place() {
    for (text, place) in [
        ("x = 1\nimport os\n", (2, 1)),
        ("def f(*args):\n  pass\n", (1, 7)),
        ("x = lambda y: y\n", (1, 12)),
        ("x = [a for a in b]\n", (1, 8)),
        ("a = b = 1\n", (1, 1)),
        ("x = (1\n", (2, 1)),
        ("while a:\n  pass\nelse:\n  pass\n", (3, 1)),
        ("x = {a, b}\n", (1, 5)),
        ("x = f\"{a}\"\n", (1, 5)),
        ("if a < b < c:\n  pass\n", (1, 4)),
        ("x += 1\n", (1, 3)),
        ("f(a=1, b)\n", (1, 8)),
        ("f(a) = b\n", (1, 1)),
        ("@d\ndef f():\n  pass\n", (1, 1)),
    ] {
        let error = parse(text).unwrap_err();
        assert_eq!((error.line, error.column), place, "{text}: {error}");
    }
    assert!(parse(&"(".repeat(100_000)).unwrap_err().to_string().contains("deep"));
    assert!(parse(&format!("x = {}a", "a.".repeat(1_000_000))).is_err());
}

#[test]
fn old_code_imports_its_own_modules() {
    let text = "op_version_set = 1\nimport __torch__.torch.nn.modules.conv\nimport __torch__\n";
    assert_eq!(parse(text).unwrap().body.len(), 3);
    for text in ["import os\n", "import __torch__ as t\n", "from __torch__ import m\n"] {
        assert!(parse(text).is_err(), "{text}");
    }
}

/// What 1.3 to 1.5 write of functions of which only some defaults have a form.
#[test]
fn a_parameter_without_a_default_may_follow_one_with() {
    let text = "def f(a: Tensor, b: Optional[int]=None, c: List[int], *, d: int=1, e: int) -> int:\n  return d\n";
    let module = parse(text).unwrap();
    let function = module.functions().next().unwrap();
    let shown =
        |one: &unskew_script::FunctionParameter| (one.name.text.to_string(), one.default.is_some());
    let has_default: Vec<(String, bool)> = function.parameters.iter().map(shown).collect();
    let expected = [("a", false), ("b", true), ("c", false), ("d", true), ("e", false)];
    assert_eq!(has_default, expected.map(|(name, has)| (name.to_owned(), has)));
    assert!(parse("def f(a: int=1, b: int\n  return b\n").is_err());
}

#[test]
fn names_that_only_python_keeps_for_itself_are_names() {
    for word in
        ["async", "await", "except", "finally", "from", "lambda", "nonlocal", "try", "yield"]
    {
        let text = format!(
            "class M(Module):\n  {word} : __torch__.Linear\n  def forward(self, x: Tensor) -> Tensor:\n    _0 = self.{word}\n    return (_0).forward(x, \"{word}\", )\n"
        );
        let module = parse(&text).unwrap_or_else(|error| panic!("{word}: {error}"));
        let debug = format!("{module:?}");
        assert!(debug.contains(&format!("\"{word}\"")) && !debug.contains("xxx"), "{debug}");
        assert_eq!(shape(&module), shape(&parse(&module.to_string()).unwrap()));
    }
    // A declaration by itself is a function without a name to Python.
    assert!(parse("class M(Module):\n  lambda : Tensor\n").is_ok());
}

#[test]
fn what_is_shown_is_read_as_the_same() {
    for text in ["x = (1).real\n", "x = -(a + b) * c\n", "x = (a if b else c).d[1:, ::2]\n"] {
        let module = parse(text).unwrap();
        let shown = module.to_string();
        let again = parse(&shown).unwrap_or_else(|error| panic!("{shown}: {error}"));
        assert_eq!(shape(&module), shape(&again), "{shown}");
    }
}

#[test]
fn upgraders_of_pytorch_are_in_this_language() {
    let text = "\
def full_0_4(size: List[int], fill_value: number, *, dtype: Optional[int]=None) -> Tensor:
  if dtype is None:
    fill_value = float(fill_value)
  return torch.full(size, fill_value, dtype=dtype)
def div_0_3(self: Tensor, other: Any) -> Tensor:
  if self.is_floating_point() or isinstance(other, float):
    return self.true_divide(other)
  return self.divide(other, rounding_mode='trunc')
";
    let module = parse(text).unwrap();
    assert_eq!(module.functions().count(), 2);
    let full = module.functions().next().unwrap();
    assert!(full.parameters[2].keyword_only);
    assert!(
        module.to_string().contains("if (self.is_floating_point()) or")
            || module.to_string().contains("self.is_floating_point() or isinstance(other, float):")
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn any_text_is_read_or_refused(text in "[ \\n(){}\\[\\]:=,.+a-c0-9\"'#*\\-]{0,120}") {
        if let Ok(module) = parse(&text) {
            let shown = module.to_string();
            if let Ok(again) = parse(&shown) {
                prop_assert_eq!(shape(&module), shape(&again));
            }
        }
    }
}
