//! `#[derive(Enumeration)]`: the numbers of an enumeration in a protobuf message.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{DataEnum, DeriveInput, Error, Result};

use crate::proto_attributes::{ValueAttributes, of_enumeration, one};

pub fn expand(input: &DeriveInput, data: &DataEnum) -> Result<TokenStream> {
    let attributes = of_enumeration(&input.attrs, &input.ident)?;
    let ident = &input.ident;
    let (name, rust) = (&attributes.name, ident.to_string());
    let (mut to_number, mut from_number, mut since, mut values) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut numbers = Vec::new();
    for variant in &data.variants {
        let value: ValueAttributes = one(&variant.attrs, "value", variant)?;
        if !variant.fields.is_empty() || numbers.contains(&value.number) {
            return Err(Error::new_spanned(variant, "wanted a name with a number of its own"));
        }
        numbers.push(value.number);
        let (number, wide, variant) = (value.number, i64::from(value.number), &variant.ident);
        let shown = format!("{}{}", attributes.prefix, variant.to_string().to_uppercase());
        let there = value.since.tokens();
        to_number.push(quote!(Self::#variant => #number,));
        from_number.push(quote!(#wide => ::core::option::Option::Some(Self::#variant),));
        since.push(quote!(Self::#variant => #there,));
        values.push(quote! {
            ::unskew_serdes::proto::ValueDescription { number: #number, name: #shown, since: #there }
        });
    }
    let unspecified = match &attributes.unspecified {
        Some(name) => quote!(::core::option::Option::Some(#name)),
        None => quote!(::core::option::Option::None),
    };
    Ok(quote! {
        #[automatically_derived]
        impl ::unskew_serdes::proto::Enumeration for #ident {
            const DESCRIPTION: &'static ::unskew_serdes::proto::EnumerationDescription =
                &::unskew_serdes::proto::EnumerationDescription {
                    name: #name,
                    rust: #rust,
                    unspecified: #unspecified,
                    values: &[#(#values),*],
                };

            fn number(self) -> i32 {
                match self { #(#to_number)* }
            }

            fn since(self) -> ::unskew_serdes::proto::SinceVersion {
                match self { #(#since)* }
            }

            fn from_number(number: i64) -> ::core::option::Option<Self> {
                match number {
                    #(#from_number)*
                    _ => ::core::option::Option::None,
                }
            }
        }
    })
}
