//! The formats of a type, and the fields of each.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Error, Fields, GenericParam, Generics, Ident, Member, Path, Result, Type};

use crate::attributes::{FieldAttributes, of_field};

/// A field with its attributes.
pub struct FormatField {
    pub member: Member,
    /// A name for it in the generated code.
    pub local: Ident,
    /// Its name in errors and schemas.
    pub name: String,
    pub shape: Type,
    pub attributes: FieldAttributes,
}

/// The fields of a struct or a variant.
pub fn fields(all: &Fields) -> Result<Vec<FormatField>> {
    let mut found: Vec<FormatField> = Vec::new();
    for (i, field) in all.iter().enumerate() {
        let member = match &field.ident {
            Some(name) => Member::Named(name.clone()),
            None => Member::Unnamed(i.into()),
        };
        let name = field.ident.as_ref().map_or_else(|| i.to_string(), ToString::to_string);
        let attributes = of_field(&field.attrs)?;
        let wrong = |text: &str| Err(Error::new_spanned(field, text));
        if attributes.skippable && attributes.until.is_some() {
            return wrong("a skippable field is never removed: old readers skip it");
        }
        if attributes.skippable && attributes.since.is_none() {
            return wrong("say since which version it is there");
        }
        if attributes.since.zip(attributes.until).is_some_and(|(since, until)| since > until) {
            return wrong("it would be gone before it is there");
        }
        if attributes.skippable && attributes.was.is_some() {
            return wrong("readers that skip a field know no older form of it");
        }
        if attributes.since.zip(attributes.was.as_ref()).is_some_and(|(since, w)| since > w.until) {
            return wrong("it would have an older form before it is there");
        }
        let before = found.iter().rfind(|other| other.attributes.skippable);
        if attributes.skippable && before.is_some_and(|b| b.attributes.since > attributes.since) {
            return wrong("skippable fields stand in the order of their versions");
        }
        let local = format_ident!("field_{}", i);
        found.push(FormatField { member, local, name, shape: field.ty.clone(), attributes });
    }
    Ok(found)
}

impl FormatField {
    /// What a reader of a version without the field puts there.
    pub fn default(&self) -> TokenStream {
        match &self.attributes.default {
            Some(expression) => quote!(#expression),
            None => quote!(::core::default::Default::default()),
        }
    }

    /// What follows a read: an error says of which field of which type, in the format of the
    /// variable `format`.
    pub fn placed(&self, type_name: &str) -> TokenStream {
        let name = &self.name;
        quote!(.map_err(|error| error.in_field(#name).in_format(#type_name, format))?)
    }

    /// Whether every format has it.
    pub fn everywhere(&self) -> bool {
        let FieldAttributes { since, until, skippable, .. } = &self.attributes;
        since.is_none() && until.is_none() && !skippable
    }

    /// Whether the format in the variable `format` has it.
    pub fn there(&self) -> TokenStream {
        let since = self.attributes.since.map(|since| quote!(format >= #since));
        let until = self.attributes.until.map(|until| quote!(format <= #until));
        match (since, until) {
            (None, None) => quote!(true),
            (Some(one), None) | (None, Some(one)) => one,
            (Some(one), Some(other)) => quote!(#one && #other),
        }
    }
}

/// The numbers at which the formats of a type begin, rising.
pub fn numbers<'a>(since: u32, fields: impl IntoIterator<Item = &'a FormatField>) -> Vec<u32> {
    let mut all = vec![since];
    for field in fields.into_iter().filter(|field| !field.attributes.skippable) {
        all.extend(field.attributes.since);
        all.extend(field.attributes.until.map(|until| until.saturating_add(1)));
        all.extend(field.attributes.was.as_ref().map(|was| was.until.saturating_add(1)));
    }
    all.sort_unstable();
    all.dedup();
    all
}

/// Compile errors for what no living version needs, and for versions that there are not.
pub fn guards<'a>(
    family: &Path,
    type_name: &str,
    fields: impl IntoIterator<Item = &'a FormatField>,
) -> TokenStream {
    let mut all = TokenStream::new();
    for field in fields {
        let name = format!("{type_name}.{}", field.name);
        let FieldAttributes { since, until, skippable, was, .. } = &field.attributes;
        if let Some(was) = was {
            let until = was.until;
            let next = until.saturating_add(1);
            let dead = format!(
                "{name}: no version that is still read has its older form: remove its was, and say since = {next} at the type"
            );
            all.extend(quote! {
                const _: () = assert!(#until >= <#family as ::unskew_serdes::Family>::MINIMUM, #dead);
            });
        }
        if let Some(since) = since {
            let unknown = format!("{name}: since = {since}: the family has no such version");
            all.extend(quote! {
                const _: () = assert!(#since <= <#family as ::unskew_serdes::Family>::CURRENT, #unknown);
            });
            let dead = format!(
                "{name}: every version that is still read has it: remove its since, and say since = {since} at the type"
            );
            if !skippable {
                all.extend(quote! {
                    const _: () = assert!(#since > <#family as ::unskew_serdes::Family>::MINIMUM, #dead);
                });
            }
        }
        if let Some(until) = until {
            // Its formats would be counted from 0 again, and older bytes taken for the newest.
            let next = until.saturating_add(1);
            let dead = format!(
                "{name}: no version that is still read has it: remove the field, and say since = {next} at the type"
            );
            all.extend(quote! {
                const _: () = assert!(#until >= <#family as ::unskew_serdes::Family>::MINIMUM, #dead);
            });
        }
    }
    all
}

/// The generics of the impl, with the bound that every parameter needs.
pub fn bounded(generics: &Generics, family: &Path) -> Generics {
    let mut bounded = generics.clone();
    for parameter in &mut bounded.params {
        if let GenericParam::Type(parameter) = parameter {
            parameter.bounds.push(syn::parse_quote!(::unskew_serdes::Format<#family>));
        }
    }
    bounded
}
