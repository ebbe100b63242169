//! `family!`: a dated history as a type.

use std::path::Path;

use proc_macro2::TokenStream;
use quote::quote;
use serde::Deserialize;
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, Error, Ident, LitInt, LitStr, Result, Token, Visibility};

/// `/// docs  pub Name = "path", minimum = 0, current = 5`; what is not said is what the file says.
pub struct FamilyInput {
    attributes: Vec<Attribute>,
    visibility: Visibility,
    name: Ident,
    path: LitStr,
    minimum: Option<u32>,
    current: Option<u32>,
}

impl Parse for FamilyInput {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let attributes = input.call(Attribute::parse_outer)?;
        let visibility = input.parse()?;
        let name = input.parse()?;
        input.parse::<Token![=]>()?;
        let path = input.parse()?;
        let (mut minimum, mut current) = (None, None);
        while input.parse::<Option<Token![,]>>()?.is_some() && !input.is_empty() {
            let key: Ident = input.parse()?;
            input.parse::<Token![=]>()?;
            let number = input.parse::<LitInt>()?.base10_parse()?;
            match key.to_string().as_str() {
                "minimum" => minimum = Some(number),
                "current" => current = Some(number),
                _ => return Err(Error::new(key.span(), "wanted minimum or current")),
            }
        }
        input.parse::<Option<Token![;]>>()?;
        Ok(Self { attributes, visibility, name, path, minimum, current })
    }
}

#[derive(Deserialize)]
struct File {
    axis: String,
    version: Vec<VersionRow>,
    #[serde(default)]
    floor: Vec<Floor>,
}

#[derive(Deserialize)]
struct VersionRow {
    number: u32,
    landed: toml::value::Datetime,
    #[serde(default)]
    change: String,
}

#[derive(Deserialize)]
struct Floor {
    number: u32,
}

pub fn expand(input: &FamilyInput) -> Result<TokenStream> {
    let FamilyInput { attributes, visibility, name, path, .. } = input;
    let wrong = |text: String| Error::new(path.span(), text);
    let root = std::env::var("CARGO_MANIFEST_DIR").map_err(|error| wrong(error.to_string()))?;
    let full = Path::new(&root).join(path.value());
    let text = std::fs::read_to_string(&full)
        .map_err(|error| wrong(format!("cannot read {}: {error}", path.value())))?;
    let mut file: File = toml::from_str(&text).map_err(|error| wrong(error.to_string()))?;
    if let Some(current) = input.current {
        file.version.retain(|row| row.number <= current);
    }
    let days = check(&file).map_err(wrong)?;
    let rows = file.version.iter().zip(&days).map(|(row, (year, month, day))| {
        let (number, change) = (row.number, &row.change);
        quote! {
            ::unskew_serdes::VersionEntry {
                number: #number, landed: (#year, #month, #day), change: #change,
            }
        }
    });
    let axis = &file.axis;
    let current = file.version.last().map_or(0, |row| row.number);
    let first = file.version.first().map_or(0, |row| row.number);
    let minimum = file.floor.last().map_or(first, |floor| floor.number);
    let minimum = input.minimum.unwrap_or(minimum);
    if minimum > current || input.current.is_some_and(|wanted| wanted != current) {
        return Err(wrong(format!("the history has versions {first} to {current}")));
    }
    let full = full.to_string_lossy().into_owned();
    Ok(quote! {
        #(#attributes)*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #visibility enum #name {}

        impl ::unskew_serdes::Family for #name {
            const NAME: &'static str = #axis;
            const VERSIONS: &'static [::unskew_serdes::VersionEntry] = &[#(#rows),*];
            const MINIMUM: u32 = #minimum;
            const CURRENT: u32 = #current;
        }

        impl #name {
            /// The root of all capabilities: private to the module that declares the family.
            #[allow(dead_code, reason = "not every family needs old versions")]
            const fn access() -> ::unskew_serdes::Access<Self> {
                ::unskew_serdes::Access::granted()
            }
        }

        // So that a change of the history builds this anew.
        const _: &str = include_str!(#full);
    })
}

/// The days of the versions, if the history is one: numbers rise by one, days do not fall, floors
/// are versions that there are.
fn check(file: &File) -> std::result::Result<Vec<(i16, i8, i8)>, String> {
    let mut days = Vec::new();
    let mut last: Option<(&VersionRow, jiff::civil::Date)> = None;
    for row in &file.version {
        let day: jiff::civil::Date = row
            .landed
            .to_string()
            .parse()
            .map_err(|error| format!("version {}: landed: {error}", row.number))?;
        if let Some((before, landed)) = last {
            if before.number.checked_add(1) != Some(row.number) {
                let (number, wanted) = (row.number, before.number.saturating_add(1));
                return Err(format!("version {number}: numbers rise by one, wanted {wanted}"));
            }
            if day < landed {
                return Err(format!("version {}: landed before its predecessor", row.number));
            }
        }
        last = Some((row, day));
        days.push((day.year(), day.month(), day.day()));
    }
    if last.is_none() {
        return Err("a history without a version: add one [[version]]".to_owned());
    }
    let known = |floor: &&Floor| !file.version.iter().any(|row| row.number == floor.number);
    match file.floor.iter().find(known) {
        Some(floor) => Err(format!("floor {}: there is no such version", floor.number)),
        None => Ok(days),
    }
}
