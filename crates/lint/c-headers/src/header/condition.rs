//! Conditions of the preprocessor where nothing but the headers themselves defines macros: on 64-bit
//! Linux, in C, with a compiler that says what GCC says of itself.

use super::expression;
use super::macros::{Macros, substituted};
use super::model::Macro;
use super::token::{Token, TokenKind, lex};

/// How deeply expansions may be nested.
const DEPTH: usize = 32;
/// How many bytes of tokens one condition may expand to.
const BUDGET: usize = 1 << 14;

/// What a compiler or its limits.h defines.
const PREDEFINED: [(&str, i128); 36] = [
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
    ("__x86_64", 1),
    ("__amd64__", 1),
    ("__SIZEOF_INT__", 4),
    ("__SIZEOF_LONG__", 8),
    ("__SIZEOF_SIZE_T__", 8),
    ("__BYTE_ORDER__", 1234),
    ("__ORDER_LITTLE_ENDIAN__", 1234),
    ("__ORDER_BIG_ENDIAN__", 4321),
    ("__INT_MAX__", 0x7fff_ffff),
    ("INT64_MAX", 0x7fff_ffff_ffff_ffff),
    ("UINT64_MAX", 0xffff_ffff_ffff_ffff),
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

/// Whether a name is defined behind what was read so far.
pub fn defined(name: &str, macros: &Macros) -> bool {
    predefined(name).is_some() || macros.now(name).is_some()
}

/// Whether the expression of an `#if` holds. None if it is not understood.
pub fn holds(text: &str, macros: &Macros) -> Option<bool> {
    let tokens = lex(text, &mut Vec::new()).tokens;
    let mut budget = BUDGET;
    let tokens = expanded(&tokens, macros, &mut budget, 0)?;
    expression::holds(&tokens)
}

/// Tokens with `defined` answered and macros in their place.
fn expanded<'a>(
    tokens: &[Token<'a>],
    macros: &'a Macros,
    budget: &mut usize,
    depth: usize,
) -> Option<Vec<Token<'a>>> {
    if depth > DEPTH {
        return None;
    }
    let mut out = Vec::with_capacity(tokens.len());
    let mut index = 0;
    while let Some(token) = tokens.get(index) {
        index += 1;
        if token.kind != TokenKind::Word {
            out.push(token.clone());
            continue;
        }
        if token.text == "defined" {
            let open = usize::from(tokens.get(index).is_some_and(|t| t.text == "("));
            let name = &tokens.get(index + open)?.text;
            index += 1 + 2 * open;
            out.push(number(token, i128::from(defined(name, macros))));
        } else if token.text.starts_with("__has_") {
            index += call(tokens.get(index..)?)?.1;
            out.push(number(token, 0));
        } else if let Some(value) = predefined(&token.text) {
            out.push(number(token, value));
        } else if let Some(found) = macros.now(&token.text) {
            let (arguments, length) = arguments_of(found, tokens.get(index..)?)?;
            index += length;
            let body = body(found, &arguments, budget)?;
            out.extend(expanded(&body, macros, budget, depth + 1)?);
        } else {
            // A name that is not defined is 0, whatever it is called with.
            index += call(tokens.get(index..)?).map_or(0, |(_, length)| length);
            out.push(number(token, 0));
        }
    }
    Some(out)
}

fn body<'a>(
    of: &'a Macro,
    arguments: &[Vec<Token<'a>>],
    budget: &mut usize,
) -> Option<Vec<Token<'a>>> {
    let body = substituted(of, arguments, budget)?;
    // A macro that stands for itself ends here.
    Some(body.into_iter().filter(|token| token.text != of.name).collect())
}

fn number<'a>(like: &Token<'a>, value: i128) -> Token<'a> {
    Token { kind: TokenKind::Number, text: value.to_string().into(), ..like.clone() }
}

/// The arguments of a macro that stands before the tokens, and how many tokens they take: none for one without parameters.
pub fn arguments_of<'a>(of: &Macro, behind: &[Token<'a>]) -> Option<(Vec<Vec<Token<'a>>>, usize)> {
    if of.parameters.is_none() { Some((Vec::new(), 0)) } else { call(behind) }
}

/// The arguments in parentheses at the front, and how many tokens they take.
pub fn call<'a>(tokens: &[Token<'a>]) -> Option<(Vec<Vec<Token<'a>>>, usize)> {
    tokens.first().filter(|token| token.text == "(")?;
    let (mut arguments, mut depth) = (vec![Vec::new()], 0_usize);
    for (index, token) in tokens.iter().enumerate().skip(1) {
        match &*token.text {
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
