//! `#[derive(Message)]` of structs: the writer, the reader and the description of a protobuf message.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{
    DataStruct, DeriveInput, Error, GenericArgument, Ident, Path, PathArguments, Result, Type,
};

use crate::proto_attributes::{
    MessageAttributes, ProtoFieldAttributes, ProtoFieldKind, ProtoFieldLabel, ProtoSince,
    of_message, one,
};

/// A field with its attributes.
pub struct MessageField {
    pub ident: Ident,
    /// A name for it in the generated code.
    pub local: Ident,
    /// What a single one is: the type, without the list or the option around it.
    pub inner: Type,
    pub attributes: ProtoFieldAttributes,
}

impl MessageField {
    /// Its name in descriptors.
    pub fn name(&self) -> String {
        self.attributes.name.clone().unwrap_or_else(|| self.ident.to_string())
    }
}

pub fn expand(input: &DeriveInput, data: &DataStruct) -> Result<TokenStream> {
    let attributes = of_message(&input.attrs, &input.ident)?;
    if attributes.serialized.is_some() {
        return Err(Error::new_spanned(
            &input.ident,
            "only an enumeration is one of several types",
        ));
    }
    let fields = fields(data)?;
    let guards = guards(&attributes, &fields);
    let write = write(&attributes, &fields)?;
    let read = read(&attributes, &fields);
    let descriptions = fields
        .iter()
        .map(|field| describe(&field.attributes, &field.name(), &field.inner, &attributes.family));
    let descriptions = quote!(#(#descriptions),*);
    let implementation = implementation(input, &attributes, &write, &read, &descriptions);
    Ok(quote!(#guards #implementation))
}

/// The implementation around its three parts.
pub fn implementation(
    input: &DeriveInput,
    attributes: &MessageAttributes,
    write: &TokenStream,
    read: &TokenStream,
    fields: &TokenStream,
) -> TokenStream {
    let MessageAttributes { family, name, version, since, .. } = attributes;
    let (ident, since) = (&input.ident, since.tokens());
    let rust = ident.to_string();
    let named = attributes.type_name.as_ref().map(|name| {
        quote! {
            #[automatically_derived]
            impl ::unskew_serdes::StableName for #ident {
                const TYPE_NAME: &'static str = #name;
            }
        }
    });
    let version = optional(*version);
    let removed = optional(attributes.removed_with_minimum);
    quote! {
        #named

        #[automatically_derived]
        impl ::unskew_serdes::proto::Message<#family> for #ident {
            const NAME: &'static str = #rust;
            const DESCRIPTION: &'static ::unskew_serdes::proto::MessageDescription =
                &::unskew_serdes::proto::MessageDescription {
                    name: #name,
                    rust: #rust,
                    version: #version,
                    since: #since,
                    removed_with_minimum: #removed,
                    fields: &[#fields],
                };

            fn write(
                &self,
                to: &mut ::unskew_serdes::proto::ProtoEncoder<'_, #family>,
            ) -> ::core::result::Result<(), ::unskew_serdes::EncodeError> {
                #write
            }

            fn read(
                mut from: ::unskew_serdes::proto::WireFields<'_, #family>,
            ) -> ::core::result::Result<Self, ::unskew_serdes::DecodeError> {
                #read
            }
        }
    }
}

fn optional(number: Option<u32>) -> TokenStream {
    match number {
        Some(number) => quote!(::core::option::Option::Some(#number)),
        None => quote!(::core::option::Option::None),
    }
}

fn fields(data: &DataStruct) -> Result<Vec<MessageField>> {
    let mut found: Vec<MessageField> = Vec::new();
    for (i, field) in data.fields.iter().enumerate() {
        let Some(ident) = field.ident.clone() else {
            return Err(Error::new_spanned(field, "the fields of a message have names"));
        };
        let attributes: ProtoFieldAttributes = one(&field.attrs, "field", field)?;
        let inner = match attributes.label {
            ProtoFieldLabel::Single => field.ty.clone(),
            ProtoFieldLabel::Optional | ProtoFieldLabel::Repeated => inside(&field.ty)?,
        };
        found.push(MessageField { ident, local: format_ident!("field_{}", i), inner, attributes });
    }
    found.sort_by_key(|field| field.attributes.number);
    match found.array_windows().find(|[a, b]| a.attributes.number == b.attributes.number) {
        Some([_, twice]) => Err(Error::new_spanned(&twice.ident, "another field has this number")),
        None => Ok(found),
    }
}

/// `T` of `Vec<T>` and `Option<T>`.
fn inside(outer: &Type) -> Result<Type> {
    let wrong = || Error::new_spanned(outer, "wanted an Option or a Vec");
    let Type::Path(path) = outer else { return Err(wrong()) };
    let last = path.path.segments.last().ok_or_else(wrong)?;
    match &last.arguments {
        PathArguments::AngleBracketed(arguments) => match arguments.args.first() {
            Some(GenericArgument::Type(inner)) => Ok(inner.clone()),
            _ => Err(wrong()),
        },
        _ => Err(wrong()),
    }
}

/// The numbers of its formats, rising.
fn formats(attributes: &MessageAttributes, fields: &[MessageField]) -> Vec<u32> {
    let first = if attributes.since.silent { 0 } else { attributes.since.version };
    let recorded = |since: &ProtoSince| !since.silent && since.version > first;
    let mut all = vec![first];
    all.extend(fields.iter().map(|f| f.attributes.since).filter(recorded).map(|s| s.version));
    all.sort_unstable();
    all.dedup();
    all
}

/// A version that a field names must be one that the family has; one that every living version has is
/// dead code.
fn guards(attributes: &MessageAttributes, fields: &[MessageField]) -> TokenStream {
    let family = &attributes.family;
    let mut all = TokenStream::new();
    for field in fields.iter().filter(|field| field.attributes.since.version > 0) {
        let (name, since) = (&field.ident, field.attributes.since.version);
        all.extend(guard(family, &name.to_string(), since));
    }
    all
}

/// The same for one thing.
pub fn guard(family: &Path, name: &str, since: u32) -> TokenStream {
    let unknown = format!("{name}: since = {since}: the family has no such version");
    let dead = format!("{name}: every version that is still read has it: remove its since");
    quote! {
        const _: () = assert!(#since <= <#family as ::unskew_serdes::Family>::CURRENT, #unknown);
        const _: () = assert!(#since > <#family as ::unskew_serdes::Family>::MINIMUM, #dead);
    }
}

/// Says that the requested version must have the type.
pub fn needs_type(attributes: &MessageAttributes) -> TokenStream {
    match attributes.since.version {
        0 => TokenStream::new(),
        since => quote!(to.needs(#since)?;),
    }
}

fn write(attributes: &MessageAttributes, fields: &[MessageField]) -> Result<TokenStream> {
    let all = formats(attributes, fields);
    let first = all.first().copied().unwrap_or_default();
    let young = fields.iter().filter(|field| field.attributes.since.version > first).map(|field| {
        let (ident, name) = (&field.ident, field.ident.to_string());
        let ProtoSince { version, silent } = field.attributes.since;
        let held = holds(field, &quote!(self.#ident));
        let raise = (!silent).then(|| quote!(least = least.max(#version);));
        quote! {
            if #held {
                to.needs(#version).map_err(|error| error.in_field(#name))?;
                #raise
            }
        }
    });
    let several = all.len() > 1;
    let least = several.then(|| quote!(let mut least = #first;));
    let as_requested = attributes.as_requested;
    let format = attributes.version.map(|_| {
        quote! {
            let format = to.format(&[#(#all),*], #first, #as_requested);
        }
    });
    let format = if several && attributes.version.is_some() {
        Some(quote!(let format = to.format(&[#(#all),*], least, #as_requested);))
    } else {
        format
    };
    if several && attributes.version.is_none() {
        let text = "a field with a version, in a message that records none: silent_since";
        return Err(Error::new(proc_macro2::Span::call_site(), text));
    }
    let mut parts: Vec<(u32, TokenStream)> =
        fields.iter().map(|field| (field.attributes.number, write_field(field))).collect();
    if let Some(number) = attributes.version {
        parts.push((number, quote!(to.int(#number, i64::from(format));)));
    }
    parts.sort_by_key(|(number, _)| *number);
    let parts = parts.into_iter().map(|(_, part)| part);
    let check = attributes.check.as_ref().map(|check| {
        quote! {
            #check(self).map_err(|text| ::unskew_serdes::EncodeError::new(
                ::unskew_serdes::EncodeProblem::Refused(::std::string::String::from(text)),
            ))?;
        }
    });
    let needs = needs_type(attributes);
    Ok(quote! {
        #needs
        #check
        #least
        #(#young)*
        #format
        #(#parts)*
        ::core::result::Result::Ok(())
    })
}

fn holds(field: &MessageField, value: &TokenStream) -> TokenStream {
    match (field.attributes.label, &field.attributes.kind) {
        (ProtoFieldLabel::Optional, _) => quote!(#value.is_some()),
        (ProtoFieldLabel::Repeated, _) | (_, ProtoFieldKind::Text | ProtoFieldKind::Bytes) => {
            quote!(!#value.is_empty())
        }
        (_, ProtoFieldKind::Message | ProtoFieldKind::Opaque(_)) => quote!(true),
        // The type is named, or crates that can be compared with a number, such as serde_json, make it ambiguous.
        _ => {
            let inner = &field.inner;
            quote!(#value != <#inner as ::core::default::Default>::default())
        }
    }
}

fn write_field(field: &MessageField) -> TokenStream {
    let (ident, name) = (&field.ident, field.ident.to_string());
    let ProtoFieldAttributes { number, kind, label, always, .. } = &field.attributes;
    let in_field = quote!(.map_err(|error| error.in_field(#name))?);
    match label {
        ProtoFieldLabel::Single if *always => {
            write_present(*number, kind, &quote!(&self.#ident), &in_field)
        }
        ProtoFieldLabel::Single => write_single(*number, kind, &quote!(&self.#ident), &in_field),
        ProtoFieldLabel::Optional => {
            let write = write_present(*number, kind, &quote!(value), &in_field);
            quote!(if let ::core::option::Option::Some(value) = &self.#ident { #write })
        }
        ProtoFieldLabel::Repeated => write_repeated(*number, kind, ident, &name),
    }
}

fn write_single(
    n: u32,
    kind: &ProtoFieldKind,
    value: &TokenStream,
    in_field: &TokenStream,
) -> TokenStream {
    match kind {
        ProtoFieldKind::Int32 | ProtoFieldKind::Int64 => quote!(to.int(#n, i64::from(*#value));),
        ProtoFieldKind::Bool => quote!(to.flag(#n, *#value);),
        ProtoFieldKind::Text | ProtoFieldKind::Bytes => quote!(to.bytes(#n, #value.as_ref());),
        ProtoFieldKind::Sfixed64 => quote!(if *#value != 0 { to.fixed(#n, *#value); }),
        ProtoFieldKind::Fixed64 => {
            quote!(if *#value != 0 { to.fixed(#n, (#value).cast_signed()); })
        }
        ProtoFieldKind::Float => quote!(if (#value).to_bits() != 0 { to.float(#n, *#value); }),
        ProtoFieldKind::Enumeration => quote!(to.enumeration(#n, *#value)#in_field;),
        ProtoFieldKind::Message | ProtoFieldKind::Opaque(_) => {
            write_present(n, kind, value, in_field)
        }
    }
}

/// What is there, even if it is zero or empty.
pub fn write_present(
    n: u32,
    kind: &ProtoFieldKind,
    value: &TokenStream,
    in_field: &TokenStream,
) -> TokenStream {
    match kind {
        ProtoFieldKind::Int32 | ProtoFieldKind::Int64 | ProtoFieldKind::Bool => {
            quote!(to.present_int(#n, i64::from(*#value));)
        }
        ProtoFieldKind::Text | ProtoFieldKind::Bytes | ProtoFieldKind::Opaque(_) => {
            quote!(to.present_bytes(#n, #value.as_ref());)
        }
        ProtoFieldKind::Sfixed64 => quote!(to.fixed(#n, *#value);),
        ProtoFieldKind::Fixed64 => quote!(to.fixed(#n, (#value).cast_signed());),
        ProtoFieldKind::Float => quote!(to.float(#n, *#value);),
        ProtoFieldKind::Enumeration => quote!(to.enumeration(#n, *#value)#in_field;),
        ProtoFieldKind::Message => quote!(to.message(#n, #value)#in_field;),
    }
}

fn write_repeated(n: u32, kind: &ProtoFieldKind, ident: &Ident, name: &str) -> TokenStream {
    match kind {
        ProtoFieldKind::Int32 | ProtoFieldKind::Int64 | ProtoFieldKind::Bool => {
            quote!(to.ints(#n, self.#ident.iter().map(|item| i64::from(*item)));)
        }
        ProtoFieldKind::Sfixed64 => quote!(to.fixeds(#n, &self.#ident);),
        _ => {
            let in_item = quote!(.map_err(|error| error.in_item(i).in_field(#name))?);
            let write = write_present(n, kind, &quote!(item), &in_item);
            let index = matches!(kind, ProtoFieldKind::Message | ProtoFieldKind::Enumeration);
            let index = if index { quote!(i) } else { quote!(_) };
            quote!(for (#index, item) in self.#ident.iter().enumerate() { #write })
        }
    }
}

fn read(attributes: &MessageAttributes, fields: &[MessageField]) -> TokenStream {
    let mut formats = formats(attributes, fields);
    let first = formats.first().copied().unwrap_or_default();
    formats.extend(&attributes.also);
    formats.sort_unstable();
    let young = |field: &&MessageField| {
        let since = field.attributes.since;
        !since.silent && since.version > first
    };
    let places = fields.iter().map(|field| {
        let (local, inner) = (&field.local, &field.inner);
        match field.attributes.label {
            ProtoFieldLabel::Repeated => quote!(let mut #local: ::std::vec::Vec<#inner> = ::std::vec::Vec::new();),
            _ => quote!(let mut #local: ::core::option::Option<#inner> = ::core::option::Option::None;),
        }
    });
    let young_places = fields.iter().filter(young).map(|field| {
        let late = format_ident!("late_{}", field.local);
        quote!(let mut #late = ::core::option::Option::None;)
    });
    let arms = fields.iter().map(|field| {
        let (number, read) = (field.attributes.number, read_field(field));
        let note = young(&field).then(|| {
            let late = format_ident!("late_{}", field.local);
            quote!(#late.get_or_insert_with(|| field.clone());)
        });
        quote!(#number => { #note #read })
    });
    let version_arm = attributes
        .version
        .map(|number| quote!(#number => field.once(&mut version, field.clone())?,));
    let version = attributes.version.map(|_| {
        let late = fields.iter().filter(young).map(|field| {
            let (late, since) =
                (format_ident!("late_{}", field.local), field.attributes.since.version);
            quote!(if let ::core::option::Option::Some(late) = #late && format < #since {
                return ::core::result::Result::Err(late.unknown());
            })
        });
        quote! {
            let format = from.format(&[#(#formats),*], version.as_ref())?;
            #(#late)*
            let _ = format;
        }
    });
    let version_place =
        attributes.version.map(|_| quote!(let mut version = ::core::option::Option::None;));
    let choices = choices(fields);
    let built = fields.iter().map(build_field);
    let check = attributes.check.as_ref().map(|check| {
        quote! {
            #check(&value).map_err(|text| from.error(
                ::unskew_serdes::DecodeProblem::Refused(::std::string::String::from(text)),
            ))?;
        }
    });
    quote! {
        #version_place
        #(#places)*
        #(#young_places)*
        while let ::core::option::Option::Some(field) = from.next_field()? {
            match field.number {
                #(#arms)*
                #version_arm
                _ => return ::core::result::Result::Err(field.unknown()),
            }
        }
        #version
        #choices
        let value = Self { #(#built),* };
        #check
        ::core::result::Result::Ok(value)
    }
}

fn choices(fields: &[MessageField]) -> TokenStream {
    let mut names: Vec<&String> =
        fields.iter().filter_map(|field| field.attributes.oneof.as_ref()).collect();
    names.dedup();
    let each = names.into_iter().map(|name| {
        let there = fields.iter().filter(|f| f.attributes.oneof.as_ref() == Some(name)).map(|f| {
            let local = &f.local;
            quote!(usize::from(#local.is_some()))
        });
        quote! {
            if 0 #(+ #there)* > 1 {
                return ::core::result::Result::Err(from.ambiguous(#name));
            }
        }
    });
    quote!(#(#each)*)
}

fn read_field(field: &MessageField) -> TokenStream {
    let local = &field.local;
    let ProtoFieldAttributes { kind, label, .. } = &field.attributes;
    match (label, kind) {
        (ProtoFieldLabel::Repeated, ProtoFieldKind::Int32) => quote!(field.int32s(&mut #local)?;),
        (ProtoFieldLabel::Repeated, ProtoFieldKind::Int64) => quote!(field.ints(&mut #local)?;),
        (ProtoFieldLabel::Repeated, ProtoFieldKind::Bool) => quote!(field.flags(&mut #local)?;),
        (ProtoFieldLabel::Repeated, ProtoFieldKind::Sfixed64) => {
            quote!(field.fixeds(&mut #local)?;)
        }
        (label, kind) => {
            let value = read_one(kind);
            match label {
                ProtoFieldLabel::Repeated => quote!(#local.push(#value);),
                _ => quote!(field.once(&mut #local, #value)?;),
            }
        }
    }
}

/// One value of a kind, of the variable `field`.
pub fn read_one(kind: &ProtoFieldKind) -> TokenStream {
    match kind {
        ProtoFieldKind::Int32 => quote!(field.int32()?),
        ProtoFieldKind::Int64 => quote!(field.int()?),
        ProtoFieldKind::Bool => quote!(field.flag()?),
        ProtoFieldKind::Sfixed64 => quote!(field.fixed()?),
        ProtoFieldKind::Fixed64 => quote!(field.fixed()?.cast_unsigned()),
        ProtoFieldKind::Float => quote!(field.float()?),
        ProtoFieldKind::Text => quote!(field.text()?.to_owned()),
        ProtoFieldKind::Bytes => quote!(field.bytes()?.to_vec()),
        ProtoFieldKind::Opaque(_) => quote!(field.opaque()?.to_vec().into()),
        ProtoFieldKind::Enumeration => quote!(field.enumeration()?),
        ProtoFieldKind::Message => quote!(field.message()?),
    }
}

/// What the field is, of what was read: a nested message has no default.
fn build_field(field: &MessageField) -> TokenStream {
    let (ident, local, name) = (&field.ident, &field.local, field.name());
    let value = match (field.attributes.label, &field.attributes.kind) {
        (ProtoFieldLabel::Optional | ProtoFieldLabel::Repeated, _) => quote!(#local),
        (ProtoFieldLabel::Single, ProtoFieldKind::Message | ProtoFieldKind::Opaque(_)) => {
            quote!(#local.ok_or_else(|| from.missing(#name))?)
        }
        (ProtoFieldLabel::Single, ProtoFieldKind::Enumeration) => quote! {
            match #local {
                ::core::option::Option::Some(value) => value,
                ::core::option::Option::None => from.absent(#name)?,
            }
        },
        (ProtoFieldLabel::Single, _) => quote!(#local.unwrap_or_default()),
    };
    quote!(#ident: #value)
}

/// The description of a field.
pub fn describe(
    attributes: &ProtoFieldAttributes,
    name: &str,
    inner: &Type,
    family: &Path,
) -> TokenStream {
    let ProtoFieldAttributes { number, kind, label, oneof, since, .. } = attributes;
    let kind = match kind {
        ProtoFieldKind::Int32 => quote!(Int32),
        ProtoFieldKind::Int64 => quote!(Int64),
        ProtoFieldKind::Bool => quote!(Bool),
        ProtoFieldKind::Sfixed64 => quote!(Sfixed64),
        ProtoFieldKind::Fixed64 => quote!(Fixed64),
        ProtoFieldKind::Float => quote!(Float),
        ProtoFieldKind::Text => quote!(Text),
        ProtoFieldKind::Bytes => quote!(Bytes),
        ProtoFieldKind::Opaque(name) => quote!(Opaque(#name)),
        ProtoFieldKind::Enumeration => {
            quote!(Enumeration(|| <#inner as ::unskew_serdes::proto::Enumeration>::DESCRIPTION))
        }
        ProtoFieldKind::Message => quote! {
            Message(|| <#inner as ::unskew_serdes::proto::Message<#family>>::DESCRIPTION)
        },
    };
    let label = match label {
        ProtoFieldLabel::Single => quote!(Single),
        ProtoFieldLabel::Optional => quote!(Optional),
        ProtoFieldLabel::Repeated => quote!(Repeated),
    };
    let oneof = match oneof {
        Some(name) => quote!(::core::option::Option::Some(#name)),
        None => quote!(::core::option::Option::None),
    };
    let since = since.tokens();
    quote! {
        ::unskew_serdes::proto::FieldDescription {
            number: #number,
            name: #name,
            label: ::unskew_serdes::proto::FieldLabel::#label,
            kind: ::unskew_serdes::proto::FieldKind::#kind,
            oneof: #oneof,
            since: #since,
        }
    }
}
