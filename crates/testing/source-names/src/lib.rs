//! Names of public types and of modules in Rust sources, read line by line as rustfmt writes them.
//!
//! A name has to lead to one thing: whoever searches for it, or goes to its definition, finds that thing and nothing
//! else. The test of this crate reads every `src` folder of the workspace; `docs/reference/style.md` has the rules.
#![forbid(unsafe_code)]

/// Names that say nothing about the thing behind them, or what was done to it. No public type has one, and no module has
/// one in lower case.
pub const VAGUE: [&str; 57] = [
    "Around", "Aside", "Asks", "Beyond", "Came", "Clue", "Company", "Concern", "Course", "Depot",
    "Did", "Does", "Drift", "Entry", "Era", "Fall", "Fared", "Fate", "Form", "Found", "Gets",
    "Gist", "Handed", "Heard", "Held", "Joint", "Joints", "Kept", "Kind", "Life", "Likeness",
    "Measured", "Moves", "Nowhere", "Outcome", "Packed", "Passage", "Place", "Play", "Reader",
    "Reading", "Recast", "Restored", "Row", "Said", "Shop", "Sight", "Silent", "Site", "Standing",
    "State", "Stated", "Thing", "Told", "Walk", "Wanted", "Way",
];

/// What a line of a source defines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Definition<'s> {
    /// A struct, an enumeration, a union, a trait or a type alias that is `pub`.
    PublicType(&'s str),
    /// A module, whether it is public or not: people look for files by its name.
    Module(&'s str),
}

impl<'s> Definition<'s> {
    /// What `line` defines; none if that is neither a public type nor a module.
    ///
    /// ```
    /// use unskew_source_names::Definition;
    ///
    /// assert_eq!(Definition::parse("pub struct Party {"), Some(Definition::PublicType("Party")));
    /// assert_eq!(Definition::parse("pub(crate) mod window;"), Some(Definition::Module("window")));
    /// assert_eq!(Definition::parse("pub(crate) struct Party {"), None);
    /// ```
    pub fn parse(line: &'s str) -> Option<Self> {
        let line = line.trim_start();
        let public = line.strip_prefix("pub ");
        let item =
            public.or_else(|| line.strip_prefix("pub(")?.split_once(") ").map(|(_, item)| item));
        let (keyword, rest) = item.unwrap_or(line).split_once(' ')?;
        match keyword {
            "struct" | "enum" | "union" | "trait" | "type" if public.is_some() => {
                Some(Self::PublicType(identifier(rest)?))
            }
            "unsafe" if public.is_some() => {
                Some(Self::PublicType(identifier(rest.strip_prefix("trait ")?)?))
            }
            "mod" => Some(Self::Module(identifier(rest)?)),
            _ => None,
        }
    }

    /// Whether the name says nothing about the thing behind it.
    pub fn is_vague(self) -> bool {
        match self {
            Self::PublicType(name) => VAGUE.contains(&name),
            Self::Module(name) => VAGUE.iter().any(|vague| vague.eq_ignore_ascii_case(name)),
        }
    }

    /// The name as it stands in the source.
    pub fn name(self) -> &'s str {
        match self {
            Self::PublicType(name) | Self::Module(name) => name,
        }
    }
}

/// The identifier at the beginning of `text`.
fn identifier(text: &str) -> Option<&str> {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len());
    (end > 0).then(|| &text[..end])
}
