//! Attributes of formats: what stands in `#[format(...)]`.

use syn::meta::ParseNestedMeta;
use syn::{Attribute, Error, Expr, Ident, LitInt, Path, Result, Token, Type, parenthesized};

/// What `#[serdes(...)]` says of a type.
pub struct TypeAttributes {
    pub family: Path,
    pub since: u32,
    /// Without a head of its own: an enumeration that lives and dies with what it stands in.
    pub plain: bool,
    /// Whether a borrowed view is made too.
    pub view: bool,
}

/// What `#[serdes(...)]` says of a field.
#[derive(Default)]
pub struct FieldAttributes {
    pub since: Option<u32>,
    pub until: Option<u32>,
    pub default: Option<Expr>,
    pub skippable: bool,
    pub was: Option<FormerType>,
}

/// The form that a field had until a version: `was(u32, until = 1, read = widen, write = narrow)`.
pub struct FormerType {
    pub shape: Type,
    pub until: u32,
    /// From the older form: `fn(Older) -> Result<Newer, impl Display>`.
    pub read: Path,
    /// To the older form: `fn(&Newer) -> Result<Older, impl Display>`.
    pub write: Path,
}

/// What `#[serdes(...)]` says of a variant.
pub struct VariantAttributes {
    pub id: u64,
    pub since: Option<u32>,
    pub until: Option<u32>,
}

pub fn of_type(attributes: &[Attribute], place: &syn::Ident) -> Result<TypeAttributes> {
    let (mut family, mut since, mut plain, mut view) = (None, 0, false, false);
    each(attributes, |meta| {
        if meta.path.is_ident("family") {
            family = Some(meta.value()?.parse()?);
        } else if meta.path.is_ident("since") {
            since = number(&meta)?;
        } else if meta.path.is_ident("plain") {
            plain = true;
        } else if meta.path.is_ident("view") {
            view = true;
        } else {
            return Err(meta.error("wanted family, since, plain or view"));
        }
        Ok(())
    })?;
    let missing =
        || Error::new(place.span(), "say to which family it belongs: #[format(family = ...)]");
    Ok(TypeAttributes { family: family.ok_or_else(missing)?, since, plain, view })
}

pub fn of_field(attributes: &[Attribute]) -> Result<FieldAttributes> {
    let mut found = FieldAttributes::default();
    each(attributes, |meta| {
        if meta.path.is_ident("since") {
            found.since = Some(number(&meta)?);
        } else if meta.path.is_ident("until") {
            found.until = Some(number(&meta)?);
        } else if meta.path.is_ident("default") {
            found.default = Some(meta.value()?.parse()?);
        } else if meta.path.is_ident("skippable") {
            found.skippable = true;
        } else if meta.path.is_ident("was") {
            found.was = Some(was(&meta)?);
        } else {
            return Err(meta.error("wanted since, until, default, was or skippable"));
        }
        Ok(())
    })?;
    Ok(found)
}

pub fn of_variant(attributes: &[Attribute], place: &syn::Ident) -> Result<VariantAttributes> {
    let (mut id, mut since, mut until) = (None, None, None);
    each(attributes, |meta| {
        if meta.path.is_ident("id") {
            id = Some(meta.value()?.parse::<LitInt>()?.base10_parse()?);
        } else if meta.path.is_ident("since") {
            since = Some(number(&meta)?);
        } else if meta.path.is_ident("until") {
            until = Some(number(&meta)?);
        } else {
            return Err(meta.error("wanted id, since or until"));
        }
        Ok(())
    })?;
    let missing =
        || Error::new(place.span(), "give it a number that it keeps: #[format(id = ...)]");
    Ok(VariantAttributes { id: id.ok_or_else(missing)?, since, until })
}

fn was(meta: &ParseNestedMeta<'_>) -> Result<FormerType> {
    let content;
    parenthesized!(content in meta.input);
    let shape: Type = content.parse()?;
    let (mut until, mut read, mut write) = (None, None, None);
    while !content.is_empty() {
        content.parse::<Token![,]>()?;
        let key: Ident = content.parse()?;
        content.parse::<Token![=]>()?;
        if key == "until" {
            until = Some(content.parse::<LitInt>()?.base10_parse()?);
        } else if key == "read" {
            read = Some(content.parse()?);
        } else if key == "write" {
            write = Some(content.parse()?);
        } else {
            return Err(Error::new(key.span(), "wanted until, read or write"));
        }
    }
    let missing = "say until which version, and how it is read and written: \
                   was(Type, until = 1, read = upgrade, write = downgrade)";
    match (until, read, write) {
        (Some(until), Some(read), Some(write)) => Ok(FormerType { shape, until, read, write }),
        _ => Err(Error::new_spanned(&shape, missing)),
    }
}

fn each(
    attributes: &[Attribute],
    mut take: impl FnMut(ParseNestedMeta<'_>) -> Result<()>,
) -> Result<()> {
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("format")) {
        attribute.parse_nested_meta(&mut take)?;
    }
    Ok(())
}

fn number(meta: &ParseNestedMeta<'_>) -> Result<u32> {
    meta.value()?.parse::<LitInt>()?.base10_parse()
}
