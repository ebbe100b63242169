//! Attributes of messages: `#[message(...)]`, `#[field(...)]`, `#[named(...)]`, `#[enumeration(...)]`, `#[value(...)]`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::meta::ParseNestedMeta;
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, Error, Ident, LitInt, LitStr, Path, Result, Token};

/// Since when something is there.
#[derive(Clone, Copy, Default)]
pub struct ProtoSince {
    pub version: u32,
    pub silent: bool,
}

impl ProtoSince {
    pub fn tokens(self) -> TokenStream {
        let Self { version, silent } = self;
        quote!(::unskew_serdes::proto::SinceVersion { version: #version, silent: #silent })
    }
}

/// What `#[proto(...)]` says of a message.
pub struct MessageAttributes {
    pub family: Path,
    pub name: String,
    pub version: Option<u32>,
    pub since: ProtoSince,
    pub also: Vec<u32>,
    pub as_requested: bool,
    pub check: Option<Path>,
    pub serialized: Option<Envelope>,
    pub type_name: Option<String>,
    pub removed_with_minimum: Option<u32>,
}

/// Where the name and the contents of a value of several types stand: in the message itself, or in a
/// field of it.
pub struct Envelope {
    pub field: Option<(u32, String)>,
}

pub fn of_message(attributes: &[Attribute], place: &Ident) -> Result<MessageAttributes> {
    let (mut family, mut name, mut serialized, mut removed) = (None, None, None, None);
    let (mut version, mut check, mut type_name) = (None, None, None);
    let (mut since, mut also, mut as_requested) = (ProtoSince::default(), Vec::new(), false);
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("message")) {
        attribute.parse_nested_meta(|meta| {
            match meta.path.get_ident().map(Ident::to_string).as_deref() {
                Some("family") => family = Some(meta.value()?.parse()?),
                Some("name") => name = Some(text(&meta)?),
                Some("removed_with_minimum") => removed = Some(number(&meta)?),
                Some("type_name") => type_name = Some(text(&meta)?),
                Some("version") => version = Some(number(&meta)?),
                Some("since") => since = ProtoSince { version: number(&meta)?, silent: false },
                Some("silent_since") => since = ProtoSince { version: number(&meta)?, silent: true },
                Some("also") => also.push(number(&meta)?),
                Some("as_requested") => as_requested = true,
                Some("check") => check = Some(meta.value()?.parse()?),
                Some("serialized") => serialized = Some(envelope(&meta)?),
                _ => {
                    return Err(meta.error(
                        "wanted family, name, version, since, silent_since, also, as_requested, check, serialized, type_name or removed_with_minimum",
                    ));
                }
            }
            Ok(())
        })?;
    }
    let missing = |what: &str| Error::new(place.span(), format!("say {what}: #[message(...)]"));
    Ok(MessageAttributes {
        family: family.ok_or_else(|| missing("to which family it belongs"))?,
        name: name.ok_or_else(|| missing("its name in descriptors"))?,
        version,
        since,
        also,
        as_requested,
        check,
        serialized,
        type_name,
        removed_with_minimum: removed,
    })
}

fn envelope(meta: &ParseNestedMeta<'_>) -> Result<Envelope> {
    if !meta.input.peek(syn::token::Paren) {
        return Ok(Envelope { field: None });
    }
    let inner;
    syn::parenthesized!(inner in meta.input);
    let number = inner.parse::<LitInt>()?.base10_parse()?;
    inner.parse::<Token![,]>()?;
    Ok(Envelope { field: Some((number, inner.parse::<LitStr>()?.value())) })
}

/// Of a field: `#[field(1, repeated, int64, since = 1)]`.
pub struct ProtoFieldAttributes {
    pub number: u32,
    pub kind: ProtoFieldKind,
    pub label: ProtoFieldLabel,
    pub always: bool,
    pub since: ProtoSince,
    pub oneof: Option<String>,
    pub name: Option<String>,
}

#[derive(Clone, PartialEq)]
pub enum ProtoFieldKind {
    Int32,
    Int64,
    Bool,
    Sfixed64,
    Fixed64,
    Float,
    Text,
    Bytes,
    Enumeration,
    Message,
    Opaque(String),
}

#[derive(Clone, Copy, PartialEq)]
pub enum ProtoFieldLabel {
    Single,
    Optional,
    Repeated,
}

/// One word behind the number of a field, with what it is set to.
enum Word {
    Kind(ProtoFieldKind),
    Label(ProtoFieldLabel),
    Always,
    Since(ProtoSince),
    Oneof(String),
    Name(String),
}

impl Parse for ProtoFieldAttributes {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let number: LitInt = input.parse()?;
        let (mut kind, mut label, mut always) = (None, ProtoFieldLabel::Single, false);
        let (mut since, mut oneof, mut name) = (ProtoSince::default(), None, None);
        while input.parse::<Option<Token![,]>>()?.is_some() && !input.is_empty() {
            match input.parse()? {
                Word::Kind(found) => kind = Some(found),
                Word::Label(found) => label = found,
                Word::Always => always = true,
                Word::Since(found) => since = found,
                Word::Oneof(found) => oneof = Some(found),
                Word::Name(found) => name = Some(found),
            }
        }
        let kind = kind.ok_or_else(|| Error::new(number.span(), "say its kind"))?;
        if oneof.is_some() {
            if label == ProtoFieldLabel::Repeated {
                return Err(Error::new(number.span(), "a field of a choice is not repeated"));
            }
            // The only field of a choice may have to be there.
            label = if always { ProtoFieldLabel::Single } else { ProtoFieldLabel::Optional };
        }
        if !(1..=536_870_911).contains(&number.base10_parse::<u32>()?) {
            return Err(Error::new(number.span(), "no field has this number"));
        }
        Ok(Self { number: number.base10_parse()?, kind, label, always, since, oneof, name })
    }
}

impl Parse for Word {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let word: Ident = input.parse()?;
        let value = |input: ParseStream<'_>| input.parse::<Token![=]>().map(|_| ());
        let number = |input: ParseStream<'_>| {
            value(input)?;
            input.parse::<LitInt>()?.base10_parse()
        };
        let text = |input: ParseStream<'_>| {
            value(input)?;
            Ok::<_, Error>(input.parse::<LitStr>()?.value())
        };
        Ok(match word.to_string().as_str() {
            "int32" => Self::Kind(ProtoFieldKind::Int32),
            "int64" => Self::Kind(ProtoFieldKind::Int64),
            "bool" => Self::Kind(ProtoFieldKind::Bool),
            "sfixed64" => Self::Kind(ProtoFieldKind::Sfixed64),
            "fixed64" => Self::Kind(ProtoFieldKind::Fixed64),
            "float" => Self::Kind(ProtoFieldKind::Float),
            "string" => Self::Kind(ProtoFieldKind::Text),
            "bytes" => Self::Kind(ProtoFieldKind::Bytes),
            "enumeration" => Self::Kind(ProtoFieldKind::Enumeration),
            "message" => Self::Kind(ProtoFieldKind::Message),
            "opaque" => Self::Kind(ProtoFieldKind::Opaque(text(input)?)),
            "optional" => Self::Label(ProtoFieldLabel::Optional),
            "repeated" => Self::Label(ProtoFieldLabel::Repeated),
            "always" => Self::Always,
            "since" => Self::Since(ProtoSince { version: number(input)?, silent: false }),
            "silent_since" => Self::Since(ProtoSince { version: number(input)?, silent: true }),
            "oneof" => Self::Oneof(text(input)?),
            "name" => Self::Name(text(input)?),
            _ => {
                return Err(Error::new(
                    word.span(),
                    "wanted a kind, optional, repeated, always, since, silent_since, oneof or name",
                ));
            }
        })
    }
}

/// The one attribute of this name.
pub fn one<T: Parse>(
    attributes: &[Attribute],
    name: &str,
    place: &dyn quote::ToTokens,
) -> Result<T> {
    let mut found = attributes.iter().filter(|attribute| attribute.path().is_ident(name));
    match (found.next(), found.next()) {
        (Some(attribute), None) => attribute.parse_args(),
        _ => Err(Error::new_spanned(place, format!("wanted one #[{name}(...)]"))),
    }
}

/// Of an enumeration: its name, before what its values are called, what 0 is called if it is nothing.
pub struct EnumerationAttributes {
    pub name: String,
    pub prefix: String,
    pub unspecified: Option<String>,
}

pub fn of_enumeration(attributes: &[Attribute], place: &Ident) -> Result<EnumerationAttributes> {
    let (mut name, mut prefix, mut unspecified) = (None, String::new(), None);
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("enumeration"))
    {
        attribute.parse_nested_meta(|meta| {
            match meta.path.get_ident().map(Ident::to_string).as_deref() {
                Some("name") => name = Some(text(&meta)?),
                Some("prefix") => prefix = text(&meta)?,
                Some("unspecified") => unspecified = Some(text(&meta)?),
                _ => return Err(meta.error("wanted name, prefix or unspecified")),
            }
            Ok(())
        })?;
    }
    let missing = || Error::new(place.span(), "say its name in descriptors: #[enumeration(...)]");
    Ok(EnumerationAttributes { name: name.ok_or_else(missing)?, prefix, unspecified })
}

/// Of a value: `#[value(32, silent_since = 1)]`.
pub struct ValueAttributes {
    pub number: i32,
    pub since: ProtoSince,
}

impl Parse for ValueAttributes {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let number = input.parse::<LitInt>()?.base10_parse()?;
        let mut since = ProtoSince::default();
        if input.parse::<Option<Token![,]>>()?.is_some() {
            match input.parse()? {
                Word::Since(found) => since = found,
                _ => return Err(input.error("wanted since or silent_since")),
            }
        }
        Ok(Self { number, since })
    }
}

fn number(meta: &ParseNestedMeta<'_>) -> Result<u32> {
    meta.value()?.parse::<LitInt>()?.base10_parse()
}

fn text(meta: &ParseNestedMeta<'_>) -> Result<String> {
    Ok(meta.value()?.parse::<LitStr>()?.value())
}
