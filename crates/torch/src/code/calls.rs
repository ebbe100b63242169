//! The operator calls of a code.

use std::collections::{BTreeSet, HashMap};

use unskew_ops::CallShape;
use unskew_source::Problem;

use super::token::{Token, Tokens};

/// How deep brackets may nest. Expressions of real models nest some ten deep.
const BRACKETS: usize = 1000;

/// The most calls of one code record; a large one has some thousands.
const CALLS: usize = 1 << 19;

/// The prefix of classes that are registered in C++.
const CLASSES: &str = "__torch__.torch.classes.";

/// What can be told about an argument from its tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ArgumentKind {
    /// An integer, or a parameter that is declared as one.
    Int,
    /// A float, or a parameter that is declared as one.
    Float,
    /// `None`.
    None,
    /// Anything else.
    Other,
}

/// One call of an operator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeCall {
    /// The operator: `aten::add` for `torch.add`, `ns::name` for `ops.ns.name`.
    pub name: String,
    /// How many values it gives, and which names.
    pub shape: CallShape,
    /// What its values by place are.
    pub kinds: Vec<ArgumentKind>,
    /// Whether it names a `dtype` that is not `None`.
    pub has_dtype: bool,
    /// The line, counted from 1.
    pub line: usize,
    /// Whether it lies in a branch of an `if`.
    pub in_branch: bool,
}

/// What is found in one code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scan {
    /// The calls, in the order in which they end.
    pub calls: Vec<CodeCall>,
    /// The classes registered in C++ that it names: `xnnpack.LinearOpContext`.
    pub classes: BTreeSet<String>,
    /// Whether it has the line `op_version_set = N`, which files of version 1 have.
    pub op_version_set: bool,
}

/// An open bracket, and what was seen in it at its own level.
struct Bracket {
    call: Option<(String, usize)>,
    def: bool,
    shape: CallShape,
    kinds: Vec<ArgumentKind>,
    has_dtype: bool,
    argument: Argument,
}

/// The argument that is being read.
#[derive(Default)]
struct Argument {
    tokens: usize,
    kind: Option<ArgumentKind>,
    name: Option<String>,
    keyword: Option<String>,
    declared: bool,
}

/// Finds the operator calls of `code`.
///
/// # Errors
/// [`Problem::TooDeep`] if brackets nest deeper than in any real code, [`Problem::TooLarge`] if there
/// are more calls.
pub fn scan(code: &str) -> Result<Scan, Problem> {
    let mut scanner = Scanner::default();
    let mut tokens = Tokens::new(code);
    while let Some(token) = tokens.next() {
        scanner.token(token, tokens.line)?;
    }
    Ok(scanner.found)
}

#[derive(Default)]
struct Scanner<'c> {
    found: Scan,
    brackets: Vec<Bracket>,
    /// The blocks around the line: their indentation, and whether an `if` opened them.
    blocks: Vec<(usize, bool)>,
    /// The parameters of the function, as far as their types are numbers.
    parameters: HashMap<String, ArgumentKind>,
    last: Option<Token<'c>>,
    before_last: Option<Token<'c>>,
    in_def: bool,
}

impl<'c> Scanner<'c> {
    fn token(&mut self, token: Token<'c>, line: usize) -> Result<(), Problem> {
        match token {
            Token::Line(indent) => {
                self.blocks.retain(|(opened, _)| *opened < indent);
                self.in_def = false;
            }
            Token::Name(name) => self.name(name),
            Token::Sign(b'(' | b'[' | b'{') => self.open(token, line)?,
            Token::Sign(b')' | b']' | b'}') => {
                self.close();
                if self.found.calls.len() > CALLS {
                    return Err(Problem::TooLarge {
                        what: "the code (counted in calls)".into(),
                        size: self.found.calls.len() as u64,
                        limit: CALLS as u64,
                    });
                }
            }
            Token::Sign(b',') => self.end_argument(),
            Token::Sign(b'=') => self.keyword(),
            Token::Sign(b':') => self.declare(),
            Token::Int => self.value(Some(ArgumentKind::Int)),
            Token::Float => self.value(Some(ArgumentKind::Float)),
            _ => self.value(None),
        }
        self.before_last = self.last.replace(token);
        Ok(())
    }

    fn name(&mut self, name: &'c str) {
        if let Some(Token::Line(indent)) = self.last {
            match name {
                "if" | "elif" | "else" => self.blocks.push((indent, true)),
                "def" => {
                    self.in_def = true;
                    self.parameters.clear();
                }
                "op_version_set" => self.found.op_version_set = true,
                _ => {}
            }
        }
        if let Some(class) = name.strip_prefix(CLASSES)
            && self.found.classes.len() < 1000
        {
            self.found.classes.insert(class.to_owned());
        }
        let parameters = &self.parameters;
        let kind = || match name {
            "None" => ArgumentKind::None,
            _ => parameters.get(name).copied().unwrap_or(ArgumentKind::Other),
        };
        if let Some(bracket) = self.brackets.last_mut() {
            let argument = &mut bracket.argument;
            if argument.declared && argument.tokens == 1 {
                // The type of a parameter: `n: int`.
                let declared = match name {
                    "int" => Some(ArgumentKind::Int),
                    "float" => Some(ArgumentKind::Float),
                    _ => None,
                };
                if let (Some(kind), Some(parameter)) = (declared, argument.name.take()) {
                    self.parameters.insert(parameter, kind);
                }
            } else if argument.tokens == 0 {
                argument.kind = Some(kind());
                // Only a call may have a keyword argument, only a definition declares.
                argument.name = (bracket.call.is_some() || bracket.def).then(|| name.to_owned());
            }
            argument.tokens += 1;
        }
    }

    fn value(&mut self, kind: Option<ArgumentKind>) {
        // A sign in front of a number leaves it a number.
        let signed = matches!(self.last, Some(Token::Sign(b'-' | b'+')));
        if let Some(bracket) = self.brackets.last_mut() {
            let first = bracket.argument.tokens == 0 || (signed && bracket.argument.tokens == 1);
            bracket.argument.kind = if first { kind.or(bracket.argument.kind) } else { None };
            bracket.argument.tokens += 1;
        }
    }

    fn keyword(&mut self) {
        if let Some(bracket) = self.brackets.last_mut() {
            let argument = &mut bracket.argument;
            if bracket.call.is_some() && argument.tokens == 1 && argument.keyword.is_none() {
                argument.keyword = argument.name.take();
                argument.tokens = 0;
                argument.kind = None;
                return;
            }
        }
        self.value(None);
    }

    fn declare(&mut self) {
        if let Some(bracket) = self.brackets.last_mut() {
            bracket.argument.declared = bracket.def;
        }
    }

    fn open(&mut self, sign: Token<'c>, line: usize) -> Result<(), Problem> {
        if self.brackets.len() >= BRACKETS {
            return Err(Problem::TooDeep { limit: BRACKETS });
        }
        let mut call = None;
        if let (Token::Sign(b'('), Some(Token::Name(name))) = (sign, self.last)
            && self.before_last != Some(Token::Dot)
        {
            call = operator(name).map(|name| (name, line));
        }
        let outer_def = self.in_def && self.brackets.is_empty();
        self.value(None);
        self.brackets.push(Bracket {
            call,
            def: outer_def,
            shape: CallShape::default(),
            kinds: Vec::new(),
            has_dtype: false,
            argument: Argument::default(),
        });
        Ok(())
    }

    fn end_argument(&mut self) {
        let Some(bracket) = self.brackets.last_mut() else { return };
        let argument = std::mem::take(&mut bracket.argument);
        if bracket.call.is_none() {
            return;
        }
        match argument.keyword {
            Some(keyword) => {
                let none = argument.kind == Some(ArgumentKind::None) && argument.tokens == 1;
                bracket.has_dtype |= keyword == "dtype" && !none;
                bracket.shape.keywords.push(keyword);
            }
            None if argument.tokens > 0 => {
                bracket.shape.positional += 1;
                let simple = argument.tokens <= 2;
                let kind = argument.kind.filter(|_| simple).unwrap_or(ArgumentKind::Other);
                bracket.kinds.push(kind);
            }
            None => {}
        }
    }

    fn close(&mut self) {
        self.end_argument();
        let Some(Bracket { call: Some((name, line)), shape, kinds, has_dtype, .. }) =
            self.brackets.pop()
        else {
            return;
        };
        let in_branch = self.blocks.iter().any(|(_, branch)| *branch);
        self.found.calls.push(CodeCall { name, shape, kinds, has_dtype, line, in_branch });
    }
}

/// The operator that a callee names, if it does.
fn operator(callee: &str) -> Option<String> {
    if let Some(name) = callee.strip_prefix("torch.") {
        return (!name.contains('.')).then(|| format!("aten::{name}"));
    }
    let (namespace, name) = callee.strip_prefix("ops.")?.split_once('.')?;
    (!name.contains('.')).then(|| format!("{namespace}::{name}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn calls(code: &str) -> Vec<CodeCall> {
        scan(code).unwrap().calls
    }

    #[test]
    fn calls_are_found_with_their_shape_and_place() {
        let code = "def forward(self: __torch__.M,\n    n: int, x: Tensor) -> Tensor:\n  _0 = torch.arange(n, dtype=None, layout=None)\n  if torch.eq(n, 3):\n    y = ops.quantized.relu6(torch.neg(x), True, )\n  return (self).add(_0, x, )\n";
        let found = calls(code);
        let names: Vec<_> = found.iter().map(|c| (c.name.as_str(), c.line, c.in_branch)).collect();
        let want = [
            ("aten::arange", 3, false),
            ("aten::eq", 4, true),
            ("aten::neg", 5, true),
            ("quantized::relu6", 5, true),
        ];
        assert_eq!(names, want);
        let arange = &found[0];
        assert_eq!(arange.shape.positional, 1);
        assert_eq!(arange.shape.keywords, ["dtype", "layout"]);
        assert_eq!(arange.kinds, [ArgumentKind::Int]);
        assert!(!arange.has_dtype);
        assert_eq!(found[3].shape.positional, 2);
    }

    #[test]
    fn what_looks_like_a_call_of_an_operator_and_is_none_is_left_out() {
        for code in [
            "x = \"torch.add(1)\"",
            "# torch.add(1)",
            "x = a.torch.add(1)",
            "x = (a).torch.add(1)",
            "x = __torch__.torch.nn.functional.relu(x)",
            "x = torch.nn.add(1)",
            "mytorch.add(1)",
        ] {
            assert_eq!(calls(code), [], "{code}");
        }
    }

    #[test]
    fn numbers_keep_their_kind_and_expressions_have_none() {
        let found = calls("torch.f(-1, 2.5, [1, 2], n + 1, x=a==b)\n");
        use ArgumentKind::{Float, Int, Other};
        assert_eq!(found[0].kinds, [Int, Float, Other, Other]);
        assert_eq!(found[0].shape.keywords, ["x"]);
    }

    #[test]
    fn classes_are_named_without_their_prefix() {
        let found = scan("  a : __torch__.torch.classes.xnnpack.LinearOpContext\n").unwrap();
        assert_eq!(found.classes.into_iter().collect::<Vec<_>>(), ["xnnpack.LinearOpContext"]);
    }

    #[test]
    fn brackets_without_end_are_refused() {
        assert!(matches!(scan(&"(".repeat(5000)), Err(Problem::TooDeep { .. })));
    }

    proptest! {
        #[test]
        fn any_text_is_scanned(text in "\\PC{0,300}") {
            let _ = scan(&text);
        }

        #[test]
        fn any_tokens_are_scanned(tokens in prop::collection::vec(
            prop::sample::select(vec!["torch.add", "(", ")", ",", "=", "[", "]", "if", "\n  ", "\n", "def", ":", "int", "\"", "'", "\\", "#", "1.", "-", "->", "x"]), 0..100)) {
            let _ = scan(&tokens.concat());
            let _ = scan(&tokens.join(" "));
        }
    }
}
