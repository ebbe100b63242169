//! `#[derive(Message)]` of enumerations: a message that is one of its fields, or a value of one of
//! several types by name.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{DataEnum, DeriveInput, Error, Fields, Result, Type, Variant};

use crate::message::{describe, guard, implementation, needs_type, read_one, write_present};
use crate::proto_attributes::{Envelope, MessageAttributes, ProtoFieldAttributes, of_message, one};

pub fn expand(input: &DeriveInput, data: &DataEnum) -> Result<TokenStream> {
    let attributes = of_message(&input.attrs, &input.ident)?;
    match &attributes.serialized {
        Some(envelope) => serialized(input, data, &attributes, envelope),
        None => choice(input, data, &attributes),
    }
}

/// What a variant holds: one value.
fn held(variant: &Variant) -> Result<&Type> {
    match &variant.fields {
        Fields::Unnamed(fields) if fields.unnamed.len() == 1 => Ok(&fields.unnamed[0].ty),
        _ => Err(Error::new_spanned(variant, "wanted a variant that holds one value")),
    }
}

/// A message that is one choice: each variant a field.
fn choice(
    input: &DeriveInput,
    data: &DataEnum,
    attributes: &MessageAttributes,
) -> Result<TokenStream> {
    let family = &attributes.family;
    let (mut writes, mut reads, mut fields) = (Vec::new(), Vec::new(), Vec::new());
    let (mut guards, mut choice_name) = (TokenStream::new(), String::new());
    for variant in &data.variants {
        let ident = &variant.ident;
        let field: ProtoFieldAttributes = one(&variant.attrs, "field", variant)?;
        let shown = ident.to_string();
        let in_field = quote!(.map_err(|error| error.in_field(#shown))?);
        let (number, since) = (field.number, field.since.version);
        let write = write_present(number, &field.kind, &quote!(value), &in_field);
        let needs = (since > 0).then(|| {
            guards.extend(guard(family, &shown, since));
            quote!(to.needs(#since)#in_field;)
        });
        writes.push(quote!(Self::#ident(value) => { #needs #write }));
        let read = read_one(&field.kind);
        reads.push(quote!(#number => Self::#ident(#read),));
        let name = field.name.clone().ok_or_else(|| {
            Error::new_spanned(variant, "say its name in descriptors: name = \"...\"")
        })?;
        let missing = || Error::new_spanned(variant, "say which choice: oneof = \"...\"");
        choice_name = field.oneof.clone().ok_or_else(missing)?;
        fields.push((number, describe(&field, &name, held(variant)?, family)));
    }
    fields.sort_by_key(|(number, _)| *number);
    let fields = fields.into_iter().map(|(_, field)| field);
    let needs = needs_type(attributes);
    let write = quote! {
        #needs
        match self { #(#writes)* }
        ::core::result::Result::Ok(())
    };
    let read = quote! {
        let mut found = ::core::option::Option::None;
        while let ::core::option::Option::Some(field) = from.next_field()? {
            let value = match field.number {
                #(#reads)*
                _ => return ::core::result::Result::Err(field.unknown()),
            };
            if found.replace(value).is_some() {
                return ::core::result::Result::Err(from.ambiguous(#choice_name));
            }
        }
        found.ok_or_else(|| from.missing(#choice_name))
    };
    let fields = quote!(#(#fields),*);
    let implementation = implementation(input, attributes, &write, &read, &fields);
    Ok(quote!(#guards #implementation))
}

/// A value of one of several types: its name and its contents.
fn serialized(
    input: &DeriveInput,
    data: &DataEnum,
    attributes: &MessageAttributes,
    envelope: &Envelope,
) -> Result<TokenStream> {
    let family = &attributes.family;
    let (mut writes, mut reads, mut types) = (Vec::new(), Vec::new(), Vec::new());
    for variant in &data.variants {
        let (ident, inner) = (&variant.ident, held(variant)?);
        let name = quote!(<#inner as ::unskew_serdes::StableName>::TYPE_NAME);
        writes.push(quote!(Self::#ident(value) => to.named(#name, value)));
        reads.push(quote!(name if name == #name => contents.message().map(Self::#ident),));
        types.push(quote! {
            ::unskew_serdes::proto::NamedMessage {
                name: #name,
                description: || <#inner as ::unskew_serdes::proto::Message<#family>>::DESCRIPTION,
            }
        });
    }
    let needs = needs_type(attributes);
    let body = quote!(match self { #(#writes,)* });
    let reads = quote! {
        match contents.name() {
            #(#reads)*
            _ => ::core::result::Result::Err(contents.unknown()),
        }
    };
    let (number, name) = envelope.field.clone().unwrap_or_default();
    let (write, read) = if envelope.field.is_some() {
        (
            quote!(#needs to.nested(#number, |to| #body)),
            quote! {
                let mut found = ::core::option::Option::None;
                while let ::core::option::Option::Some(field) = from.next_field()? {
                    match field.number {
                        #number => field.once(&mut found, field.fields("Serialized")?.named()?)?,
                        _ => return ::core::result::Result::Err(field.unknown()),
                    }
                }
                let contents = found.ok_or_else(|| from.missing(#name))?;
                #reads
            },
        )
    } else {
        (quote!(#needs #body), quote!(let contents = from.named()?; #reads))
    };
    let fields = quote! {
        ::unskew_serdes::proto::FieldDescription {
            number: #number,
            name: #name,
            label: ::unskew_serdes::proto::FieldLabel::Single,
            kind: ::unskew_serdes::proto::FieldKind::Serialized(&[#(#types),*]),
            oneof: ::core::option::Option::None,
            since: ::unskew_serdes::proto::SinceVersion::ALWAYS,
        }
    };
    let mut tokens = implementation(input, attributes, &write, &read, &fields);
    if envelope.field.is_none() {
        // Its fields are read by value.
        tokens = quote!(#[allow(unused_mut, reason = "the fields are not walked here")] #tokens);
    }
    Ok(tokens)
}
