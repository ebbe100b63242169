//! `#[format(view)]`: the borrowed view of a type.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{DeriveInput, Error, Member, Path, Result};

use crate::attributes::TypeAttributes;
use crate::formats::FormatField;

/// `NameView<'a>`, with the fields of `Name`.
pub fn of_struct(
    input: &DeriveInput,
    family: &Path,
    fields: &[FormatField],
    formats: &[u32],
) -> Result<TokenStream> {
    if !input.generics.params.is_empty() {
        let text = "a view is made only of a type without parameters";
        return Err(Error::new_spanned(&input.generics, text));
    }
    if let Some(field) = fields.iter().find(|field| field.attributes.was.is_some()) {
        let text = "a view is made only of fields that have no older form: those are converted";
        return Err(Error::new_spanned(&field.shape, text));
    }
    let (ident, visibility) = (&input.ident, &input.vis);
    let (name, view) = (ident.to_string(), format_ident!("{}View", ident));
    let docs = format!("A [`{name}`], read where it lies.");
    let declared = fields.iter().map(|field| {
        let (local, shape) = (place(field), &field.shape);
        let docs = format!("As in [`{name}`].");
        quote! {
            #[doc = #docs]
            pub #local: <#shape as ::unskew_serdes::Viewed<#family>>::View<'a>
        }
    });
    let reads = fields.iter().filter(|field| !field.attributes.skippable).map(|field| {
        let (local, shape, there) = (place(field), &field.shape, field.there());
        let placed = field.placed(&name);
        let read = quote!(<#shape as ::unskew_serdes::Viewed<#family>>::view(from)#placed);
        if field.everywhere() {
            return quote!(let #local = #read;);
        }
        let default = field.default();
        quote!(let #local = if #there { #read } else { #default };)
    });
    let tail = fields.iter().filter(|field| field.attributes.skippable).map(|field| {
        let (local, shape, default) = (place(field), &field.shape, field.default());
        let placed = field.placed(&name);
        let read = quote!(<#shape as ::unskew_serdes::Viewed<#family>>::view(from)#placed);
        quote!(let #local = if skippable && from.left() > 0 { #read } else { #default };)
    });
    let built = fields.iter().map(place);
    Ok(quote! {
        #[doc = #docs]
        #[derive(Clone, Debug)]
        #visibility struct #view<'a> {
            #(#declared,)*
            #[doc(hidden)]
            pub lifetime: ::core::marker::PhantomData<&'a ()>,
        }

        #[automatically_derived]
        impl ::unskew_serdes::Viewed<#family> for #ident {
            type View<'a> = #view<'a>;
            type ListView<'a> = ::unskew_serdes::ViewedList<'a, #family, Self>;

            #[inline]
            fn view<'a>(
                from: &mut ::unskew_serdes::Decoder<'a, #family>,
            ) -> ::core::result::Result<#view<'a>, ::unskew_serdes::DecodeError> {
                from.framed(|from, found, skippable| {
                    let format = from.format(#name, &[#(#formats),*], found)?;
                    #(#reads)*
                    #(#tail)*
                    let _ = (format, skippable);
                    let lifetime = ::core::marker::PhantomData;
                    ::core::result::Result::Ok(#view { #(#built,)* lifetime })
                })
            }

            fn view_list<'a>(
                from: &mut ::unskew_serdes::Decoder<'a, #family>,
            ) -> ::core::result::Result<Self::ListView<'a>, ::unskew_serdes::DecodeError> {
                ::unskew_serdes::ViewedList::read(from)
            }
        }
    })
}

/// An enumeration without fields is its own view.
pub fn of_enumeration(
    input: &DeriveInput,
    attributes: &TypeAttributes,
    bare: bool,
) -> Result<TokenStream> {
    if !bare {
        let text = "a view is made only of an enumeration without fields";
        return Err(Error::new_spanned(&input.ident, text));
    }
    let (ident, family) = (&input.ident, &attributes.family);
    Ok(quote! {
        #[automatically_derived]
        impl ::unskew_serdes::Viewed<#family> for #ident {
            type View<'a> = Self;
            type ListView<'a> = ::unskew_serdes::ViewedList<'a, #family, Self>;

            #[inline]
            fn view<'a>(
                from: &mut ::unskew_serdes::Decoder<'a, #family>,
            ) -> ::core::result::Result<Self, ::unskew_serdes::DecodeError> {
                <Self as ::unskew_serdes::Format<#family>>::read(from)
            }

            fn view_list<'a>(
                from: &mut ::unskew_serdes::Decoder<'a, #family>,
            ) -> ::core::result::Result<Self::ListView<'a>, ::unskew_serdes::DecodeError> {
                ::unskew_serdes::ViewedList::read(from)
            }
        }
    })
}

/// The field in the view: its own name, or `field_0`.
fn place(field: &FormatField) -> syn::Ident {
    match &field.member {
        Member::Named(name) => name.clone(),
        Member::Unnamed(_) => field.local.clone(),
    }
}
