//! What stands in `#[format(...)]`.

use syn::{Attribute, Error, Expr, LitInt, Path, Result};

/// Of a type.
pub struct TypeAttributes {
    pub family: Path,
    pub since: u32,
    /// Without a head of its own: an enumeration that lives and dies with what it stands in.
    pub plain: bool,
    /// Whether a borrowed view is made too.
    pub view: bool,
}

/// Of a field.
#[derive(Default)]
pub struct FieldAttributes {
    pub since: Option<u32>,
    pub until: Option<u32>,
    pub default: Option<Expr>,
    pub skippable: bool,
}

/// Of a variant.
pub struct VariantAttributes {
    pub id: u64,
    pub since: Option<u32>,
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
        } else {
            return Err(meta.error("wanted since, until, default or skippable"));
        }
        Ok(())
    })?;
    Ok(found)
}

pub fn of_variant(attributes: &[Attribute], place: &syn::Ident) -> Result<VariantAttributes> {
    let (mut id, mut since) = (None, None);
    each(attributes, |meta| {
        if meta.path.is_ident("id") {
            id = Some(meta.value()?.parse::<LitInt>()?.base10_parse()?);
        } else if meta.path.is_ident("since") {
            since = Some(number(&meta)?);
        } else {
            return Err(meta.error("wanted id or since"));
        }
        Ok(())
    })?;
    let missing =
        || Error::new(place.span(), "give it a number that it keeps: #[format(id = ...)]");
    Ok(VariantAttributes { id: id.ok_or_else(missing)?, since })
}

fn each(
    attributes: &[Attribute],
    mut take: impl FnMut(syn::meta::ParseNestedMeta<'_>) -> Result<()>,
) -> Result<()> {
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("format")) {
        attribute.parse_nested_meta(&mut take)?;
    }
    Ok(())
}

fn number(meta: &syn::meta::ParseNestedMeta<'_>) -> Result<u32> {
    meta.value()?.parse::<LitInt>()?.base10_parse()
}
