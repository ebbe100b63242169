//! Messages as sources declare them: types that derive `prost::Message`, and choices of them.

use std::collections::BTreeMap;

use anyhow::{Context as _, bail};
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, Fields, GenericArgument, Ident, Item, LitStr, PathArguments, Token, Type};

/// A field of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declared {
    /// The name that the type has here.
    pub name: String,
    /// The field number on the wire.
    pub tag: u32,
    /// What it is of.
    pub kind: Kind,
    /// Whether there are several.
    pub repeated: bool,
}

/// What a field is of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A number, a truth or a text, as descriptors number them.
    Scalar(i32),
    Bytes,
    /// A message, by the name of its type.
    Message(String),
    /// Pairs of a key and a value.
    Map,
}

/// The messages of one source, by the names of their types. A choice stands in the message that has it, as
/// its fields.
///
/// # Errors
/// If the source is no Rust, or a field is declared in a way that is not known here.
pub fn declared(text: &str) -> anyhow::Result<BTreeMap<String, Vec<Declared>>> {
    let file = syn::parse_file(text)?;
    let mut choices: BTreeMap<String, Vec<Declared>> = BTreeMap::new();
    for item in &file.items {
        match item {
            Item::Enum(choice) => {
                let mut fields = Vec::new();
                for variant in &choice.variants {
                    let Fields::Unnamed(of) = &variant.fields else { continue };
                    let kind = of.unnamed.first().map(|field| &field.ty);
                    if let Some(Said::Field(field)) = said(&variant.attrs, &variant.ident, kind)? {
                        fields.push(field);
                    }
                }
                choices.insert(choice.ident.to_string(), fields);
            }
            Item::Macro(of) if of.mac.path.is_ident("asks") => {
                let asks: Asks = of.mac.parse_body()?;
                choices.insert("RequestBody".to_owned(), asks.0);
            }
            _ => {}
        }
    }
    let mut messages = BTreeMap::new();
    for item in &file.items {
        let Item::Struct(of) = item else { continue };
        let mut fields = Vec::new();
        for field in &of.fields {
            let Some(name) = &field.ident else { continue };
            match said(&field.attrs, name, Some(&field.ty))? {
                Some(Said::Field(field)) => fields.push(field),
                Some(Said::Choice(name)) => {
                    fields.extend(choices.get(&name).with_context(|| name.clone())?.clone());
                }
                None => {}
            }
        }
        messages.insert(of.ident.to_string(), fields);
    }
    Ok(messages)
}

enum Said {
    Field(Declared),
    Choice(String),
}

/// What an attribute of `prost` says of a field.
fn said(attributes: &[Attribute], name: &Ident, of: Option<&Type>) -> anyhow::Result<Option<Said>> {
    let Some(attribute) = attributes.iter().find(|it| it.path().is_ident("prost")) else {
        return Ok(None);
    };
    let (mut words, mut tag, mut choice) = (Vec::new(), None, None);
    attribute.parse_nested_meta(|meta| {
        let word = meta.path.get_ident().map(ToString::to_string).unwrap_or_default();
        let value = if meta.input.peek(Token![=]) {
            Some(meta.value()?.parse::<LitStr>()?.value())
        } else {
            None
        };
        match word.as_str() {
            "tag" => tag = value.and_then(|value| value.parse().ok()),
            "oneof" => choice = value,
            _ => words.push(word),
        }
        Ok(())
    })?;
    if let Some(choice) = choice {
        return Ok(Some(Said::Choice(choice)));
    }
    let tag = tag.with_context(|| format!("{name} has no tag"))?;
    let word = words.first().with_context(|| format!("{name} has no kind"))?;
    let repeated = words.iter().any(|word| word == "repeated") || word == "map";
    let kind =
        kind(word, of).with_context(|| format!("{name} is of a kind not known here: {word}"))?;
    Ok(Some(Said::Field(Declared { name: name.to_string(), tag, kind, repeated })))
}

fn kind(word: &str, of: Option<&Type>) -> anyhow::Result<Kind> {
    Ok(match word {
        "double" => Kind::Scalar(1),
        "float" => Kind::Scalar(2),
        "int64" => Kind::Scalar(3),
        "uint64" => Kind::Scalar(4),
        "int32" => Kind::Scalar(5),
        "fixed64" => Kind::Scalar(6),
        "fixed32" => Kind::Scalar(7),
        "bool" => Kind::Scalar(8),
        "string" => Kind::Scalar(9),
        "sfixed64" => Kind::Scalar(16),
        "bytes" => Kind::Bytes,
        "map" => Kind::Map,
        "message" => Kind::Message(innermost(of.context("no type")?).context("no name")?),
        _ => bail!("unknown"),
    })
}

/// The name in `Option<Name>`, `Vec<Name>` or `Name`.
fn innermost(of: &Type) -> Option<String> {
    let Type::Path(path) = of else { return None };
    let last = path.path.segments.last()?;
    if let PathArguments::AngleBracketed(arguments) = &last.arguments
        && let Some(GenericArgument::Type(inner)) = arguments.args.first()
    {
        return innermost(inner);
    }
    Some(last.ident.to_string())
}

/// The requests: `"2" Init(Empty) = "init_request";` and so on.
struct Asks(Vec<Declared>);

impl Parse for Asks {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut all = Vec::new();
        while !input.is_empty() {
            let tag: LitStr = input.parse()?;
            let name: Ident = input.parse()?;
            let inner;
            syn::parenthesized!(inner in input);
            let of: Ident = inner.parse()?;
            input.parse::<Token![=]>()?;
            input.parse::<LitStr>()?;
            input.parse::<Token![;]>()?;
            let number =
                tag.value().parse().map_err(|_| syn::Error::new(tag.span(), "a number"))?;
            let kind = Kind::Message(of.to_string());
            all.push(Declared { name: name.to_string(), tag: number, kind, repeated: false });
        }
        Ok(Self(all))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_read_with_the_choice_in_it() -> anyhow::Result<()> {
        let text = r#"
            struct One {
                #[prost(fixed64, repeated, tag = "3")] several: Vec<u64>,
                #[prost(message, optional, tag = "1")] inner: Option<Two>,
                #[prost(oneof = "RequestBody", tags = "2")] ask: Option<RequestBody>,
            }
            asks! { "2" Init(Empty) = "init_request"; }
        "#;
        let messages = declared(text)?;
        let field = |name: &str, tag, kind, repeated| Declared {
            name: name.to_owned(),
            tag,
            kind,
            repeated,
        };
        assert_eq!(
            messages["One"],
            [
                field("several", 3, Kind::Scalar(6), true),
                field("inner", 1, Kind::Message("Two".to_owned()), false),
                field("Init", 2, Kind::Message("Empty".to_owned()), false),
            ]
        );
        assert!(declared("struct S { #[prost(what, tag = \"1\")] a: u8 }").is_err());
        assert!(declared("struct S { #[prost(bool)] a: bool }").is_err());
        Ok(())
    }
}
