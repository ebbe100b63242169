//! Constant expressions: values of enumerators, lengths of arrays, conditions of the preprocessor.

use super::depth::DEPTH;
use super::model::Macro;
use super::token::{Token, TokenKind, lex};
use foldhash::{HashMap, HashMapExt as _};

/// The value of a text, if that is a number or an expression of numbers.
pub fn number(text: &str) -> Option<i64> {
    let tokens = lex(text, &mut Vec::new()).tokens;
    value(&tokens, &HashMap::new())
}

/// The value of an expression, with the values of the names that it may use. None if it is not
/// understood or does not fit.
pub fn value(tokens: &[Token<'_>], names: &HashMap<String, i64>) -> Option<i64> {
    let mut reader = ExpressionReader { tokens, at: 0, names: Some(names) };
    let value = reader.binary(0, 0)?;
    let all = reader.at == tokens.len();
    i64::try_from(value).ok().filter(|_| all)
}

/// Whether the expression of a condition is not 0, in which no name is left. None if it is not understood.
pub fn holds(tokens: &[Token<'_>]) -> Option<bool> {
    let mut reader = ExpressionReader { tokens, at: 0, names: None };
    let value = reader.choice(0)?;
    (reader.at == tokens.len()).then_some(value != 0)
}

impl Macro {
    /// The number that it stands for, if it takes no arguments and stands for one.
    pub fn number(&self) -> Option<i64> {
        self.value
    }
}

struct ExpressionReader<'a> {
    tokens: &'a [Token<'a>],
    at: usize,
    /// What names stand for; none for a condition, which compares and chooses instead.
    names: Option<&'a HashMap<String, i64>>,
}

/// Operators of two tokens, and how tightly they bind.
const COMPARING: [(&str, u8); 6] =
    [("||", 1), ("&&", 2), ("==", 6), ("!=", 6), ("<=", 7), (">=", 7)];

/// How tightly an operator binds; none for what is no operator.
fn strength(operator: &str) -> Option<u8> {
    Some(match operator {
        "|" => 3,
        "^" => 4,
        "&" => 5,
        "<" | ">" => 7,
        "<<" | ">>" => 8,
        "+" | "-" => 9,
        "*" | "/" | "%" => 10,
        _ => return None,
    })
}

/// What an operator of arithmetic makes of two numbers.
fn apply(operator: &str, a: i128, b: i128) -> Option<i128> {
    let places = || u32::try_from(b).ok().filter(|places| *places < 64);
    match operator {
        "|" => Some(a | b),
        "^" => Some(a ^ b),
        "&" => Some(a & b),
        "<<" => a.checked_mul(1_i128.checked_shl(places()?)?),
        ">>" => a.checked_shr(places()?),
        "+" => a.checked_add(b),
        "-" => a.checked_sub(b),
        "*" => a.checked_mul(b),
        "/" => a.checked_div(b),
        "%" => a.checked_rem(b),
        _ => None,
    }
}

/// The same in a condition.
fn compare(operator: &str, a: i128, b: i128) -> Option<i128> {
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
        _ => apply(operator, a, b),
    }
}

impl<'a> ExpressionReader<'a> {
    fn text(&self, ahead: usize) -> &'a str {
        self.tokens.get(self.at + ahead).map_or("", |token| &*token.text)
    }

    fn eat(&mut self, text: &str) -> bool {
        let there = self.text(0) == text;
        self.at += usize::from(there);
        there
    }

    /// How many words stand at `ahead` before a closing parenthesis.
    fn type_words(&self, ahead: usize) -> Option<usize> {
        let rest = self.tokens.get(self.at + ahead..)?;
        let words = rest.iter().take_while(|token| token.kind == TokenKind::Word).count();
        (words > 0 && self.text(ahead + words) == ")").then_some(words)
    }

    fn words(&self, ahead: usize, length: usize) -> String {
        let words: Vec<&str> = (ahead..ahead + length).map(|at| self.text(at)).collect();
        words.join(" ")
    }

    /// How many words a cast has behind its opening parenthesis, if it is one.
    fn cast(&self) -> Option<usize> {
        let names = self.names?;
        let length = self.type_words(0)?;
        let behind = self.tokens.get(self.at + length + 1)?;
        let operand = behind.kind != TokenKind::Mark || matches!(&*behind.text, "(" | "-" | "~");
        (operand && !names.contains_key(self.text(0))).then_some(length)
    }

    fn choice(&mut self, depth: usize) -> Option<i128> {
        if self.names.is_some() {
            return self.binary(0, depth);
        }
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
    fn operator(&self) -> Option<(&'a str, u8, usize)> {
        let compares = self.names.is_none();
        for (operator, strength) in COMPARING.into_iter().filter(|_| compares) {
            let (a, b) = operator.split_at(1);
            if self.text(0) == a && self.text(1) == b {
                return Some((operator, strength, 2));
            }
        }
        let operator = self.text(0);
        let known = compares || !matches!(operator, "<" | ">");
        strength(operator).filter(|_| known).map(|strength| (operator, strength, 1))
    }

    fn binary(&mut self, least: u8, depth: usize) -> Option<i128> {
        if depth > DEPTH {
            return None;
        }
        let mut left = self.unary(depth)?;
        while let Some((operator, strength, length)) = self.operator().filter(|o| o.1 > least) {
            self.at += length;
            let right = self.binary(strength, depth + 1)?;
            left = match self.names {
                Some(_) => apply(operator, left, right)?,
                None => compare(operator, left, right)?,
            };
        }
        Some(left)
    }

    fn unary(&mut self, depth: usize) -> Option<i128> {
        if depth > DEPTH {
            return None;
        }
        let token = self.tokens.get(self.at)?;
        self.at += 1;
        match &*token.text {
            "!" if self.names.is_none() => Some(i128::from(self.unary(depth + 1)? == 0)),
            "-" => self.unary(depth + 1)?.checked_neg(),
            "+" => self.unary(depth + 1),
            "~" => Some(!self.unary(depth + 1)?),
            "sizeof" if self.text(0) == "(" => {
                let length = self.type_words(1)?;
                let size = super::layout::plain(&self.words(1, length))?;
                self.at += length + 2;
                Some(i128::from(size))
            }
            "(" if let Some(length) = self.cast() => {
                let name = self.words(0, length);
                self.at += length + 1;
                let value = self.unary(depth + 1)?;
                Some(converted(value, &name))
            }
            "(" => {
                let value = self.choice(depth + 1)?;
                self.eat(")").then_some(value)
            }
            text if matches!(token.kind, TokenKind::Number | TokenKind::Quoted) => literal(text),
            text => self.names?.get(text).map(|value| i128::from(*value)),
        }
    }
}

/// A value as a type of the language has it; other types are taken to hold it.
fn converted(value: i128, name: &str) -> i128 {
    let Some(bits) = super::layout::plain(name).map(|bytes| bytes * 8).filter(|b| *b < 128) else {
        return value;
    };
    let modulus = 1_i128 << bits;
    let low = value.rem_euclid(modulus);
    let unsigned = name.starts_with('u') || name.starts_with("size");
    if unsigned || low < modulus / 2 { low } else { low - modulus }
}

/// The value of a number or a character.
fn literal(text: &str) -> Option<i128> {
    if text.starts_with('\'') {
        return character(text);
    }
    let text = text.replace('\'', "").to_ascii_lowercase();
    let text = text.trim_end_matches(['u', 'l', 'z']);
    if let Some(digits) = text.strip_prefix("0x") {
        return i128::from_str_radix(digits, 16).ok();
    }
    if let Some(digits) = text.strip_prefix("0b") {
        return i128::from_str_radix(digits, 2).ok();
    }
    match text.strip_prefix('0') {
        Some(digits) if !digits.is_empty() => i128::from_str_radix(digits, 8).ok(),
        _ => text.parse().ok(),
    }
}

/// A plain character such as `'a'`; escapes are not understood.
fn character(text: &str) -> Option<i128> {
    let mut inner = text.strip_prefix('\'')?.strip_suffix('\'')?.chars();
    let c = inner.next().filter(|c| *c != '\\')?;
    inner.next().is_none().then_some(i128::from(u32::from(c)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_have_the_values_that_c_gives_them() {
        let cases = [
            ("1u << 3", Some(8)),
            ("1 + 2 * 3", Some(7)),
            ("10 - 3 - 2", Some(5)),
            ("(1 | 4) & ~1", Some(4)),
            ("0x10 + 010", Some(24)),
            ("-(2)", Some(-2)),
            ("'a'", Some(97)),
            ("1 / 0", None),
            ("1 2", None),
            ("NAME", None),
            ("9223372036854775807 + 1", None),
        ];
        for (text, wanted) in cases {
            assert_eq!(number(text), wanted, "{text}");
        }
    }

    #[test]
    fn deep_expressions_are_refused_and_not_overflowed() {
        assert_eq!(number(&"(".repeat(100_000)), None);
        assert_eq!(number(&"-".repeat(100_000)), None);
    }
}
