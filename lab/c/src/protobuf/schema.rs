//! A small schema, made at random, and one edit of it.

use std::fmt::Write as _;

use unskew_random::Random;

/// The types of fields. `E` is the enumeration of the file, `N` a message of it.
const TYPES: [&str; 17] = [
    "int32", "int64", "uint32", "uint64", "sint32", "sint64", "fixed32", "fixed64", "sfixed32",
    "sfixed64", "float", "double", "bool", "string", "bytes", "E", "N",
];

/// What stands before the type of a field.
const LABELS: [&str; 3] = ["optional", "repeated", "required"];

/// The one choice of the message.
pub const CHOICE: &str = "choice";

/// A field of the message.
#[derive(Clone, Debug)]
pub struct Field {
    pub name: String,
    pub number: u32,
    r#type: &'static str,
    label: &'static str,
    /// Whether it is a case of the choice.
    chosen: bool,
    /// What it is if it is not set; proto2 only.
    default: Option<u32>,
    /// `packed`, if that is said.
    packed: Option<bool>,
}

/// A file with a message `M`, a message `N` and an enumeration `E`.
#[derive(Clone, Debug)]
pub struct Schema {
    proto3: bool,
    pub fields: Vec<Field>,
    values: Vec<(String, i32)>,
}

impl Schema {
    /// One made at random.
    pub fn random(random: &mut Random) -> Self {
        let proto3 = random.below(2) == 0;
        let mut schema = Self { proto3, fields: Vec::new(), values: Vec::new() };
        for at in 0..2 + random.below(3) {
            schema.values.push((format!("VALUE_{at}"), at as i32));
        }
        for at in 0..2 + random.below(4) {
            let number = at as u32 * 3 + 1 + random.below(3) as u32;
            schema.fields.push(schema.field(format!("f{at}"), number, random));
        }
        schema
    }

    fn field(&self, name: String, number: u32, random: &mut Random) -> Field {
        let r#type = *random.choose(&TYPES);
        let chosen = random.below(4) == 0;
        let label = match (chosen, self.proto3) {
            (true, _) => "optional",
            (false, true) => random.choose(&["", "optional", "repeated"]),
            (false, false) => random.choose(&LABELS),
        };
        Field { name, number, r#type, label, chosen, default: None, packed: None }
    }

    /// The schema after one edit at random, what the edit is, and the number of the field that it is about; none if it is
    /// about the enumeration, or chance hit nothing.
    pub fn edited(&self, random: &mut Random) -> Option<(Self, &'static str, Option<u32>)> {
        let mut new = self.clone();
        let at = random.below(new.fields.len());
        let kinds = random.below(12);
        let proto3 = self.proto3;
        let field = new.fields.get_mut(at)?;
        let number = field.number;
        let what = match kinds {
            0..=3 => {
                let other = *random.choose(&TYPES);
                if other == field.r#type {
                    return None;
                }
                (field.r#type, field.default, field.packed) = (other, None, None);
                "type"
            }
            4 if !field.chosen => {
                let labels: &[&str] = if proto3 { &["", "optional", "repeated"] } else { &LABELS };
                let other = *random.choose(labels);
                if other == field.label {
                    return None;
                }
                field.label = other;
                "label"
            }
            5 if field.chosen => {
                (field.chosen, field.label) = (false, "optional");
                "out of the choice"
            }
            5 if field.label != "repeated" && field.label != "required" => {
                (field.chosen, field.label) = (true, "optional");
                "into the choice"
            }
            6 => {
                field.number += 40;
                "number"
            }
            7 => {
                field.name.push_str("_other");
                "name"
            }
            8 if !proto3 && field.label == "optional" && field.r#type.contains("32") => {
                field.default = Some(7);
                "default"
            }
            9 if field.label == "repeated" && !["string", "bytes", "N"].contains(&field.r#type) => {
                field.packed = Some(!proto3);
                "packing"
            }
            10 => {
                new.fields.remove(at);
                if new.fields.is_empty() {
                    return None;
                }
                "removed"
            }
            // Of an enumeration that nothing holds no bytes can tell.
            11 if !self.of_enum().is_empty() => {
                let last = new.values.len() - 1;
                let value = new.values.get_mut(last)?;
                return Some(match random.below(3) {
                    0 => {
                        value.1 += 5;
                        (new, "number of an enum value", None)
                    }
                    1 => {
                        value.0.push_str("_OTHER");
                        (new, "name of an enum value", None)
                    }
                    _ => {
                        new.values.pop();
                        (new, "enum value removed", None)
                    }
                });
            }
            _ => return None,
        };
        Some((new, what, Some(number)))
    }

    /// The same with no field but those of these numbers.
    pub fn only(&self, keep: &[u32]) -> Self {
        let fields = self.fields.iter().filter(|field| keep.contains(&field.number));
        Self { fields: fields.cloned().collect(), ..self.clone() }
    }

    /// The fields whose type is the enumeration.
    pub fn of_enum(&self) -> Vec<u32> {
        self.fields.iter().filter(|field| field.r#type == "E").map(|field| field.number).collect()
    }

    /// The text of a `.proto` file that declares it.
    pub fn text(&self) -> String {
        let mut text = format!(
            "syntax = \"proto{}\";\n\nmessage N {{}}\n\nenum E {{\n",
            2 + u8::from(self.proto3)
        );
        for (name, number) in &self.values {
            let _ = writeln!(text, "  {name} = {number};");
        }
        text.push_str("}\n\nmessage M {\n");
        for field in self.fields.iter().filter(|field| !field.chosen) {
            let _ = writeln!(text, "  {}", self.line(field));
        }
        if self.fields.iter().any(|field| field.chosen) {
            let _ = writeln!(text, "  oneof {CHOICE} {{");
            for Field { r#type, name, number, .. } in
                self.fields.iter().filter(|field| field.chosen)
            {
                let _ = writeln!(text, "    {type} {name} = {number};");
            }
            text.push_str("  }\n");
        }
        text + "}\n"
    }

    fn line(&self, field: &Field) -> String {
        let Field { name, number, r#type, label, default, packed, .. } = field;
        let space = if label.is_empty() { "" } else { " " };
        let option = match (default, packed) {
            (Some(value), _) => format!(" [default = {value}]"),
            (None, Some(packed)) if *label == "repeated" => format!(" [packed = {packed}]"),
            _ => String::new(),
        };
        format!("{label}{space}{type} {name} = {number}{option};")
    }
}
