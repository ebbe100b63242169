//! Fields: plain ones, maps and groups.

use super::{DEPTH, Parser, Read, join};
use crate::model::{Field, Label, Message, Scalar, Type};
use crate::options::Options;
use crate::token::Token;

/// The head of a field: everything but what its options say.
struct Head<'t> {
    label: Option<&'t str>,
    ty: Type,
    name: String,
    line: usize,
}

impl Parser<'_> {
    pub(super) fn field(&mut self, scope: &str, depth: usize) -> Read<Field> {
        let line = self.line();
        let labels = ["optional", "required", "repeated"];
        let followed = matches!(
            self.tokens.list.get(self.at + 1),
            Some((Token::Name(_) | Token::Mark('.'), _))
        );
        let label = self.word().filter(|word| labels.contains(word) && followed);
        self.at += usize::from(label.is_some());
        if self.word() == Some("group")
            && self.tokens.list.get(self.at + 2).map(|t| t.0) == Some(Token::Mark('='))
        {
            return self.group(scope, label, line, depth);
        }
        let ty = match self.word() {
            Some("map")
                if self.tokens.list.get(self.at + 1).map(|t| t.0) == Some(Token::Mark('<')) =>
            {
                self.map()?
            }
            _ => {
                let name = self.type_name()?;
                Scalar::named(&name).map_or(Type::Named(name), Type::Scalar)
            }
        };
        let name = self.name("the name of a field")?.to_owned();
        let head = Head { label, ty, name, line };
        self.tail(head)
    }

    /// `= 3 [packed = true];`
    fn tail(&mut self, head: Head<'_>) -> Read<Field> {
        self.want('=')?;
        let number = self.number()?;
        let options = Options::list(self)?;
        self.want(';')?;
        Ok(self.made(head, number, &options))
    }

    fn made(&self, head: Head<'_>, number: i64, options: &Options) -> Field {
        let features = self.features.with(options);
        let Head { label, ty, name, line } = head;
        let repeated = label == Some("repeated") || matches!(ty, Type::Map(..));
        let packable = match &ty {
            Type::Scalar(scalar) => scalar.is_number(),
            Type::Named(_) => true,
            _ => false,
        };
        let ty = match ty {
            Type::Named(name) if features.delimited => Type::Group(name),
            ty => ty,
        };
        Field {
            name,
            number,
            line,
            ty,
            label: if repeated { Label::Repeated } else { Label::Singular },
            presence: features.presence(label),
            packed: repeated && packable && options.packed.unwrap_or(features.packed),
            oneof: None,
            default: options.default.clone(),
            verified: features.verified,
            json_name: options.json_name.clone(),
        }
    }

    pub(super) fn map(&mut self) -> Read<Type> {
        self.at += 1;
        self.want('<')?;
        let key = self.name("the type of a key")?;
        let Some(key) = Scalar::named(key) else { return self.fault("the type of a key") };
        self.want(',')?;
        let value = self.type_name()?;
        self.want('>')?;
        let value = Scalar::named(&value).map_or(Type::Named(value), Type::Scalar);
        Ok(Type::Map(key, Box::new(value)))
    }

    /// A message and a field in one.
    pub(super) fn group(
        &mut self,
        scope: &str,
        label: Option<&str>,
        line: usize,
        depth: usize,
    ) -> Read<Field> {
        self.at += 1;
        let name = self.name("the name of a group")?.to_owned();
        self.want('=')?;
        let number = self.number()?;
        let options = Options::list(self)?;
        self.want('{')?;
        if depth > DEPTH {
            return Err((
                line,
                format!("groups stand in each other more than {DEPTH} deep: {name}"),
            ));
        }
        let full = join(scope, &name);
        let message = Message { name: full.clone(), line, ..Message::default() };
        self.body(message, depth + 1)?;
        let head = Head {
            label,
            ty: Type::Group(format!(".{full}")),
            name: name.to_ascii_lowercase(),
            line,
        };
        Ok(self.made(head, number, &options))
    }
}
