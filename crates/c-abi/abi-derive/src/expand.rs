//! Expansion of `#[derive(Extensible)]`.

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use syn::{Data, DeriveInput, Error, Fields, Ident, Result, Type};

use crate::attributes::{Attributes, doc, of_field, of_struct};

struct Field<'a> {
    name: &'a Ident,
    shape: &'a Type,
    doc: String,
    attributes: Attributes,
}

pub fn expand(input: &DeriveInput) -> Result<TokenStream> {
    let fields = fields(input)?;
    let name = &input.ident;
    let own = of_struct(&input.attrs)?;
    let (text, docs) = (name.to_string(), doc(&input.attrs));
    let entries = fields.iter().map(|field| entry(name, field));
    let deprecated = deprecated(&own);
    let alignments = fields.iter().map(|field| {
        let shape = field.shape;
        quote!(assert!(align_of::<#shape>() <= 8, "the contract supports alignments up to 8");)
    });
    let reader = reader(input, &fields)?;
    let writer = writer(input, &fields)?;
    Ok(quote! {
        #[automatically_derived]
        impl ::unskew_abi::contract::Extensible for #name {
            const CONTRACT: &'static ::unskew_abi::contract::StructContract =
                &::unskew_abi::contract::StructContract {
                    name: #text,
                    doc: #docs,
                    fields: &[#(#entries),*],
                    deprecated: #deprecated,
                }
                .verified();
        }

        const _: () = { #(#alignments)* };

        #reader
        #writer
    })
}

fn fields(input: &DeriveInput) -> Result<Vec<Field<'_>>> {
    let c = input.attrs.iter().any(|attribute| {
        attribute.path().is_ident("repr") && attribute.to_token_stream().to_string().contains('C')
    });
    if !c {
        return Err(Error::new_spanned(&input.ident, "a struct of a C interface is #[repr(C)]"));
    }
    if !input.generics.params.is_empty() {
        return Err(Error::new_spanned(
            &input.generics,
            "a struct of a C interface is not generic",
        ));
    }
    let Data::Struct(data) = &input.data else {
        return Err(Error::new_spanned(&input.ident, "only structs grow by this contract"));
    };
    let Fields::Named(named) = &data.fields else {
        return Err(Error::new_spanned(&input.ident, "the fields of a C struct have names"));
    };
    let mut fields = Vec::new();
    for field in &named.named {
        let Some(name) = &field.ident else { continue };
        let attributes = of_field(&field.attrs)?;
        fields.push(Field { name, shape: &field.ty, doc: doc(&field.attrs), attributes });
    }
    match fields.first() {
        Some(first) if first.name == "struct_size" => Ok(fields),
        _ => Err(Error::new_spanned(&input.ident, "the first field is `struct_size: usize`")),
    }
}

fn entry(structure: &Ident, field: &Field<'_>) -> TokenStream {
    let Field { name, shape, doc, attributes } = field;
    let text = name.to_string();
    let type_name = shape.to_token_stream().to_string();
    let first = quote!(::unskew_abi::contract::InterfaceVersion::new(0, 0));
    let since = attributes.since.clone().unwrap_or(first);
    let zero = if attributes.no_op { quote!(NoOp) } else { quote!(Value) };
    let deprecated = deprecated(attributes);
    let replaces = match &attributes.replaces {
        Some(older) => {
            let older = older.to_string();
            quote!(::core::option::Option::Some(#older))
        }
        None => quote!(::core::option::Option::None),
    };
    quote! {
        ::unskew_abi::contract::FieldContract {
            name: #text,
            doc: #doc,
            type_name: #type_name,
            offset: ::core::mem::offset_of!(#structure, #name),
            bytes: ::core::mem::size_of::<#shape>(),
            since: #since,
            zero: ::unskew_abi::contract::Zero::#zero,
            deprecated: #deprecated,
            replaces: #replaces,
        }
    }
}

fn deprecated(attributes: &Attributes) -> TokenStream {
    let Some(since) = &attributes.deprecated else {
        return quote!(::core::option::Option::None);
    };
    let by = match &attributes.replaced_by {
        Some(name) => quote!(::core::option::Option::Some(#name)),
        None => quote!(::core::option::Option::None),
    };
    quote! {
        ::core::option::Option::Some(
            ::unskew_abi::contract::Deprecated { since: #since, replaced_by: #by }
        )
    }
}

/// The place of the field that another one replaces.
fn older<'a>(fields: &'a [Field<'a>], field: &Field<'_>) -> Result<Option<(usize, &'a Field<'a>)>> {
    let Some(name) = &field.attributes.replaces else { return Ok(None) };
    let found = fields.iter().enumerate().find(|(_, other)| other.name == name);
    let Some((i, other)) = found else {
        return Err(Error::new(name.span(), "no field of this name"));
    };
    if other.attributes.deprecated.is_none() {
        let text = "a field that is replaced is deprecated: say since when";
        return Err(Error::new(other.name.span(), text));
    }
    Ok(Some((i, other)))
}

fn reader(input: &DeriveInput, fields: &[Field<'_>]) -> Result<TokenStream> {
    let (name, visibility) = (&input.ident, &input.vis);
    let reader = format_ident!("{}Reader", name);
    let docs = format!("A [`{name}`] of another producer, read by its own size.");
    let mut functions = TokenStream::new();
    for (i, field) in fields.iter().enumerate().skip(1) {
        let Field { name, shape, doc, attributes } = field;
        let get = quote!(self.0.get::<#shape>(#i));
        let body = match (older(fields, field)?, &attributes.upgrade) {
            (None, _) => get,
            (Some((at, other)), None) => {
                let shape = other.shape;
                quote!(#get.or_else(|| self.0.get::<#shape>(#at)))
            }
            (Some((at, other)), Some(upgrade)) => {
                let shape = other.shape;
                quote!(#get.or_else(|| self.0.get::<#shape>(#at).map(#upgrade)))
            }
        };
        functions.extend(quote! {
            #[doc = #doc]
            pub fn #name(&self) -> ::core::option::Option<#shape> { #body }
        });
    }
    Ok(quote! {
        #[doc = #docs]
        #[derive(Clone, Copy, Debug)]
        #visibility struct #reader<'a>(::unskew_abi::contract::StructReader<'a>);

        impl<'a> #reader<'a> {
            /// The struct at this address.
            ///
            /// # Errors
            /// If it announces a size that cannot be true.
            ///
            /// # Safety
            /// As `unskew_abi::contract::StructReader::new`.
            #[allow(unsafe_code, reason = "the caller says what the address is")]
            pub unsafe fn new(
                base: ::core::ptr::NonNull<::core::ffi::c_void>,
            ) -> ::core::result::Result<Self, ::unskew_abi::Implausible> {
                let contract = <#name as ::unskew_abi::contract::Extensible>::CONTRACT;
                // SAFETY: the caller says so.
                unsafe { ::unskew_abi::contract::StructReader::new(base, contract) }.map(Self)
            }

            /// The struct without the types of its fields.
            pub fn reader(&self) -> &::unskew_abi::contract::StructReader<'a> {
                &self.0
            }

            #functions
        }
    })
}

fn writer(input: &DeriveInput, fields: &[Field<'_>]) -> Result<TokenStream> {
    let (name, visibility) = (&input.ident, &input.vis);
    let writer = format_ident!("{}Writer", name);
    let docs = format!("A [`{name}`] of another producer, filled in as far as that knows it.");
    let mut functions = TokenStream::new();
    for (i, field) in fields.iter().enumerate().skip(1) {
        let Field { name, shape, doc, attributes } = field;
        let function = format_ident!("set_{}", name);
        let set = quote!(self.0.set::<#shape>(#i, value));
        let body = match (older(fields, field)?, &attributes.downgrade) {
            (None, _) => set,
            // Whoever knows only the older field finds the value there.
            (Some((at, other)), downgrade) => {
                let shape = other.shape;
                let value = match downgrade {
                    Some(downgrade) => quote!(#downgrade(value)),
                    None => quote!(value),
                };
                quote! {
                    match self.0.set::<#shape>(#at, #value) {
                        ::core::result::Result::Ok(()) if !self.0.reader().has(#i) =>
                            ::core::result::Result::Ok(()),
                        _ => #set,
                    }
                }
            }
        };
        functions.extend(quote! {
            #[doc = #doc]
            ///
            /// # Errors
            /// If the other side's struct ends before the field, and the value is not zero.
            pub fn #function(
                &mut self,
                value: #shape,
            ) -> ::core::result::Result<(), ::unskew_abi::contract::AbsentField> { #body }
        });
    }
    Ok(quote! {
        #[doc = #docs]
        #[derive(Debug)]
        #visibility struct #writer<'a>(::unskew_abi::contract::StructWriter<'a>);

        impl<'a> #writer<'a> {
            /// The struct at this address.
            ///
            /// # Errors
            /// If it announces a size that cannot be true.
            ///
            /// # Safety
            /// As `unskew_abi::contract::StructWriter::new`.
            #[allow(unsafe_code, reason = "the caller says what the address is")]
            pub unsafe fn new(
                base: ::core::ptr::NonNull<::core::ffi::c_void>,
            ) -> ::core::result::Result<Self, ::unskew_abi::Implausible> {
                let contract = <#name as ::unskew_abi::contract::Extensible>::CONTRACT;
                // SAFETY: the caller says so.
                unsafe { ::unskew_abi::contract::StructWriter::new(base, contract) }.map(Self)
            }

            /// The struct for reading.
            pub fn reader(&self) -> ::unskew_abi::contract::StructReader<'_> {
                self.0.reader()
            }

            #functions
        }
    })
}
