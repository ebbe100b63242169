//! Declarators: names with pointers, arrays and parameters around them, and the macros that headers put between these.
//!
//! `int WINAPI open(...)`, `int deflate OF((int))`, `typedef int (CALL *Back)(void)`: a macro whose definition is at hand
//! is expanded, and one that is not is told from a name by where it stands.

use super::declaration::{DeclarationFault, Parser};
use super::depth::DEPTH;
use super::expression;
use super::model::{CParameter, CType};
use super::stream::joined;
use super::token::{Token, TokenKind};

/// A declarator inside out.
pub enum Declarator {
    Name(String),
    Pointer(Box<Declarator>, bool),
    Array(Box<Declarator>, Option<u64>, String),
    Function(Box<Declarator>, Vec<CParameter>, bool),
}

impl Declarator {
    /// The name, and its type around `base`.
    pub fn apply(self, base: CType) -> (String, CType) {
        match self {
            Self::Name(name) => (name, base),
            Self::Pointer(inner, constant) => {
                inner.apply(CType::Pointer { to: Box::new(base), constant })
            }
            Self::Array(inner, count, length) => {
                inner.apply(CType::Array { of: Box::new(base), count, length })
            }
            Self::Function(inner, parameters, variadic) => {
                inner.apply(CType::Function { result: Box::new(base), parameters, variadic })
            }
        }
    }
}

impl Parser<'_, '_> {
    pub fn declarator(&mut self) -> Result<Declarator, DeclarationFault> {
        self.deeper()?;
        let found = self.declarator_inner();
        self.depth -= 1;
        found
    }

    fn declarator_inner(&mut self) -> Result<Declarator, DeclarationFault> {
        self.before_name();
        if matches!(self.stream.text_at(0), "*" | "&" | "^") {
            self.stream.skip();
            let mut constant = false;
            while is_qualifier(self.stream.text_at(0)) {
                constant |= matches!(self.stream.text_at(0), "const" | "__const");
                self.stream.skip();
            }
            return Ok(Declarator::Pointer(Box::new(self.declarator()?), constant));
        }
        let mut declarator = if self.is_nested() {
            self.stream.skip();
            let inner = self.declarator()?;
            self.expect(")")?;
            inner
        } else if self.stream.is_word_at(0) {
            Declarator::Name(
                self.stream.next().map(|token| token.text.into_owned()).unwrap_or_default(),
            )
        } else {
            Declarator::Name(String::new())
        };
        for _ in 0..DEPTH {
            self.stream.expand(true);
            if self.stream.is("[") && self.stream.text_at(1) != "[" {
                let (count, length) = self.count();
                declarator = Declarator::Array(Box::new(declarator), count, length);
            } else if self.stream.is("(") {
                let (parameters, variadic) = self.parameters()?;
                declarator = Declarator::Function(Box::new(declarator), parameters, variadic);
            } else if self.is_wrapped_list(&declarator) {
                self.stream.skip();
                self.stream.skip();
                let (parameters, variadic) = self.parameters()?;
                self.expect(")")?;
                declarator = Declarator::Function(Box::new(declarator), parameters, variadic);
            } else if !self.behind_name() {
                return Ok(declarator);
            }
        }
        Err((self.stream.place(), "nested too deeply".to_owned()))
    }

    /// Whether parentheses ahead hold a pointer to a function with what headers say of its calls: `(CALL *name)(`.
    pub fn is_pointer_in_parentheses(&self, ahead: usize) -> bool {
        let skip = |from: usize, is: &dyn Fn(usize) -> bool| (from..from + 8).find(|at| !is(*at));
        let word = |at: usize| self.stream.is_word_at(at);
        let star = |at: usize| matches!(self.stream.text_at(at), "*" | "^");
        let behind = skip(ahead + 1, &word).filter(|at| star(*at)).and_then(|at| skip(at, &star));
        let end = behind.and_then(|at| skip(at, &word).filter(|end| *end > at));
        end.is_some_and(|end| {
            self.stream.text_at(end) == ")" && self.stream.text_at(end + 1) == "("
        })
    }

    /// Whether parentheses begin a declarator, and no list of parameters.
    fn is_nested(&self) -> bool {
        if !self.stream.is("(") {
            return false;
        }
        let mark = |text: &str| matches!(text, "*" | "&" | "^" | "(");
        if mark(self.stream.text_at(1)) {
            return true;
        }
        // Macros that are not known may stand in front: `(CALL *name)`, `(CALL name)`.
        let words = (1..8).take_while(|ahead| self.stream.is_word_at(*ahead)).count();
        let behind = self.stream.text_at(words + 1);
        let pointer = matches!(behind, "*" | "^");
        words > 0 && (pointer || behind == ")") && !self.begins_type(1)
    }

    /// Whether a word ahead is one that only types begin with.
    fn begins_type(&self, ahead: usize) -> bool {
        let word = self.stream.text_at(ahead);
        super::record::is_of_type(word) || self.types.contains(word)
    }

    /// Takes what may stand in front of a name: attributes, and macros that are not known.
    fn before_name(&mut self) {
        for _ in 0..DEPTH {
            self.stream.expand(true);
            let word = self.stream.is_word_at(0);
            let another =
                self.stream.is_word_at(1) || (word && matches!(self.stream.text_at(1), "*" | "^"));
            // `open OF((int a))`: the name, and a macro around its parameters.
            let named = word
                && self.stream.text_at(2) == "("
                && (self.stream.text_at(3) == "(" || self.stream.is_call_at(1));
            if named {
                return;
            }
            if self.stream.is("__extension__") || is_qualifier(self.stream.text_at(0)) {
                self.stream.skip();
            } else if !self.attributes().is_empty() {
            } else if word && another && !matches!(self.stream.text_at(1), "asm" | "__asm__") {
                self.stream.skip();
            } else if word && self.is_call_in_front() {
                self.stream.skip();
                self.stream.arguments();
            } else {
                return;
            }
        }
    }

    /// Whether a macro with arguments that is not known stands in front of a name: `int API(1) open(void)`.
    fn is_call_in_front(&self) -> bool {
        if self.stream.text_at(1) != "(" {
            return false;
        }
        let end = self.behind_call(1);
        end.is_some_and(|end| self.stream.is_word_at(end) && self.stream.text_at(end + 1) == "(")
            && !self.is_wrapper(end)
    }

    /// Whether what stands behind a call belongs to its end: an attribute, or a macro in capitals.
    fn is_wrapper(&self, end: Option<usize>) -> bool {
        let Some(end) = end else { return true };
        // A macro that is known and says something, in whatever letters: `void* grow(void* p) attr_alloc(2);`.
        self.is_attribute_at(end)
            || self.stream.is_remark_at(end)
            || !self.stream.text_at(end).chars().any(char::is_lowercase)
    }

    /// Whether a macro that is not known has the list of parameters as its argument: `name OF((int a))`.
    fn is_wrapped_list(&self, declarator: &Declarator) -> bool {
        !matches!(declarator, Declarator::Function(..))
            && self.stream.is_word_at(0)
            && self.stream.text_at(1) == "("
            && self.stream.text_at(2) == "("
            && !self.is_attribute_at(0)
    }

    pub fn is_attribute_at(&self, ahead: usize) -> bool {
        matches!(
            self.stream.text_at(ahead),
            "__attribute__"
                | "__attribute"
                | "__declspec"
                | "alignas"
                | "_Alignas"
                | "__asm__"
                | "asm"
                | "__asm"
        )
    }

    /// Takes one thing of those that may stand behind a name; whether one was there.
    fn behind_name(&mut self) -> bool {
        let found = self.attributes();
        if !found.is_empty() {
            self.behind.extend(found);
            return true;
        }
        if !self.stream.is_word_at(0) {
            return false;
        }
        let word = self.stream.next();
        self.behind.extend(word.map(|token| token.text.into_owned()));
        if self.stream.is("(") {
            self.stream.arguments();
        }
        true
    }

    /// The length of an array: its number, or how it is written if that is not understood.
    fn count(&mut self) -> (Option<u64>, String) {
        self.stream.skip();
        let mut tokens: Vec<Token<'_>> = Vec::new();
        loop {
            self.stream.expand(true);
            // `[static 4]`, `[restrict]`.
            if self.stream.is("static") || is_qualifier(self.stream.text_at(0)) {
                self.stream.skip();
                continue;
            }
            if self.stream.is("]") || self.stream.is(";") || self.stream.peek().is_none() {
                break;
            }
            tokens.extend(self.stream.next());
        }
        self.stream.eat("]");
        let value = expression::value(&tokens, &self.values);
        let count = value.and_then(|count| u64::try_from(count).ok());
        let length = if count.is_some() { String::new() } else { joined(&tokens) };
        (count, length)
    }

    fn parameters(&mut self) -> Result<(Vec<CParameter>, bool), DeclarationFault> {
        self.expect("(")?;
        let mut parameters = Vec::new();
        self.stream.expand(true);
        if self.stream.is("void") && self.stream.text_at(1) == ")" {
            self.stream.skip();
        }
        // A macro that stands for the whole list: `(void)`.
        if self.stream.is("(") && self.stream.text_at(1) == "void" && self.stream.text_at(2) == ")"
        {
            self.stream.arguments();
        }
        loop {
            if self.stream.eat(")") {
                return Ok((parameters, false));
            }
            if self.stream.eat("...") {
                self.expect(")")?;
                return Ok((parameters, true));
            }
            let base = self.specifiers()?.r#type;
            let (name, r#type) = self.declarator()?.apply(base);
            if self.stream.eat("=") {
                self.initializer();
            }
            parameters.push(CParameter { name, r#type });
            if !self.stream.is(")") {
                self.expect(",")?;
            }
            self.stream.expand(true);
        }
    }

    /// The token behind the parentheses that open at `ahead`, if they end soon.
    pub fn behind_call(&self, ahead: usize) -> Option<usize> {
        let mut depth = 0_usize;
        for at in ahead..ahead + 512 {
            let token = self.stream.peek_at(at)?;
            match &*token.text {
                _ if token.kind == TokenKind::Quoted => {}
                "(" => depth += 1,
                ")" if depth <= 1 => return Some(at + 1),
                ")" => depth -= 1,
                _ => {}
            }
        }
        None
    }
}

/// Words that say something about a pointer or an object, and are no part of its name.
pub fn is_qualifier(word: &str) -> bool {
    matches!(
        word,
        "const"
            | "__const"
            | "volatile"
            | "__volatile__"
            | "restrict"
            | "__restrict"
            | "__restrict__"
            | "_Nonnull"
            | "_Nullable"
            | "_Atomic"
    )
}
