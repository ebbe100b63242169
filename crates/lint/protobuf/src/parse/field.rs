//! Fields: plain ones, maps and groups.

use super::{DEPTH, Parser, Read, join};
use crate::model::{FieldCardinality, ProtoField, ProtoMessage, ProtoScalar, ProtoType};
use crate::options::Options;
use crate::token::Token;

/// The head of a field: everything but what its options say.
struct Head<'t> {
    label: Option<&'t str>,
    ty: ProtoType,
    name: String,
    line: usize,
}

impl Parser<'_> {
    pub(super) fn field(&mut self, scope: &str, depth: usize) -> Read<ProtoField> {
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
                ProtoScalar::named(&name).map_or(ProtoType::Named(name), ProtoType::Scalar)
            }
        };
        let name = self.name("the name of a field")?.to_owned();
        let head = Head { label, ty, name, line };
        self.tail(head)
    }

    /// `= 3 [packed = true];`
    fn tail(&mut self, head: Head<'_>) -> Read<ProtoField> {
        self.want('=')?;
        let number = self.number()?;
        let options = Options::list(self)?;
        self.want(';')?;
        Ok(self.made(head, number, &options))
    }

    fn made(&self, head: Head<'_>, number: i64, options: &Options) -> ProtoField {
        let features = self.features.with(options);
        let Head { label, ty, name, line } = head;
        let repeated = label == Some("repeated") || matches!(ty, ProtoType::Map(..));
        let packable = match &ty {
            ProtoType::Scalar(scalar) => scalar.is_number(),
            ProtoType::Named(_) => true,
            _ => false,
        };
        let ty = match ty {
            ProtoType::Named(name) if features.delimited => ProtoType::Group(name),
            ty => ty,
        };
        ProtoField {
            name,
            number,
            line,
            ty,
            label: if repeated { FieldCardinality::Repeated } else { FieldCardinality::Singular },
            presence: features.presence(label),
            packed: repeated && packable && options.packed.unwrap_or(features.packed),
            oneof: None,
            default: options.default.clone(),
            verified: features.verified,
            json_name: options.json_name.clone(),
            deprecated: options.deprecated,
        }
    }

    pub(super) fn map(&mut self) -> Read<ProtoType> {
        self.at += 1;
        self.want('<')?;
        let key = self.name("the type of a key")?;
        let Some(key) = ProtoScalar::named(key) else { return self.fault("the type of a key") };
        self.want(',')?;
        let value = self.type_name()?;
        self.want('>')?;
        let value = ProtoScalar::named(&value).map_or(ProtoType::Named(value), ProtoType::Scalar);
        Ok(ProtoType::Map(key, Box::new(value)))
    }

    /// A message and a field in one.
    pub(super) fn group(
        &mut self,
        scope: &str,
        label: Option<&str>,
        line: usize,
        depth: usize,
    ) -> Read<ProtoField> {
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
        let message = ProtoMessage { name: full.clone(), line, ..ProtoMessage::default() };
        self.body(message, depth + 1)?;
        let head = Head {
            label,
            ty: ProtoType::Group(format!(".{full}")),
            name: name.to_ascii_lowercase(),
            line,
        };
        Ok(self.made(head, number, &options))
    }
}
