//! Attributes in `#[extensible(...)]`, and doc comments.

use proc_macro2::TokenStream;
use quote::quote;
use syn::meta::ParseNestedMeta;
use syn::{Attribute, Error, Expr, ExprLit, Ident, Lit, LitStr, Meta, Path, Result};

/// Of a struct or of a field; which of them may stand where is checked by the readers below.
#[derive(Default)]
pub struct Attributes {
    pub since: Option<TokenStream>,
    pub no_op: bool,
    pub deprecated: Option<TokenStream>,
    pub replaced_by: Option<String>,
    pub replaces: Option<Ident>,
    pub upgrade: Option<Path>,
    pub downgrade: Option<Path>,
}

pub fn of_struct(attributes: &[Attribute]) -> Result<Attributes> {
    each(attributes, &["deprecated", "replaced_by"])
}

pub fn of_field(attributes: &[Attribute]) -> Result<Attributes> {
    let all = ["since", "zero", "deprecated", "replaced_by", "replaces", "upgrade", "downgrade"];
    let found = each(attributes, &all)?;
    if found.upgrade.is_some() != found.downgrade.is_some() {
        let attribute = attributes.iter().find(|a| a.path().is_ident("extensible"));
        let text = "a type that changed needs both ways: upgrade and downgrade";
        return Err(Error::new_spanned(attribute, text));
    }
    Ok(found)
}

fn each(attributes: &[Attribute], allowed: &[&str]) -> Result<Attributes> {
    let mut found = Attributes::default();
    for attribute in attributes.iter().filter(|a| a.path().is_ident("extensible")) {
        attribute.parse_nested_meta(|meta| {
            let name = meta.path.get_ident().map(ToString::to_string).unwrap_or_default();
            if !allowed.contains(&name.as_str()) {
                return Err(meta.error(format!("wanted one of {}", allowed.join(", "))));
            }
            match name.as_str() {
                "since" => found.since = Some(version(&meta)?),
                "zero" => found.no_op = no_op(&meta)?,
                "deprecated" => found.deprecated = Some(version(&meta)?),
                "replaced_by" => found.replaced_by = Some(text(&meta)?.value()),
                "replaces" => found.replaces = Some(text(&meta)?.parse()?),
                "upgrade" => found.upgrade = Some(meta.value()?.parse()?),
                _ => found.downgrade = Some(meta.value()?.parse()?),
            }
            Ok(())
        })?;
    }
    Ok(found)
}

fn text(meta: &ParseNestedMeta<'_>) -> Result<LitStr> {
    meta.value()?.parse()
}

fn version(meta: &ParseNestedMeta<'_>) -> Result<TokenStream> {
    let literal = text(meta)?;
    let value = literal.value();
    let parts = value
        .split_once('.')
        .and_then(|(major, minor)| Some((major.parse::<u32>().ok()?, minor.parse::<u32>().ok()?)));
    let wrong = || Error::new(literal.span(), "wanted a version, such as \"1.2\"");
    let (major, minor) = parts.ok_or_else(wrong)?;
    Ok(quote!(::unskew_abi::contract::InterfaceVersion::new(#major, #minor)))
}

fn no_op(meta: &ParseNestedMeta<'_>) -> Result<bool> {
    let literal = text(meta)?;
    match literal.value().as_str() {
        "no-op" => Ok(true),
        "value" => Ok(false),
        _ => Err(Error::new(literal.span(), "wanted \"no-op\" or \"value\"")),
    }
}

/// The doc comment in one line.
pub fn doc(attributes: &[Attribute]) -> String {
    let lines = attributes.iter().filter_map(|attribute| match &attribute.meta {
        Meta::NameValue(pair) if pair.path.is_ident("doc") => match &pair.value {
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value().trim().to_owned()),
            _ => None,
        },
        _ => None,
    });
    lines.collect::<Vec<_>>().join(" ").trim().to_owned()
}
