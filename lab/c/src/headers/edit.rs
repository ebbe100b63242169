//! One edit of a header, chosen at random among those that a declaration of it allows.

use unskew_c_headers::header::{CType, FieldDeclaration, Header, HeaderItem};
use unskew_random::Random;

/// What a compiler is asked about.
#[derive(Clone, Debug)]
pub enum Subject {
    /// A struct, as C names it, and its fields with their types.
    Record { name: String, fields: Vec<(String, String)>, extensible: bool },
    /// A function and its type.
    Function { name: String, r#type: String },
    /// A value of an enumeration.
    Enumerator { name: String },
}

/// Lines that others take the place of.
#[derive(Clone, Debug)]
pub struct Edit {
    pub what: &'static str,
    pub at: usize,
    pub remove: usize,
    pub insert: Vec<String>,
    pub subject: Subject,
    /// Whether it is about a `const` alone, which no machine sees.
    pub source_only: bool,
    /// The field that is edited, if it is one.
    pub field: Option<String>,
}

impl Edit {
    /// Whether a field of the subject is the one that is edited.
    pub fn removes(&self, field: &str) -> bool {
        self.field.as_deref() == Some(field)
    }

    /// The lines after the edit.
    pub fn apply(&self, old: &[String]) -> Vec<String> {
        let mut new = old.to_vec();
        let end = (self.at + self.remove).min(new.len());
        new.splice(self.at.min(end)..end, self.insert.iter().cloned());
        new
    }
}

/// One edit of a header; none if chance hit nothing that can be edited by lines.
pub fn choose(header: &Header, lines: &[String], random: &mut Random) -> Option<Edit> {
    let active: Vec<_> = header.declarations.iter().collect();
    let declaration = active.get(random.below(active.len()))?;
    let at = usize::try_from(declaration.place.line).ok()?.checked_sub(1)?;
    match &declaration.item {
        HeaderItem::Record(record) => {
            let subject = Subject::Record {
                name: spelled(header, &record.name),
                fields: record.fields.iter().filter(|f| plain(f)).map(field_type).collect(),
                extensible: record.fields.first().is_some_and(|f| f.name == "struct_size"),
            };
            let fields: Vec<&FieldDeclaration> =
                record.fields.iter().filter(|field| plain(field) && alone(field, lines)).collect();
            let field = fields.get(random.below(fields.len()))?;
            record_edit(field, &fields, lines, (at, subject), random)
        }
        HeaderItem::Function { name, r#type, .. } => {
            let length = lines.get(at..)?.iter().position(|line| line.contains(';'))? + 1;
            let text = lines.get(at..at + length)?.join("\n");
            let subject = Subject::Function { name: name.clone(), r#type: r#type.to_string() };
            function_edit(&text, (at, length), subject, random)
        }
        HeaderItem::Enum(found) => {
            let value = found.enumerators.get(random.below(found.enumerators.len()))?;
            let at = usize::try_from(value.place.line).ok()?.checked_sub(1)?;
            let line = lines.get(at)?;
            let number = value.value?;
            let (head, tail) = line.split_once(',')?;
            let code = head.split('=').next()?.trim();
            (code == value.name).then(|| Edit {
                what: "value of an enumerator",
                at,
                remove: 1,
                insert: vec![format!("{code} = {}, {tail}", number + 7)],
                subject: Subject::Enumerator { name: value.name.clone() },
                source_only: false,
                field: None,
            })
        }
        _ => None,
    }
}

/// A struct by its typedef if there is one, else by its tag.
fn spelled(header: &Header, name: &str) -> String {
    let tagged = header.declarations.iter().any(|d| match &d.item {
        HeaderItem::Opaque(other) => other == name,
        _ => false,
    });
    if tagged { name.to_owned() } else { format!("__typeof__({name})") }
}

fn plain(field: &FieldDeclaration) -> bool {
    !field.name.is_empty() && field.bits.is_none()
}

fn field_type(field: &FieldDeclaration) -> (String, String) {
    (field.name.clone(), field.r#type.to_string())
}

fn alone(field: &FieldDeclaration, lines: &[String]) -> bool {
    let index = usize::try_from(field.place.line).unwrap_or_default().saturating_sub(1);
    lines.get(index).is_some_and(|line| {
        let code =
            line.split("//").next().unwrap_or_default().split("/*").next().unwrap_or_default();
        let code = code.trim();
        code.matches(';').count() == 1
            && code.ends_with(';')
            && !code.contains(['{', '}', '#', '('])
            && code.contains(&field.name)
    })
}

fn record_edit(
    field: &FieldDeclaration,
    fields: &[&FieldDeclaration],
    lines: &[String],
    (top, subject): (usize, Subject),
    random: &mut Random,
) -> Option<Edit> {
    let at = usize::try_from(field.place.line).ok()?.checked_sub(1)?;
    let line = lines.get(at)?.clone();
    let declare = |r#type: &str, name: &str| format!("  {type} {name};");
    let edit = |what, remove, insert| Edit {
        what,
        at,
        remove,
        insert,
        subject: subject.clone(),
        source_only: false,
        field: Some(field.name.clone()),
    };
    Some(match random.below(9) {
        0 => edit("field dropped", 1, vec![String::new()]),
        1 => edit(
            "field retyped",
            1,
            vec![declare("struct edit_of_a_field { char c[3]; }", &field.name)],
        ),
        2 => edit("field inserted", 0, vec![declare("int", "edit_inserted")]),
        3 => edit("field renamed", 1, vec![field.r#type.declare("edit_renamed") + ";"]),
        4 => {
            let next = fields.iter().find(|other| other.place.line == field.place.line + 1)?;
            let other = lines.get(usize::try_from(next.place.line).ok()?.checked_sub(1)?)?.clone();
            edit("fields swapped", 2, vec![other, line])
        }
        5 => edit("field under #ifdef", 1, vec!["#ifdef EDIT_X".into(), line, "#endif".into()]),
        6 => Edit {
            at: top,
            remove: 0,
            ..edit("struct packed", 0, vec!["#pragma pack(1)".to_owned()])
        },
        7 => edit("comment added", 1, vec![line, "  /* edited */".to_owned()]),
        _ => {
            let CType::Pointer { to, .. } = &field.r#type else { return None };
            let CType::Named { constant: true, .. } = &**to else { return None };
            let insert = vec![line.replacen("const ", "", 1)];
            Edit { source_only: true, ..edit("const dropped", 1, insert) }
        }
    })
}

fn function_edit(
    text: &str,
    (at, remove): (usize, usize),
    subject: Subject,
    random: &mut Random,
) -> Option<Edit> {
    let edit = |what, insert: String, source_only| {
        let insert = insert.lines().map(str::to_owned).collect();
        Edit { what, at, remove, insert, subject: subject.clone(), source_only, field: None }
    };
    Some(match random.below(6) {
        0 => edit("function dropped", String::from("\n"), false),
        1 => edit("function under #ifdef", format!("#ifdef EDIT_X\n{text}\n#endif"), false),
        2 => edit("function under #ifndef", format!("#ifndef EDIT_X\n{text}\n#endif"), false),
        3 => {
            let (word, other) = [
                (" int ", " double "),
                ("(int ", "(double "),
                ("long", "short"),
                ("void *", "double "),
                ("void* ", "double "),
            ]
            .into_iter()
            .find(|(word, _)| text.contains(word))?;
            edit("type in a signature", text.replacen(word, other, 1), false)
        }
        4 => {
            let found = text
                .find("const ")
                .filter(|found| text.find('(').is_some_and(|open| open < *found))?;
            let (head, tail) = text.split_at(found);
            edit("const dropped", format!("{head}{}", tail.replacen("const ", "", 1)), true)
        }
        _ => {
            let last = text.rfind(')')?;
            let (head, tail) = text.split_at(last);
            let inner = head.trim_end();
            let inner = inner.strip_suffix(')').map_or((inner, ""), |rest| (rest, ")"));
            let (head, close) = if text.contains("((") { inner } else { (head, "") };
            if head.trim_end().ends_with("void") || head.trim_end().ends_with(['(', '.']) {
                return None;
            }
            edit("parameter added", format!("{head}, int edit_added{close}{tail}"), false)
        }
    })
}
