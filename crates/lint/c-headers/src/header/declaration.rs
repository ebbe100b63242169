//! Declarations at the top of a header, and what all declarations share: specifiers and declarators.

use super::declarator::Declarator;
use super::depth::DEPTH;
use super::inclusion::HeaderSet;
use super::model::{CType, Declaration, HeaderItem, HeaderPlace, HeaderProblem};
use super::stream::{Stream, joined};
use super::token::{Comment, TokenKind};
use foldhash::{HashMap, HashSet};

/// How many comments are looked at one by one before they are searched.
const NEAR: usize = 4;

/// What went wrong with one declaration.
pub type DeclarationFault = (HeaderPlace, String);

/// What stands before the declarators of a declaration.
pub struct Specifiers {
    pub r#type: CType,
    pub typedef: bool,
    pub r#static: bool,
    pub inline: bool,
    pub r#extern: bool,
    /// Attributes as written.
    pub attributes: Vec<String>,
}

pub struct Parser<'s, 'a> {
    pub stream: &'s mut Stream<'a>,
    comments: &'s [Comment<'a>],
    declarations: Vec<Declaration>,
    /// The values of the enumerators so far.
    pub values: HashMap<String, i64>,
    /// The names of the types so far, and of those in headers that are included.
    pub types: HashSet<String>,
    /// Attributes that stand behind the name that was read last.
    pub behind: Vec<String>,
    /// How many braces of `extern "C"` and namespaces are open.
    open: usize,
    pub depth: usize,
    /// The first and last lines of what could not be read.
    unread: Vec<(u32, u32)>,
    /// The line of the last declaration with a long comment.
    documented: u32,
    /// How many comments end before the line that was asked for last.
    passed: usize,
}

impl<'s, 'a> Parser<'s, 'a> {
    pub fn new(
        stream: &'s mut Stream<'a>,
        comments: &'s [Comment<'a>],
        together: &HeaderSet,
    ) -> Self {
        let (declarations, values) = (Vec::new(), together.values.clone());
        Self {
            stream,
            comments,
            declarations,
            values,
            types: together.types.clone(),
            behind: Vec::new(),
            open: 0,
            depth: 0,
            unread: Vec::new(),
            documented: 0,
            passed: 0,
        }
    }

    /// The declarations, what is wrong with others, and on which lines these stand.
    pub fn finish(self) -> (Vec<Declaration>, Vec<HeaderProblem>, Vec<(u32, u32)>) {
        (self.declarations, std::mem::take(&mut self.stream.problems), self.unread)
    }

    pub fn items(&mut self) {
        loop {
            self.stream.expand(false);
            let place = self.stream.place();
            if self.stream.peek().is_none() {
                return;
            }
            self.depth = 0;
            if let Err((at, what)) = self.item(place) {
                self.stream.problem(at, format!("could not read this declaration: {what}"));
                self.recover();
                self.unread.push((place.line, self.stream.last.line));
            }
        }
    }

    /// Goes on behind the next `;` or the body that is begun.
    fn recover(&mut self) {
        let mut depth = 0_usize;
        while let Some(token) = self.stream.next() {
            match &*token.text {
                "{" => depth += 1,
                "}" if depth <= 1 => return,
                "}" => depth -= 1,
                ";" if depth == 0 => return,
                _ => {}
            }
        }
    }

    fn item(&mut self, place: HeaderPlace) -> Result<(), DeclarationFault> {
        if self.stream.eat(";") {
            return Ok(());
        }
        // Macros of systems that open and close a block for C++.
        let word = self.stream.text_at(0);
        if word.ends_with("BEGIN_DECLS") || word.ends_with("END_DECLS") {
            self.stream.skip();
            return Ok(());
        }
        if self.stream.eat("}") {
            return match self.open.checked_sub(1) {
                Some(open) => {
                    self.open = open;
                    Ok(())
                }
                None => {
                    self.stream.problem(place, "a brace that nothing opened");
                    Ok(())
                }
            };
        }
        if self.transparent() {
            self.open += 1;
            return Ok(());
        }
        let before = self.declarations.len();
        let (doc, conditions) = (self.doc(place), self.stream.conditions());
        let invocation = self.stream.is_word_at(0)
            && self.stream.text_at(1) == "("
            && self.stream.text_at(2) != "*"
            && !self.is_pointer_in_parentheses(1)
            && !is_language(self.stream.text_at(0));
        // How headers announce sizes is judged as it is written.
        let announces = self.stream.text_at(0).ends_with("_STRUCT_TRAITS");
        if matches!(self.stream.text_at(0), "static_assert" | "_Static_assert") {
            self.stream.skip();
            let text = self.stream.arguments().iter().map(|a| joined(a)).collect::<Vec<_>>();
            self.push(place, HeaderItem::Assertion(text.join(", ")));
        } else if invocation && !announces && self.stream.is_call_at(0) {
            // Whatever the macro stands for is read next.
            self.stream.expand(true);
        } else if invocation && !self.begins_declaration() {
            self.invocation(place);
        } else {
            self.declaration(place)?;
        }
        if let Some((last, others)) =
            self.declarations.get_mut(before..).and_then(<[_]>::split_last_mut)
        {
            for declared in others {
                declared.conditions = conditions.clone();
                declared.doc.clone_from(&doc);
            }
            (last.doc, last.conditions) = (doc, conditions);
        }
        Ok(())
    }

    /// Whether a macro with arguments that is not known stands in front of a declaration, on the same line, and not
    /// for itself: `API(int) open(void);`.
    pub fn begins_declaration(&self) -> bool {
        let Some(end) = self.behind_call(1) else { return false };
        let line = self.stream.peek_at(end - 1).map(|token| token.place.line);
        let follows = self.stream.peek_at(end).is_some_and(|token| Some(token.place.line) == line);
        follows && (self.stream.is_word_at(end) || self.stream.text_at(end) == "*")
    }

    /// Takes the beginning of a block whose declarations count as if it were not there.
    fn transparent(&mut self) -> bool {
        let linkage = self.stream.is("extern")
            && self.stream.peek_at(1).is_some_and(|token| token.kind == TokenKind::Quoted);
        if linkage {
            self.stream.skip();
            self.stream.skip();
            return self.stream.eat("{");
        }
        let inline = usize::from(self.stream.is("inline"));
        if self.stream.text_at(inline) != "namespace" {
            return false;
        }
        let mut ahead = inline + 1;
        while ahead < DEPTH && (self.stream.is_word_at(ahead) || self.stream.text_at(ahead) == "::")
        {
            ahead += 1;
        }
        let block = self.stream.text_at(ahead) == "{";
        for _ in 0..if block { ahead + 1 } else { 0 } {
            self.stream.skip();
        }
        block
    }

    fn invocation(&mut self, place: HeaderPlace) {
        let Some(name) = self.stream.next() else { return };
        let arguments = self.stream.arguments().iter().map(|a| joined(a)).collect();
        if self.stream.is("{") {
            self.body();
        }
        self.push(place, HeaderItem::Invocation { name: name.text.into_owned(), arguments });
    }

    pub fn push(&mut self, place: HeaderPlace, item: HeaderItem) {
        if is_type(&item) {
            self.types.insert(item.name().to_owned());
        }
        let (doc, conditions) = (String::new(), std::sync::Arc::default());
        self.declarations.push(Declaration { place, doc, conditions, item });
    }

    /// Skips a body in braces.
    pub fn body(&mut self) {
        let mut depth = 0_usize;
        while let Some(token) = self.stream.next() {
            match &*token.text {
                "{" => depth += 1,
                "}" if depth <= 1 => return,
                "}" => depth -= 1,
                _ => {}
            }
        }
    }

    fn declaration(&mut self, place: HeaderPlace) -> Result<(), DeclarationFault> {
        let specifiers = self.specifiers()?;
        let (mut base, typedef) = (specifiers.r#type, specifiers.typedef);
        let (r#static, inline) = (specifiers.r#static, specifiers.inline);
        if self.stream.is(";") {
            self.emit(place, base);
            self.stream.skip();
            return Ok(());
        }
        let mut first = true;
        loop {
            self.behind.clear();
            let declarator = self.declarator()?;
            let label = label(&self.behind);
            let body = matches!(base, CType::Record(_) | CType::Enum(_));
            if let (true, Declarator::Name(name)) = (typedef && first && body, &declarator) {
                // A typedef names what has no tag; a tag of the same name needs no other entry.
                let tag = self.emit(place, adopt(base, name));
                base = CType::named(&tag);
                if tag != *name {
                    let (name, r#type) = declarator.apply(base.clone());
                    self.push(place, HeaderItem::Typedef { name, r#type });
                }
            } else {
                // What has a tag is known by it.
                let written_out = base.clone();
                if body {
                    let tag = self.emit(place, base);
                    base = CType::named(&tag);
                }
                let tagless = matches!(&base, CType::Named { name, .. } if name.is_empty());
                let (name, r#type) =
                    declarator.apply(if tagless { written_out } else { base.clone() });
                let opaque = matches!(&r#type, CType::Named { name: of, .. } if *of == name);
                let value = if self.stream.eat("=") { self.initializer() } else { String::new() };
                self.push(
                    place,
                    match &r#type {
                        _ if typedef && opaque => HeaderItem::Opaque(name),
                        _ if typedef => HeaderItem::Typedef { name, r#type },
                        CType::Function { .. } => {
                            let internal = r#static || (inline && self.stream.is("{"));
                            HeaderItem::Function { name, r#type, label, internal }
                        }
                        _ => {
                            let external = !r#static && (specifiers.r#extern || value.is_empty());
                            HeaderItem::Variable { name, r#type, value, external }
                        }
                    },
                );
            }
            first = false;
            if self.stream.is("{") {
                if !matches!(
                    self.declarations.last().map(|last| &last.item),
                    Some(HeaderItem::Function { .. })
                ) {
                    self.no_body(&base)?;
                }
                self.body();
                return Ok(());
            }
            if self.stream.eat(";") {
                return Ok(());
            }
            self.expect(",")?;
        }
    }

    /// Refuses a body that is no initializer: what stands before it is no type.
    fn no_body(&mut self, base: &CType) -> Result<(), DeclarationFault> {
        let mut depth = 0_usize;
        for ahead in 0..4096 {
            match self.stream.text_at(ahead) {
                "{" => depth += 1,
                "" => break,
                "}" if depth <= 1 => break,
                "}" => depth -= 1,
                ";" => {
                    // What was declared is no more than the words before the body.
                    self.declarations.pop();
                    let what = format!("a body behind `{base}`, which is no struct, union or enum");
                    return Err((self.stream.place(), what));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// What a variable or field is set to, as written.
    pub fn initializer(&mut self) -> String {
        let (mut tokens, mut depth) = (Vec::new(), 0_usize);
        while let Some(token) = self.stream.peek() {
            match &*token.text {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" if depth == 0 => break,
                ")" | "]" | "}" => depth -= 1,
                ";" | "," if depth == 0 => break,
                _ => {}
            }
            tokens.extend(self.stream.next());
        }
        joined(&tokens)
    }

    /// Declares a record or enumeration for itself; returns its name.
    fn emit(&mut self, place: HeaderPlace, r#type: CType) -> String {
        match r#type {
            CType::Record(record) => {
                let name = record.name.clone();
                self.push(place, HeaderItem::Record(*record));
                name
            }
            CType::Enum(r#enum) => {
                let name = r#enum.name.clone();
                self.push(place, HeaderItem::Enum(*r#enum));
                name
            }
            CType::Named { name, .. } => {
                self.push(place, HeaderItem::Opaque(name.clone()));
                name
            }
            _ => String::new(),
        }
    }

    pub fn expect(&mut self, text: &str) -> Result<(), DeclarationFault> {
        if self.stream.eat(text) {
            return Ok(());
        }
        let place = self.stream.place();
        let found = self.stream.text_at(0).chars().take(40).collect::<String>();
        Err((place, format!("{text} wanted, found {found}")))
    }

    /// Goes one level deeper; too deep is a fault.
    pub fn deeper(&mut self) -> Result<(), DeclarationFault> {
        self.depth += 1;
        if self.depth > DEPTH {
            return Err((self.stream.place(), "nested too deeply".to_owned()));
        }
        Ok(())
    }

    /// The comment that ends right above a line, with those that lead up to it.
    ///
    /// One of more than a hundred lines belongs to the first declaration of its line alone, so that many declarations on
    /// one line do not each have a copy of it.
    pub fn doc(&mut self, place: HeaderPlace) -> String {
        let mut end = self.comments_before(place.line);
        let mut wanted = place.line;
        let last = end;
        while let Some(comment) = end.checked_sub(1).and_then(|last| self.comments.get(last)) {
            let joins = !comment.behind && comment.last_line.saturating_add(1) == wanted;
            if !joins || last - end > 999 {
                break;
            }
            (wanted, end) = (comment.first_line, end - 1);
        }
        let long = last - end > 100;
        if long && std::mem::replace(&mut self.documented, place.line) == place.line {
            return String::new();
        }
        let mut text = String::new();
        for (index, comment) in self.comments.get(end..last).unwrap_or_default().iter().enumerate()
        {
            if index > 0 {
                text.push('\n');
            }
            comment.append_to(&mut text);
        }
        text
    }

    /// How many comments end before a line. Most questions are about a line behind the last one, and near it.
    fn comments_before(&mut self, line: u32) -> usize {
        let before = |comment: &Comment<'_>| comment.last_line < line;
        let passed = self.comments.get(..self.passed).unwrap_or_default();
        let from = if passed.last().is_some_and(before) { passed.len() } else { 0 };
        let ahead = self.comments.get(from..).unwrap_or_default();
        let near = ahead.iter().take(NEAR).take_while(|comment| before(comment)).count();
        self.passed = from + if near < NEAR { near } else { ahead.partition_point(before) };
        self.passed
    }

    /// The comment behind something that ends on a line.
    pub fn remark(&mut self, line: u32) -> String {
        let at = self.comments_before(line);
        let found = self.comments.get(at).filter(|c| c.behind && c.first_line == line);
        found.map(Comment::text).unwrap_or_default()
    }
}

/// Whether what is declared may stand where a type does.
pub fn is_type(item: &HeaderItem) -> bool {
    matches!(
        item,
        HeaderItem::Record(_)
            | HeaderItem::Opaque(_)
            | HeaderItem::Enum(_)
            | HeaderItem::Typedef { .. }
    )
}

/// The name that an `asm` label gives to a symbol; empty if there is none.
fn label(attributes: &[String]) -> String {
    let is_label = |attribute: &&String| {
        let behind = attribute.trim_start_matches('_').strip_prefix("asm");
        behind.is_some_and(|behind| behind.trim_start_matches('_').starts_with('('))
    };
    let found = attributes.iter().find(is_label).map_or("", String::as_str);
    found.split('"').skip(1).step_by(2).collect()
}

/// A record or enumeration without a tag takes the name of its typedef.
fn adopt(r#type: CType, name: &str) -> CType {
    match r#type {
        CType::Record(mut record) if record.name.is_empty() => {
            name.clone_into(&mut record.name);
            CType::Record(record)
        }
        CType::Enum(mut r#enum) if r#enum.name.is_empty() => {
            name.clone_into(&mut r#enum.name);
            CType::Enum(r#enum)
        }
        other => other,
    }
}

/// Words that may stand before parentheses and are no macro.
pub fn is_language(word: &str) -> bool {
    matches!(
        word,
        "alignas"
            | "_Alignas"
            | "__attribute__"
            | "__declspec"
            | "__extension__"
            | "__attribute"
            | "_Atomic"
            | "decltype"
            | "operator"
            | "void"
            | "char"
            | "short"
            | "int"
            | "long"
            | "float"
            | "double"
            | "signed"
            | "unsigned"
            | "bool"
            | "_Bool"
            | "auto"
    )
}
