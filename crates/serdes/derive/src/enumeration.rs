//! `#[derive(Format)]` of enumerations.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{DataEnum, DeriveInput, Error, Ident, Result};

use crate::attributes::{TypeAttributes, VariantAttributes, of_type, of_variant};
use crate::formats::{FormatField, bounded, fields};
use crate::structure::describe_fields;
use crate::view;

struct Variant {
    ident: Ident,
    attributes: VariantAttributes,
    fields: Vec<FormatField>,
}

pub fn expand(input: &DeriveInput, data: &DataEnum) -> Result<TokenStream> {
    let attributes = of_type(&input.attrs, &input.ident)?;
    let variants = variants(data)?;
    let (family, ident) = (&attributes.family, &input.ident);
    let name = ident.to_string();
    let guards = guards(&attributes, &name, &variants);
    let generics = bounded(&input.generics, family);
    let (implementation, _, bounds) = generics.split_for_impl();
    let (_, parameters, _) = input.generics.split_for_impl();
    let mut formats = vec![attributes.since];
    for VariantAttributes { since, until, .. } in variants.iter().map(|v| &v.attributes) {
        formats.extend(since);
        formats.extend(until.map(|until| until.saturating_add(1)));
    }
    formats.sort_unstable();
    formats.dedup();
    let writes = variants.iter().map(|variant| write_variant(&attributes, &formats, variant));
    let reads = variants.iter().map(|variant| read_variant(&attributes, variant));
    let read = quote! {
        let found = from.varint()?;
        // Of values without fields this becomes a table, which no branch stands before.
        let known = match found {
            #(#reads)*
            _ => ::core::option::Option::None,
        };
        known.ok_or_else(|| {
            from.error(::unskew_serdes::DecodeProblem::UnknownValue { type_name: #name, found })
        })
    };
    let read = if attributes.plain {
        read
    } else {
        quote! {
            from.framed(|from, found, _| {
                let format = from.format(#name, &[#(#formats),*], found)?;
                let _ = format;
                #read
            })
        }
    };
    let view = if attributes.view {
        view::of_enumeration(input, &attributes, variants.iter().all(|v| v.fields.is_empty()))?
    } else {
        TokenStream::new()
    };
    let least: usize = if attributes.plain { 1 } else { 3 };
    let schema = variants.iter().map(|variant| {
        let (id, name) = (variant.attributes.id, variant.ident.to_string());
        let since = variant.attributes.since.unwrap_or(0);
        let until = variant.attributes.until.unwrap_or(u32::MAX);
        let lines = describe_fields(&variant.fields, family);
        quote!(if (#since..=#until).contains(&version) { to.variant(#id, #name, |to| { #lines }); })
    });
    Ok(quote! {
        #guards
        #view

        #[automatically_derived]
        impl #implementation ::unskew_serdes::Format<#family> for #ident #parameters #bounds {
            const LEAST_BYTES: usize = #least;

            #[inline]
            fn write(
                &self,
                to: &mut ::unskew_serdes::Encoder<'_, #family>,
            ) -> ::core::result::Result<(), ::unskew_serdes::EncodeError> {
                match self {
                    #(#writes)*
                }
            }

            #[inline]
            fn read(
                from: &mut ::unskew_serdes::Decoder<'_, #family>,
            ) -> ::core::result::Result<Self, ::unskew_serdes::DecodeError> {
                #read
            }

            fn schema(version: u32, to: &mut ::unskew_serdes::FormatSchema) {
                to.enumeration(#name, |to| { #(#schema)* });
            }
        }
    })
}

fn variants(data: &DataEnum) -> Result<Vec<Variant>> {
    let mut all: Vec<Variant> = Vec::new();
    for variant in &data.variants {
        let attributes = of_variant(&variant.attrs, &variant.ident)?;
        if let Some(other) = all.iter().find(|other| other.attributes.id == attributes.id) {
            let text = format!("{} has this number already", other.ident);
            return Err(Error::new_spanned(variant, text));
        }
        let fields = fields(&variant.fields)?;
        if let Some(field) = fields.iter().find(|field| !field.everywhere()) {
            let text = "the fields of a variant do not change: give it a struct that does";
            return Err(Error::new_spanned(&field.shape, text));
        }
        all.push(Variant { ident: variant.ident.clone(), attributes, fields });
    }
    Ok(all)
}

/// A variant is there since a version, as a field is.
fn guards(attributes: &TypeAttributes, name: &str, variants: &[Variant]) -> TokenStream {
    let family = &attributes.family;
    // The formats of a type that has some must not be counted from 0 again.
    let type_since = |since: u32| match attributes.plain {
        true => String::new(),
        false => format!(", and say since = {since} at the type"),
    };
    let mut all = TokenStream::new();
    for variant in variants {
        if let Some(until) = variant.attributes.until {
            let dead = format!(
                "{name}::{}: no version that is still read has it: remove the variant{}",
                variant.ident,
                type_since(until.saturating_add(1))
            );
            all.extend(quote! {
                const _: () = assert!(#until >= <#family as ::unskew_serdes::Family>::MINIMUM, #dead);
            });
        }
        let Some(since) = variant.attributes.since else { continue };
        let name = format!("{name}::{}", variant.ident);
        let unknown = format!("{name}: since = {since}: the family has no such version");
        let dead = format!(
            "{name}: every version that is still read has it: remove its since{}",
            type_since(since)
        );
        all.extend(quote! {
            const _: () = assert!(#since <= <#family as ::unskew_serdes::Family>::CURRENT, #unknown);
            const _: () = assert!(#since > <#family as ::unskew_serdes::Family>::MINIMUM, #dead);
        });
    }
    all
}

fn write_variant(attributes: &TypeAttributes, formats: &[u32], variant: &Variant) -> TokenStream {
    let (family, ident, id) = (&attributes.family, &variant.ident, variant.attributes.id);
    let (lowest, name) = (attributes.since, ident.to_string());
    let bindings = variant.fields.iter().map(|field| {
        let (member, local) = (&field.member, &field.local);
        quote!(#member: #local)
    });
    let writes = variant.fields.iter().map(|field| {
        let (local, name, shape) = (&field.local, &field.name, &field.shape);
        quote! {
            <#shape as ::unskew_serdes::Format<#family>>::write(#local, to)
                .map_err(|error| error.in_field(#name))?;
        }
    });
    let VariantAttributes { since, until, .. } = variant.attributes;
    let young = since.map(|since| quote!(choice.needs(#name, #since)?;));
    let old = until.map(|until| quote!(choice.gone_after(#name, #until)?;));
    let needs = (young.is_some() || old.is_some()).then(|| quote!(#young #old));
    let body = quote! {
        to.varint(#id);
        #(#writes)*
        ::core::result::Result::Ok(())
    };
    let body = match (attributes.plain, needs) {
        (true, None) => body,
        (false, None) if formats.len() == 1 => quote! {
            let format = ::unskew_serdes::derive_support::only::<#family>(to, #lowest)?;
            to.framed(format, false, |to| { #body })
        },
        (plain, needs) => {
            let mutable = needs.as_ref().map(|_| quote!(mut));
            let body = if plain {
                body
            } else {
                quote! {
                    let format = choice.format(&[#(#formats),*]);
                    to.framed(format, false, |to| { #body })
                }
            };
            quote! {
                let #mutable choice =
                    ::unskew_serdes::derive_support::FormatChoice::<#family>::new(to, #lowest)?;
                #needs
                #body
            }
        }
    };
    quote!(Self::#ident { #(#bindings),* } => { #body })
}

fn read_variant(attributes: &TypeAttributes, variant: &Variant) -> TokenStream {
    let (family, ident, id) = (&attributes.family, &variant.ident, variant.attributes.id);
    let until = variant.attributes.until.filter(|_| !attributes.plain);
    let there = until.map(|until| quote!(if format <= #until));
    let built = variant.fields.iter().map(|field| {
        let (member, shape) = (&field.member, &field.shape);
        quote!(#member: <#shape as ::unskew_serdes::Format<#family>>::read(from)?)
    });
    quote!(#id #there => ::core::option::Option::Some(Self::#ident { #(#built),* }),)
}
