//! Calls with keywords that the function or class of another package takes or not.

use crate::names::said;

/// What is called takes `x`; the rest is what the source of `base` says besides.
fn says(app: &str, base: &str) -> Vec<String> {
    said(app, &[("base/__init__.py", "from .inner import *\n"), ("base/inner.py", base)])
}

const FUNCTION: &str = "def f(a, /, x=1, *, z=2): pass\n";

const CLASS: &str = "class F(Exception):\n    def __init__(self, x): self.x = x\n";

#[test]
fn a_keyword_that_is_not_taken_is_an_error_at_load_and_a_warning_in_functions() {
    for (app, base, function) in [
        ("from base import f\nf(0, y=1)\n", FUNCTION, "f"),
        ("import base as b\nx = [b.f(0, x=1, y=1)]\n", FUNCTION, "f"),
        ("import base\n@base.f(0, y=1)\ndef g(): pass\n", FUNCTION, "f"),
        ("from base import f\nf(a=1)\n", FUNCTION, "f"),
        ("from base import F\nF(y=1)\n", CLASS, "F"),
        ("from base import F\nF(self=1)\n", CLASS, "F"),
        ("import base\ndef g():\n    return base.f(0, y=1)\n", FUNCTION, "f"),
    ] {
        let said = says(app, base);
        let [only] = said.as_slice() else { panic!("{app}: {said:?}") };
        assert!(only.starts_with("EN127"), "{only}");
        assert!(only.contains(&format!("calls base.inner.{function} of base 2.0 with ")), "{only}");
    }
}

#[test]
fn calls_that_something_else_may_answer_are_not_judged() {
    let call = "from base import f\nf(0, y=1)\n";
    for base in [
        "def f(x, **others): pass\n",
        "@wrap\ndef f(x): pass\n",
        "def f(x): pass\nf = wrap(f)\n",
        "def f(x): pass\nfrom .other import *\n",
        "if x:\n    def f(x): pass\n",
        "try:\n    from _c import f\nexcept ImportError:\n    def f(x): pass\n",
        "class f(metaclass=M):\n    def __init__(self, x): pass\n",
        "class f:\n    def __new__(cls, y): pass\n    def __init__(self, x): pass\n",
        "class f(Base): pass\n",
    ] {
        assert_eq!(says(call, base), [""; 0], "{base}");
    }
    for app in [
        "from base import f\nf(0, x=1, z=2)\n",
        "from base import f\nf(0, **{'y': 1})\n",
        "from base import f\ntry:\n    f(0, y=1)\nexcept TypeError:\n    f(0, x=1)\n",
        "from base import f\ndef g(f):\n    return f(0, y=1)\n",
        "from base import f\nh = lambda: f(0, y=1)\n",
        "from base import f\nx = a and f(0, y=1)\n",
    ] {
        assert_eq!(says(app, FUNCTION), [""; 0], "{app}");
    }
}
