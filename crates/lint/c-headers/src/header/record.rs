//! Specifiers: the words of a type, and the structs, unions and enumerations that stand in their place.

use super::declaration::{DeclarationFault, Parser, Specifiers, is_language};
use super::declarator::is_qualifier;
use super::expression;
use super::model::{
    CType, EnumDeclaration, Enumerator, FieldDeclaration, HeaderPlace, RecordDeclaration,
    RecordKind, changes_layout,
};
use super::stream::joined;
use super::token::{Token, TokenKind};

impl<'a> Parser<'_, 'a> {
    /// What stands before the declarators.
    pub fn specifiers(&mut self) -> Result<Specifiers, DeclarationFault> {
        let (mut words, mut other) = (String::new(), None);
        let (mut constant, mut typedef) = (false, false);
        let (mut r#static, mut inline, mut r#extern) = (false, false, false);
        let mut attributes = Vec::new();
        loop {
            self.stream.expand(true);
            let found = self.attributes();
            if !found.is_empty() {
                attributes.extend(found);
                continue;
            }
            let taken = !words.is_empty() || other.is_some();
            match self.stream.text_at(0) {
                "const" | "constexpr" | "__const" => constant = true,
                "typedef" => typedef = true,
                "static" => r#static = true,
                "extern" => r#extern = true,
                "inline" | "__inline" | "__inline__" => inline = true,
                "volatile" | "register" | "restrict" | "mutable" | "_Noreturn" | "__volatile__"
                | "__extension__" | "_Thread_local" | "__thread" | "thread_local" | "explicit" => {}
                "struct" | "union" | "class" | "enum" if !taken => {
                    other = Some(self.tagged(&attributes)?);
                    continue;
                }
                word @ ("template" | "using" | "operator" | "friend" | "virtual") => {
                    return Err((self.stream.place(), format!("C++: {word}")));
                }
                word @ ("void" | "char" | "short" | "int" | "long" | "float" | "double"
                | "signed" | "unsigned" | "bool" | "_Bool" | "auto")
                    if other.is_none() =>
                {
                    if !words.is_empty() {
                        words.push(' ');
                    }
                    words.push_str(word);
                }
                word if !taken && self.stream.is_word_at(0) => {
                    if let Some(meant) = self.misspelt(word) {
                        let what = format!("`{word}` is no type; did you mean `{meant}`?");
                        return Err((self.stream.place(), what));
                    }
                    if !is_language(word) && self.is_macro_in_front() {
                        match self.macro_in_front()? {
                            (written, true) => other = Some(CType::named(&written)),
                            (written, false) => attributes.push(written),
                        }
                        continue;
                    }
                    if self.is_attribute_macro() {
                        let word = self.stream.next();
                        attributes.extend(word.map(|token| token.text.into_owned()));
                        continue;
                    }
                    other = Some(CType::named(&self.qualified()?));
                    continue;
                }
                _ => break,
            }
            self.stream.skip();
        }
        let r#type = match other {
            Some(CType::Named { name, .. }) => CType::Named { name, constant },
            Some(other) => other,
            None if words.is_empty() => {
                return Err((self.stream.place(), "a type wanted".to_owned()));
            }
            None => CType::Named { name: words, constant },
        };
        Ok(Specifiers { r#type, typedef, r#static, inline, r#extern, attributes })
    }

    /// Whether a call stands in front of a type or name, and no type in front of a declarator in parentheses.
    fn is_macro_in_front(&self) -> bool {
        if self.stream.text_at(1) != "("
            || matches!(self.stream.text_at(2), "*" | "^" | "&")
            || self.is_pointer_in_parentheses(1)
        {
            return false;
        }
        let end = self.behind_call(1);
        end.is_some_and(|end| self.stream.is_word_at(end) || self.stream.text_at(end) == "*")
    }

    /// A macro with arguments that is not known where a type is wanted, and whether it stands for the type: it does if
    /// only a name follows.
    fn macro_in_front(&mut self) -> Result<(String, bool), DeclarationFault> {
        let place = self.stream.place();
        let Some(end) = self.behind_call(1) else {
            return Err((place, "parentheses without end".to_owned()));
        };
        let another = self.stream.is_word_at(end)
            && (self.stream.is_word_at(end + 1)
                || matches!(self.stream.text_at(end + 1), "*" | "&" | "<" | "::"));
        let keyword = is_of_type(self.stream.text_at(end));
        let written = self.macro_call().map(|(written, _)| written).unwrap_or_default();
        Ok((written, !another && !keyword))
    }

    /// Whether an unknown word says something about the declaration, and the type comes behind it: then it can only be
    /// a macro whose definition is elsewhere.
    fn is_attribute_macro(&self) -> bool {
        let words = (0..16).take_while(|ahead| self.stream.is_word_at(*ahead)).count();
        // `Name open OF((int a))`: the last word wraps the list of parameters.
        let wrapped = self.stream.text_at(words) == "(" && self.stream.text_at(words + 1) == "(";
        let words = words - usize::from(wrapped && words > 1);
        // `Name const* x` is a type, and its qualifier behind it.
        if words < 2 || is_qualifier(self.stream.text_at(1)) {
            return false;
        }
        if (1..words).any(|ahead| is_of_type(self.stream.text_at(ahead)))
            || (!wrapped
                && words < 16
                && self.stream.is_call_at(words - 1)
                && !self.stream.is_remark_at(words - 1)
                && !self.types.contains(self.stream.text_at(0)))
        {
            return true;
        }
        // One of the words is the type. The last one is the name, unless a pointer follows.
        let pointer = matches!(self.stream.text_at(words), "*" | "&" | "<" | "::" | "^");
        let candidates = if pointer { words } else { words - 1 };
        if candidates < 2 {
            return false;
        }
        let weights: Vec<i32> = (0..candidates).map(|ahead| self.weight(ahead)).collect();
        let least = weights.iter().min().copied().unwrap_or_default();
        weights.iter().rposition(|weight| *weight == least).is_some_and(|at| at > 0)
    }

    /// How much a word looks like a macro, and not like a type.
    fn weight(&self, ahead: usize) -> i32 {
        if self.stream.is_macro_at(ahead) {
            return 3;
        }
        let word = self.stream.text_at(ahead);
        if self.types.contains(word) {
            return -2;
        }
        if word.ends_with("_t") {
            return -1;
        }
        let calls = ["CALL", "API", "APIENTRY", "EXPORT", "CDECL", "STDCALL", "CALLBACK", "CONV"];
        let shouted = !word.chars().any(char::is_lowercase);
        i32::from(shouted) + i32::from(shouted && calls.iter().any(|end| word.ends_with(end)))
    }

    /// A name with what C++ may put before and behind it.
    fn qualified(&mut self) -> Result<String, DeclarationFault> {
        let mut name = self.stream.next().map(|token| token.text.into_owned()).unwrap_or_default();
        loop {
            if self.stream.is("::") && self.stream.is_word_at(1) {
                self.stream.skip();
                name.push_str("::");
                name.push_str(&self.stream.next().map(|token| token.text).unwrap_or_default());
            } else if self.stream.is("<") {
                let mut tokens: Vec<Token<'_>> = Vec::new();
                let mut depth = 0_usize;
                loop {
                    let place = self.stream.place();
                    let token = self.stream.next();
                    let Some(token) = token.filter(|t| !matches!(&*t.text, ";" | "{")) else {
                        return Err((place, "template arguments without end".to_owned()));
                    };
                    match &*token.text {
                        "<" => depth += 1,
                        ">" => depth = depth.saturating_sub(1),
                        ">>" => depth = depth.saturating_sub(2),
                        _ => {}
                    }
                    tokens.push(token);
                    if depth == 0 {
                        break;
                    }
                }
                name.push_str(&joined(&tokens));
            } else {
                return Ok(name);
            }
        }
    }

    /// Attributes in all their spellings, as written.
    pub fn attributes(&mut self) -> Vec<String> {
        let mut found = Vec::new();
        loop {
            // Most of what is asked about begins in another way than any attribute.
            if !self.stream.text_at(0).starts_with(['[', '_', 'a']) {
                return found;
            }
            if self.stream.is("[") && self.stream.text_at(1) == "[" {
                let mut tokens = Vec::new();
                while let Some(token) = self.stream.next() {
                    let end = token.text == "]" && self.stream.is("]");
                    tokens.push(token);
                    if end {
                        tokens.extend(self.stream.next());
                        break;
                    }
                }
                found.push(joined(&tokens));
            } else if self.is_attribute_at(0) && self.stream.text_at(1) == "(" {
                let word = self.stream.next().map(|token| token.text).unwrap_or_default();
                let arguments: Vec<String> =
                    self.stream.arguments().iter().map(|a| joined(a)).collect();
                found.push(format!("{word}({})", arguments.join(", ")));
            } else {
                return found;
            }
        }
    }

    /// A struct, union or enumeration: its body, or only its name.
    fn tagged(&mut self, before: &[String]) -> Result<CType, DeclarationFault> {
        self.deeper()?;
        let word = self.stream.next().map(|token| token.text).unwrap_or_default();
        if word == "enum" && matches!(self.stream.text_at(0), "class" | "struct") {
            self.stream.skip();
        }
        let mut attributes = before.to_vec();
        attributes.extend(self.attributes());
        while let Some(attribute) = self.attribute_of_tag() {
            attributes.push(attribute);
            attributes.extend(self.attributes());
        }
        let name = match self.stream.is_word_at(0) && !self.stream.is("final") {
            true => self.qualified()?,
            false => String::new(),
        };
        self.stream.eat("final");
        let mut underlying = String::new();
        let mut base = None;
        if self.stream.is(":") {
            let place = self.stream.place();
            self.stream.skip();
            let mut tokens = Vec::new();
            while !matches!(self.stream.text_at(0), "{" | ";" | "") {
                tokens.extend(self.stream.next());
            }
            underlying = joined(&tokens);
            base = Some(place);
        }
        let found = if self.stream.is("{") {
            if word == "enum" {
                CType::Enum(Box::new(self.enumeration(name, underlying)?))
            } else {
                if let Some(place) = base {
                    return Err((place, "C++: a base class".to_owned()));
                }
                let kind = if word == "union" { RecordKind::Union } else { RecordKind::Struct };
                CType::Record(Box::new(self.record(kind, name, attributes)?))
            }
        } else if name.is_empty() {
            return Err((self.stream.place(), format!("{word} without name and body")));
        } else {
            CType::named(&name)
        };
        self.depth -= 1;
        Ok(found)
    }

    /// A word between `struct` and the name that comes before the body: `struct EXPORT Thing {`. It can only be a macro
    /// whose definition is elsewhere.
    fn attribute_of_tag(&mut self) -> Option<String> {
        let words = (0..8).take_while(|ahead| self.stream.is_word_at(*ahead)).count();
        if words == 1 && self.stream.text_at(1) == "(" && self.stream.text_at(2) != "*" {
            return self.macro_call().map(|(written, _)| written);
        }
        let words = words - usize::from(words > 0 && self.stream.text_at(words - 1) == "final");
        let body = matches!(self.stream.text_at(words), "{" | ":" | "final");
        (words > 1 && body)
            .then(|| self.stream.next().map(|token| token.text.into_owned()))
            .flatten()
    }

    /// A call of a macro that is not known, as it is written, and whether its first argument is a text.
    fn macro_call(&mut self) -> Option<(String, bool)> {
        let name = self.stream.next()?.text;
        let arguments = self.stream.arguments();
        let first = arguments.first().and_then(|argument| argument.first());
        let quoted = first.is_some_and(|token| token.kind == TokenKind::Quoted);
        let arguments: Vec<String> = arguments.iter().map(|argument| joined(argument)).collect();
        Some((format!("{name}({})", arguments.join(", ")), quoted))
    }

    fn enumeration(
        &mut self,
        name: String,
        underlying: String,
    ) -> Result<EnumDeclaration, DeclarationFault> {
        let outside = self.stream.conditions().len();
        self.expect("{")?;
        let mut enumerators = Vec::new();
        let mut next = Some(0_i64);
        while !self.stream.eat("}") {
            // A macro may stand for enumerators.
            self.stream.expand(true);
            if self.stream.eat(",") || self.stream.is("}") {
                continue;
            }
            let place = self.stream.place();
            let conditions = self.stream.conditions().get(outside..).unwrap_or_default().to_vec();
            let Some(named) = self.stream.next() else {
                return Err((place, "an enumeration without end".to_owned()));
            };
            self.behind_enumerator();
            let (mut value, mut expression) = (next, String::new());
            if self.stream.eat("=") {
                let written = self.expression(false);
                expression = joined(&written);
                self.stream.put_back(written);
                let tokens = self.expression(true);
                value = expression::value(&tokens, &self.values)
                    .or_else(|| expression::value(without_attribute(&tokens), &self.values));
            }
            next = value.and_then(|value| value.checked_add(1));
            if let Some(value) = value {
                self.values.insert(named.text.to_string(), value);
            }
            self.stream.eat(",");
            let remark = self.remark(self.stream.last.line);
            let doc = self.doc(place);
            let name = named.text.into_owned();
            enumerators.push(Enumerator {
                place,
                name,
                value,
                expression,
                doc,
                remark,
                conditions,
            });
        }
        Ok(EnumDeclaration { name, underlying, enumerators })
    }

    /// Takes what is said about an enumerator behind its name: attributes, and macros that stand for them.
    fn behind_enumerator(&mut self) {
        loop {
            self.stream.expand(true);
            if !self.attributes().is_empty() {
                continue;
            }
            if !self.stream.is_word_at(0) {
                return;
            }
            self.stream.skip();
            if self.stream.is("(") {
                self.stream.arguments();
            }
        }
    }

    /// The tokens up to the next comma or closing brace, with macros expanded or as they stand.
    fn expression(&mut self, expanded: bool) -> Vec<Token<'a>> {
        let (mut tokens, mut depth) = (Vec::new(), 0_usize);
        loop {
            if expanded {
                self.stream.expand(true);
            }
            match self.stream.text_at(0) {
                "," | "}" if depth == 0 => return tokens,
                "" | ";" => return tokens,
                "(" | "{" => depth += 1,
                ")" | "}" => depth = depth.saturating_sub(1),
                _ => {}
            }
            tokens.extend(self.stream.next());
        }
    }

    fn record(
        &mut self,
        kind: RecordKind,
        name: String,
        mut attributes: Vec<String>,
    ) -> Result<RecordDeclaration, DeclarationFault> {
        let pack = self.stream.peek().map_or(0, |token| token.pack);
        if pack > 0 {
            attributes.push(super::pack::attribute(pack));
        }
        self.expect("{")?;
        let outside = self.stream.conditions().len();
        let mut fields = Vec::new();
        loop {
            self.stream.expand(true);
            let place = self.stream.place();
            if self.stream.eat("}") {
                break;
            }
            if self.stream.eat(";") {
                continue;
            }
            if self.stream.peek().is_none() {
                return Err((place, format!("{name} has no end")));
            }
            if matches!(self.stream.text_at(0), "public" | "private" | "protected")
                && self.stream.text_at(1) == ":"
            {
                self.stream.skip();
                self.stream.skip();
                continue;
            }
            if matches!(self.stream.text_at(0), "static_assert" | "_Static_assert") {
                self.stream.skip();
                self.stream.arguments();
                continue;
            }
            let call = self.stream.is_word_at(0)
                && self.stream.text_at(1) == "("
                && self.stream.text_at(2) != "*"
                && !self.is_pointer_in_parentheses(1)
                && !is_language(self.stream.text_at(0))
                // A constructor of C++.
                && self.stream.text_at(0) != name;
            match if call { self.macro_call() } else { None } {
                // What is said about a field: `DEPRECATED("use x") int y;`.
                Some((_, true)) => {}
                // Nobody knows which fields it stands for, so that it is one of a type that is not declared.
                Some((written, false)) => {
                    let what =
                        format!("a macro that is not known, among the fields of {name}: {written}");
                    self.stream.problem(place, format!("could not read this declaration: {what}"));
                    fields.push(unknown(place, written));
                }
                None => {
                    self.members(place, outside, &mut fields)?;
                }
            }
        }
        attributes.extend(self.attributes());
        Ok(RecordDeclaration { kind, name, fields, attributes })
    }

    /// One declaration inside of a record: one or several fields.
    fn members(
        &mut self,
        place: HeaderPlace,
        outside: usize,
        fields: &mut Vec<FieldDeclaration>,
    ) -> Result<(), DeclarationFault> {
        let conditions = self.stream.conditions();
        let conditions = match outside {
            0 => conditions,
            _ => std::sync::Arc::from(conditions.get(outside..).unwrap_or_default()),
        };
        let mut doc = self.doc(place);
        let specifiers = self.specifiers()?;
        let (mut base, mut shared) = (specifiers.r#type, specifiers.attributes);
        shared.retain(|attribute| changes_layout(attribute));
        // Attributes of a struct that is declared in the place of the type are its own.
        if matches!(base, CType::Record(_)) {
            shared.clear();
        }
        let first = fields.len();
        loop {
            self.behind.clear();
            let declarator = self.declarator()?;
            // What follows a comma has the same type.
            let own = match self.stream.is(";") {
                true => std::mem::replace(&mut base, CType::named("")),
                false => base.clone(),
            };
            let (name, r#type) = declarator.apply(own);
            if matches!(r#type, CType::Function { .. }) {
                return Err((place, format!("C++: a function inside of a record: {name}")));
            }
            let mut bits = None;
            if self.stream.eat(":") {
                let width = self.stream.next().map(|token| token.text).unwrap_or_default();
                // A width that is not a plain number is wider than any type, so that no layout is made.
                bits = Some(width.parse().unwrap_or(u32::MAX));
            }
            if self.stream.eat("=") || self.stream.is("{") {
                self.initializer();
            }
            // An attribute of a field may move it and what stands behind it.
            let mut attributes = shared.clone();
            attributes.extend(self.attributes());
            attributes.append(&mut self.behind);
            attributes.retain(|attribute| changes_layout(attribute));
            let last = self.stream.is(";");
            let doc = if last { std::mem::take(&mut doc) } else { doc.clone() };
            let (conditions, remark) = (std::sync::Arc::clone(&conditions), String::new());
            fields.push(FieldDeclaration {
                place,
                name,
                r#type,
                bits,
                attributes,
                doc,
                remark,
                conditions,
            });
            if last {
                break;
            }
            self.expect(",")?;
        }
        self.stream.skip();
        let remark = self.remark(self.stream.last.line);
        if let Some((last, others)) = fields.get_mut(first..).and_then(<[_]>::split_last_mut) {
            others.iter_mut().for_each(|field| field.remark.clone_from(&remark));
            last.remark = remark;
        }
        Ok(())
    }
}

/// An expression without what is said about the enumerator behind it: no name follows a number or another name.
fn without_attribute<'t, 'a>(tokens: &'t [Token<'a>]) -> &'t [Token<'a>] {
    let ends = |token: &Token<'_>| token.kind != TokenKind::Mark || token.text == ")";
    let pairs = tokens.iter().zip(tokens.iter().skip(1));
    let behind = pairs.take_while(|(a, b)| !(ends(a) && b.kind == TokenKind::Word)).count();
    tokens.get(..=behind).unwrap_or(tokens)
}

/// A field of which only that it is there is known.
fn unknown(place: HeaderPlace, name: String) -> FieldDeclaration {
    let (doc, remark, conditions) = (String::new(), String::new(), std::sync::Arc::default());
    let (r#type, bits, attributes) = (CType::named(&name), None, Vec::new());
    FieldDeclaration { place, r#type, name, bits, attributes, doc, remark, conditions }
}

/// Words that only a type, or what is said of one, begins with.
pub fn is_of_type(word: &str) -> bool {
    matches!(
        word,
        "void"
            | "char"
            | "short"
            | "int"
            | "long"
            | "float"
            | "double"
            | "unsigned"
            | "signed"
            | "bool"
            | "_Bool"
            | "struct"
            | "union"
            | "enum"
            | "extern"
            | "static"
            | "typedef"
            | "inline"
            | "__inline"
            | "__inline__"
            | "__extension__"
    ) || is_qualifier(word)
}
