//! `#[derive(Format)]` of structs.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{DataStruct, DeriveInput, Error, Result};

use crate::attributes::{FormerType, of_type};
use crate::formats::{FormatField, bounded, fields, guards, numbers};
use crate::view;

pub fn expand(input: &DeriveInput, data: &DataStruct) -> Result<TokenStream> {
    let attributes = of_type(&input.attrs, &input.ident)?;
    if attributes.plain {
        return Err(Error::new_spanned(&input.ident, "only an enumeration can be plain"));
    }
    let (family, since, ident) = (&attributes.family, attributes.since, &input.ident);
    let name = ident.to_string();
    let fields = fields(&data.fields)?;
    let formats = numbers(since, &fields);
    let guards = guards(family, &name, &fields);
    let generics = bounded(&input.generics, family);
    let (implementation, _, bounds) = generics.split_for_impl();
    let (_, parameters, _) = input.generics.split_for_impl();
    let bindings = fields.iter().map(|field| {
        let (member, local) = (&field.member, &field.local);
        quote!(#member: #local)
    });
    let write = write_body(&fields, &formats, family);
    let reads = read_fields(&name, &fields, family);
    let reads_into = read_fields_into(&name, &fields, family);
    let places = bindings.clone();
    let built = fields.iter().map(|field| {
        let (member, local) = (&field.member, &field.local);
        quote!(#member: #local)
    });
    let schema = describe(&name, &fields, family);
    let view = if attributes.view {
        view::of_struct(input, family, &fields, &formats)?
    } else {
        TokenStream::new()
    };
    Ok(quote! {
        #guards
        #view

        #[automatically_derived]
        impl #implementation ::unskew_serdes::Format<#family> for #ident #parameters #bounds {
            const LEAST_BYTES: usize = 2;

            #[inline]
            fn write(
                &self,
                to: &mut ::unskew_serdes::Encoder<'_, #family>,
            ) -> ::core::result::Result<(), ::unskew_serdes::EncodeError> {
                let Self { #(#bindings),* } = self;
                #write
            }

            #[inline]
            fn read(
                from: &mut ::unskew_serdes::Decoder<'_, #family>,
            ) -> ::core::result::Result<Self, ::unskew_serdes::DecodeError> {
                from.framed(|from, found, skippable| {
                    let format = from.format(#name, &[#(#formats),*], found)?;
                    #reads
                    let _ = (format, skippable);
                    ::core::result::Result::Ok(Self { #(#built),* })
                })
            }

            #[inline]
            fn read_into(
                &mut self,
                from: &mut ::unskew_serdes::Decoder<'_, #family>,
            ) -> ::core::result::Result<(), ::unskew_serdes::DecodeError> {
                from.framed(|from, found, skippable| {
                    let format = from.format(#name, &[#(#formats),*], found)?;
                    let Self { #(#places),* } = self;
                    #reads_into
                    let _ = (format, skippable);
                    ::core::result::Result::Ok(())
                })
            }

            fn schema(version: u32, to: &mut ::unskew_serdes::FormatSchema) {
                #schema
            }
        }
    })
}

/// Chooses the format, and writes the fields that it has.
fn write_body(fields: &[FormatField], formats: &[u32], family: &syn::Path) -> TokenStream {
    let choose = choose(fields, formats, family);
    let (tail, plain): (Vec<&FormatField>, Vec<&FormatField>) =
        fields.iter().partition(|field| field.attributes.skippable);
    let writes = plain.iter().map(|field| {
        let write = write_field(field, family);
        if field.everywhere() {
            return write;
        }
        let there = field.there();
        quote!(if #there { #write })
    });
    // The tail goes on to the last field that holds something.
    let counts = tail.iter().enumerate().map(|(i, field)| {
        let (local, default, position) = (&field.local, field.default(), i + 1);
        quote!(if ::unskew_serdes::derive_support::holds(#local, #default) { tail = #position; })
    });
    let tail_writes = tail.iter().enumerate().map(|(i, field)| {
        let write = write_field(field, family);
        quote!(if tail > #i { #write })
    });
    let begin =
        if tail.is_empty() { quote!(let tail = 0_usize;) } else { quote!(let mut tail = 0_usize;) };
    quote! {
        #choose
        #begin
        #(#counts)*
        to.framed(format, tail > 0, |to| {
            #(#writes)*
            #(#tail_writes)*
            ::core::result::Result::Ok(())
        })
    }
}

fn write_field(field: &FormatField, family: &syn::Path) -> TokenStream {
    let (local, name, shape) = (&field.local, &field.name, &field.shape);
    let newest = quote! {
        <#shape as ::unskew_serdes::Format<#family>>::write(#local, to)
            .map_err(|error| error.in_field(#name))?;
    };
    let Some(FormerType { shape, until, write, .. }) = &field.attributes.was else { return newest };
    quote! {
        if format <= #until {
            let older = #write(#local)
                .map_err(|text| ::unskew_serdes::derive_support::not_written(text).in_field(#name))?;
            <#shape as ::unskew_serdes::Format<#family>>::write(&older, to)
                .map_err(|error| error.in_field(#name))?;
        } else {
            #newest
        }
    }
}

fn read_field(type_name: &str, field: &FormatField, family: &syn::Path) -> TokenStream {
    let (shape, placed) = (&field.shape, field.placed(type_name));
    let newest = quote!(<#shape as ::unskew_serdes::Format<#family>>::read(from)#placed);
    let Some(FormerType { shape, until, read, .. }) = &field.attributes.was else { return newest };
    quote! {
        if format <= #until {
            let older = <#shape as ::unskew_serdes::Format<#family>>::read(from)#placed;
            #read(older)
                .map_err(|text| ::unskew_serdes::derive_support::not_read(from, text))#placed
        } else {
            #newest
        }
    }
}

/// The variable `format`: what is recorded.
fn choose(fields: &[FormatField], formats: &[u32], family: &syn::Path) -> TokenStream {
    let lowest = formats.first().copied().unwrap_or_default();
    if let [only] = formats {
        return quote! {
            let format = ::unskew_serdes::derive_support::only::<#family>(to, #only)?;
        };
    }
    let young = fields.iter().filter(|field| !field.attributes.skippable).filter_map(|field| {
        let (local, name, default) = (&field.local, &field.name, field.default());
        let since = field.attributes.since?;
        Some(quote!(if ::unskew_serdes::derive_support::holds(#local, #default) { choice.needs(#name, #since)?; }))
    });
    let removed = fields.iter().filter_map(|field| {
        let (local, name, default) = (&field.local, &field.name, field.default());
        let until = field.attributes.until?;
        Some(quote!(if ::unskew_serdes::derive_support::holds(#local, #default) { choice.gone_after(#name, #until)?; }))
    });
    let converted = fields.iter().filter_map(|field| {
        let (local, name) = (&field.local, &field.name);
        let FormerType { until, write, .. } = field.attributes.was.as_ref()?;
        Some(quote!(if let ::core::result::Result::Err(text) = #write(#local) {
            choice.needs_newer(#name, #until, text)?;
        }))
    });
    quote! {
        let mut choice = ::unskew_serdes::derive_support::FormatChoice::<#family>::new(to, #lowest)?;
        #(#removed)*
        #(#young)*
        #(#converted)*
        let format = choice.format(&[#(#formats),*]);
    }
}

fn read_fields(type_name: &str, fields: &[FormatField], family: &syn::Path) -> TokenStream {
    let plain = fields.iter().filter(|field| !field.attributes.skippable).map(|field| {
        let (local, shape, read) =
            (&field.local, &field.shape, read_field(type_name, field, family));
        if field.everywhere() {
            return quote!(let #local = #read;);
        }
        let (there, default) = (field.there(), field.default());
        quote!(let #local: #shape = if #there { #read } else { #default };)
    });
    let tail = fields.iter().filter(|field| field.attributes.skippable).map(|field| {
        let (local, shape, default) = (&field.local, &field.shape, field.default());
        let placed = field.placed(type_name);
        let read = quote!(<#shape as ::unskew_serdes::Format<#family>>::read(from)#placed);
        quote! {
            let #local: #shape =
                if skippable && from.left() > 0 { #read } else { #default };
        }
    });
    quote!(#(#plain)* #(#tail)*)
}

/// Fills one variable for each field, which is a place for it.
fn read_fields_into(type_name: &str, fields: &[FormatField], family: &syn::Path) -> TokenStream {
    let (tail, plain): (Vec<&FormatField>, Vec<&FormatField>) =
        fields.iter().partition(|field| field.attributes.skippable);
    let fill = |field: &FormatField| {
        let (local, shape) = (&field.local, &field.shape);
        if field.attributes.was.is_some() {
            let read = read_field(type_name, field, family);
            return quote!(*#local = #read;);
        }
        let placed = field.placed(type_name);
        quote!(<#shape as ::unskew_serdes::Format<#family>>::read_into(#local, from)#placed;)
    };
    let plain = plain.into_iter().map(|field| {
        let fill = fill(field);
        if field.everywhere() {
            return fill;
        }
        let (local, there, default) = (&field.local, field.there(), field.default());
        quote!(if #there { #fill } else { *#local = #default; })
    });
    let tail = tail.into_iter().map(|field| {
        let (local, default, fill) = (&field.local, field.default(), fill(field));
        quote!(if skippable && from.left() > 0 { #fill } else { *#local = #default; })
    });
    quote!(#(#plain)* #(#tail)*)
}

/// Says what the type looks like at a version.
fn describe(name: &str, fields: &[FormatField], family: &syn::Path) -> TokenStream {
    let lines = describe_fields(fields, family);
    quote!(to.structure(#name, |to| { #lines });)
}

/// One line for each field that the variable `version` has.
pub fn describe_fields(fields: &[FormatField], family: &syn::Path) -> TokenStream {
    let lines = fields.iter().map(|field| {
        let (name, shape) = (&field.name, &field.shape);
        let since = field.attributes.since.unwrap_or(0);
        let until = field.attributes.until.unwrap_or(u32::MAX);
        let skippable = field.attributes.skippable;
        let newest = quote!(<#shape as ::unskew_serdes::Format<#family>>::schema(version, to));
        let shown = match &field.attributes.was {
            None => newest,
            Some(FormerType { shape, until, .. }) => quote! {
                if version <= #until {
                    <#shape as ::unskew_serdes::Format<#family>>::schema(version, to)
                } else {
                    #newest
                }
            },
        };
        quote! {
            if (#since..=#until).contains(&version) {
                to.field(#name, #skippable, |to| #shown);
            }
        }
    });
    quote!(#(#lines)*)
}
