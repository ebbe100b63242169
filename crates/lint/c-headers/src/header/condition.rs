//! Whether a condition of the preprocessor holds where nothing but the headers themselves defines macros: on 64-bit
//! Linux, in C, with a compiler that says what GCC says of itself.

use super::macros::Macros;
use super::model::{Macro, Place};
use super::stream::substituted;
use super::token::{Kind, Token, lex};

/// How deeply expressions and expansions may be nested.
const DEPTH: usize = 32;
/// How many bytes of tokens one condition may expand to.
const BUDGET: usize = 1 << 14;

/// What a compiler or its limits.h defines.
const PREDEFINED: [(&str, i128); 25] = [
    ("__STDC__", 1),
    ("__STDC_VERSION__", 201_710),
    ("__STDC_HOSTED__", 1),
    ("__GNUC__", 12),
    ("__GNUC_MINOR__", 2),
    ("__GNUC_PATCHLEVEL__", 0),
    ("__linux__", 1),
    ("__linux", 1),
    ("__gnu_linux__", 1),
    ("__unix__", 1),
    ("__unix", 1),
    ("__ELF__", 1),
    ("__x86_64__", 1),
    ("__LP64__", 1),
    ("_LP64", 1),
    ("__CHAR_BIT__", 8),
    ("__SIZEOF_POINTER__", 8),
    ("USHRT_MAX", 0xffff),
    ("INT_MAX", 0x7fff_ffff),
    ("UINT_MAX", 0xffff_ffff),
    ("LONG_MAX", 0x7fff_ffff_ffff_ffff),
    ("ULONG_MAX", 0xffff_ffff_ffff_ffff),
    ("SIZE_MAX", 0xffff_ffff_ffff_ffff),
    ("UINTPTR_MAX", 0xffff_ffff_ffff_ffff),
    ("CHAR_BIT", 8),
];

fn predefined(name: &str) -> Option<i128> {
    PREDEFINED.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
}

/// Whether a name is defined at a place.
pub fn defined(name: &str, place: Place, macros: &Macros<'_>) -> bool {
    predefined(name).is_some() || macros.at(name, place).is_some()
}

/// Whether the expression of an `#if` holds at a place. None if it is not understood.
pub fn holds(text: &str, place: Place, macros: &Macros<'_>) -> Option<bool> {
    let tokens = lex(text, &mut Vec::new()).tokens;
    let mut budget = BUDGET;
    let tokens = expanded(&tokens, (place, macros), &mut budget, 0)?;
    let mut reader = Reader { tokens: &tokens, at: 0 };
    let value = reader.choice(0)?;
    (reader.at == tokens.len()).then_some(value != 0)
}

/// Tokens with `defined` answered and macros in their place.
fn expanded(
    tokens: &[Token],
    at: (Place, &Macros<'_>),
    budget: &mut usize,
    depth: usize,
) -> Option<Vec<Token>> {
    if depth > DEPTH {
        return None;
    }
    let (place, macros) = at;
    let mut out = Vec::with_capacity(tokens.len());
    let mut index = 0;
    while let Some(token) = tokens.get(index) {
        index += 1;
        if token.kind != Kind::Word {
            out.push(token.clone());
            continue;
        }
        if token.text == "defined" {
            let open = usize::from(tokens.get(index).is_some_and(|t| t.text == "("));
            let name = &tokens.get(index + open)?.text;
            index += 1 + 2 * open;
            out.push(number(token, i128::from(defined(name, place, macros))));
        } else if token.text.starts_with("__has_") {
            index += call(tokens.get(index..)?)?.1;
            out.push(number(token, 0));
        } else if let Some(value) = predefined(&token.text) {
            out.push(number(token, value));
        } else if let Some(found) = macros.at(&token.text, place) {
            let arguments = match &found.parameters {
                None => Vec::new(),
                Some(_) => {
                    let (arguments, length) = call(tokens.get(index..)?)?;
                    index += length;
                    arguments
                }
            };
            let body = body(found, &arguments, budget)?;
            out.extend(expanded(&body, at, budget, depth + 1)?);
        } else {
            // A name that is not defined is 0, whatever it is called with.
            index += call(tokens.get(index..)?).map_or(0, |(_, length)| length);
            out.push(number(token, 0));
        }
    }
    Some(out)
}

fn body(of: &Macro, arguments: &[Vec<Token>], budget: &mut usize) -> Option<Vec<Token>> {
    let body = substituted(of, arguments, budget)?;
    // A macro that stands for itself ends here.
    Some(body.into_iter().filter(|token| token.text != of.name).collect())
}

fn number(like: &Token, value: i128) -> Token {
    Token { kind: Kind::Number, text: value.to_string(), ..like.clone() }
}

/// The arguments in parentheses at the front, and how many tokens they take.
fn call(tokens: &[Token]) -> Option<(Vec<Vec<Token>>, usize)> {
    tokens.first().filter(|token| token.text == "(")?;
    let (mut arguments, mut depth) = (vec![Vec::new()], 0_usize);
    for (index, token) in tokens.iter().enumerate().skip(1) {
        match token.text.as_str() {
            "(" => depth += 1,
            ")" if depth == 0 => return Some((arguments, index + 1)),
            ")" => depth -= 1,
            _ => {}
        }
        match arguments.last_mut() {
            _ if depth == 0 && token.text == "," => arguments.push(Vec::new()),
            Some(last) => last.push(token.clone()),
            None => {}
        }
    }
    None
}

struct Reader<'t> {
    tokens: &'t [Token],
    at: usize,
}

impl Reader<'_> {
    fn text(&self, ahead: usize) -> &str {
        self.tokens.get(self.at + ahead).map_or("", |token| token.text.as_str())
    }

    fn eat(&mut self, text: &str) -> bool {
        let there = self.text(0) == text;
        self.at += usize::from(there);
        there
    }

    fn choice(&mut self, depth: usize) -> Option<i128> {
        let condition = self.binary(0, depth + 1)?;
        if !self.eat("?") {
            return Some(condition);
        }
        let yes = self.choice(depth + 1)?;
        if !self.eat(":") {
            return None;
        }
        let no = self.choice(depth + 1)?;
        Some(if condition != 0 { yes } else { no })
    }

    /// The operator in front, its strength and how many tokens it is written with.
    fn operator(&self) -> Option<(&'static str, u8, usize)> {
        let two = [("||", 1), ("&&", 2), ("==", 6), ("!=", 6), ("<=", 7), (">=", 7)];
        for (operator, strength) in two {
            let (a, b) = operator.split_at(1);
            if self.text(0) == a && self.text(1) == b {
                return Some((operator, strength, 2));
            }
        }
        let one = [
            ("|", 3),
            ("^", 4),
            ("&", 5),
            ("<", 7),
            (">", 7),
            ("<<", 8),
            (">>", 8),
            ("+", 9),
            ("-", 9),
            ("*", 10),
            ("/", 10),
            ("%", 10),
        ];
        let found = one.into_iter().find(|(operator, _)| self.text(0) == *operator);
        found.map(|(operator, strength)| (operator, strength, 1))
    }

    fn binary(&mut self, least: u8, depth: usize) -> Option<i128> {
        if depth > DEPTH {
            return None;
        }
        let mut left = self.unary(depth)?;
        while let Some((operator, strength, length)) = self.operator().filter(|o| o.1 > least) {
            self.at += length;
            let right = self.binary(strength, depth + 1)?;
            left = apply(operator, left, right)?;
        }
        Some(left)
    }

    fn unary(&mut self, depth: usize) -> Option<i128> {
        if depth > DEPTH {
            return None;
        }
        let token = self.tokens.get(self.at)?;
        self.at += 1;
        match token.text.as_str() {
            "!" => Some(i128::from(self.unary(depth + 1)? == 0)),
            "-" => self.unary(depth + 1)?.checked_neg(),
            "+" => self.unary(depth + 1),
            "~" => Some(!self.unary(depth + 1)?),
            "(" => {
                let value = self.choice(depth + 1)?;
                self.eat(")").then_some(value)
            }
            text if matches!(token.kind, Kind::Number | Kind::Quoted) => {
                super::expression::literal(text)
            }
            _ => None,
        }
    }
}

fn apply(operator: &str, a: i128, b: i128) -> Option<i128> {
    let truth = |value: bool| Some(i128::from(value));
    match operator {
        "||" => truth(a != 0 || b != 0),
        "&&" => truth(a != 0 && b != 0),
        "==" => truth(a == b),
        "!=" => truth(a != b),
        "<=" => truth(a <= b),
        ">=" => truth(a >= b),
        "<" => truth(a < b),
        ">" => truth(a > b),
        // What stands on the side that does not count may divide by zero.
        "/" | "%" if b == 0 => Some(0),
        _ => super::expression::apply(operator, a, b),
    }
}
