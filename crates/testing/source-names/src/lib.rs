//! Names of types, of modules and of functions in Rust sources, read line by line as rustfmt writes them.
//!
//! A name has to lead to one thing: whoever searches for it, or goes to its definition, finds that thing and nothing
//! else. The test of this crate reads every `src` folder of the workspace; `docs/reference/style.md` has the rules.
#![forbid(unsafe_code)]

/// Names that say nothing about the thing behind them, or what was done to it. No type has one, and no module has one in
/// lower case.
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
    /// The same that only its crate, or a part of it, sees.
    PrivateType(&'s str),
    /// A function called `of`, which says neither that it makes something nor what it finds.
    FunctionOf,
    /// A module, whether it is public or not: people look for files by its name.
    Module(&'s str),
}

impl<'s> Definition<'s> {
    /// What `line` defines; none if that is neither a type nor a module, nor a function called `of`.
    ///
    /// ```
    /// use unskew_source_names::Definition;
    ///
    /// assert_eq!(Definition::parse("pub struct Party {"), Some(Definition::PublicType("Party")));
    /// assert_eq!(Definition::parse("pub(crate) mod window;"), Some(Definition::Module("window")));
    /// assert_eq!(Definition::parse("pub(crate) struct Party {"), Some(Definition::PrivateType("Party")));
    /// assert_eq!(Definition::parse("pub const fn of(name: &str) -> Self {"), Some(Definition::FunctionOf));
    /// assert_eq!(Definition::parse("pub fn offset(self) -> u64 {"), None);
    /// ```
    pub fn parse(line: &'s str) -> Option<Self> {
        let line = line.trim_start();
        let public = line.strip_prefix("pub ");
        let item =
            public.or_else(|| line.strip_prefix("pub(")?.split_once(") ").map(|(_, item)| item));
        let (keyword, rest) = item.unwrap_or(line).split_once(' ')?;
        let named =
            |name| if public.is_some() { Self::PublicType(name) } else { Self::PrivateType(name) };
        match keyword {
            "struct" | "enum" | "union" | "trait" | "type" => identifier(rest).map(named),
            "mod" => Some(Self::Module(identifier(rest)?)),
            "fn" => (identifier(rest)? == "of").then_some(Self::FunctionOf),
            "unsafe" | "const" | "async" => match rest.split_once(' ')? {
                ("trait", rest) => identifier(rest).map(named),
                ("fn", rest) => (identifier(rest)? == "of").then_some(Self::FunctionOf),
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether the name says nothing about the thing behind it.
    pub fn is_vague(self) -> bool {
        match self {
            Self::PublicType(name) | Self::PrivateType(name) => VAGUE.contains(&name),
            Self::FunctionOf => true,
            Self::Module(name) => VAGUE.iter().any(|vague| vague.eq_ignore_ascii_case(name)),
        }
    }

    /// The name as it stands in the source.
    pub fn name(self) -> &'s str {
        match self {
            Self::PublicType(name) | Self::PrivateType(name) | Self::Module(name) => name,
            Self::FunctionOf => "of",
        }
    }
}

/// The identifier at the beginning of `text`.
fn identifier(text: &str) -> Option<&str> {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len());
    (end > 0).then(|| &text[..end])
}
