//! A history as it was read, with the line of everything.

use unskew_core::{Date, Floor, History, HistoryEntry, HistoryError, Version, Window};

/// In which form a history is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChronicleFormat {
    /// Headings with a number and a day.
    Markdown,
    /// Lines of a comment in source code, beside constants.
    Comment,
    /// A TOML file of `[[version]]` tables.
    Toml,
    /// `[[release]]` tables: the releases of a project, of which several lines may be alive at once.
    Releases,
}

impl ChronicleFormat {
    /// The form in words.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Markdown => "changelog",
            Self::Comment => "version list in a comment",
            Self::Toml => "dated history",
            Self::Releases => "list of releases",
        }
    }
}

/// One version of a history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChronicleVersion {
    /// The number that this step introduced.
    pub version: Version,
    /// The line on which it stands, counted from 1.
    pub line: usize,
    /// The day that its makers wrote down.
    pub header: Option<Date>,
    /// The day on which it was really there, if that is told apart.
    pub landed: Option<Date>,
    /// What changed, in the words of its makers.
    pub change: String,
    /// The types or parts that changed, if they are named.
    pub parts: Vec<String>,
}

impl ChronicleVersion {
    /// The day from which windows are counted: the landing, or else what its makers wrote down.
    pub fn day(&self) -> Option<Date> {
        self.landed.or(self.header)
    }
}

/// The lowest version that is still read was raised.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Raised {
    /// The lowest version that is read from then on.
    pub version: Version,
    /// The day from which that holds, if it is written down.
    pub landed: Option<Date>,
    /// The line on which that stands.
    pub line: usize,
}

/// What a constant beside the list is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StatedAs {
    /// The newest version of the list.
    Current,
    /// The lowest version that is read.
    Minimum,
    /// The newest version that is at least so many weeks old.
    WeeksOld(u32),
}

/// A constant beside the list, typed in by hand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeclaredConstant {
    /// Which version of the list the constant repeats.
    pub what: StatedAs,
    /// Its name in the source.
    pub name: String,
    /// The version that its value says.
    pub version: Version,
    /// The line on which its name stands.
    pub line: usize,
}

/// Something that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChronicleProblem {
    /// The line, counted from 1.
    pub line: usize,
    /// What is wrong with it.
    pub what: String,
    /// Whether it is a day that is none.
    pub day: bool,
}

/// A history as it was read, faults included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chronicle {
    /// The path of the file, for messages.
    pub file: String,
    /// How the list is written, which decides how it was parsed.
    pub form: ChronicleFormat,
    /// The axis, if the file names it.
    pub axis: String,
    /// The axis in words, or the title of the file.
    pub title: String,
    /// The versions, oldest first.
    pub steps: Vec<ChronicleVersion>,
    /// The steps by which the lowest version was raised.
    pub floors: Vec<Raised>,
    /// Constants beside the list.
    pub stated: Vec<DeclaredConstant>,
    /// The days of releases, for windows that count them.
    pub releases: Vec<Date>,
    /// The window that the file itself names.
    pub window: Option<Window>,
    /// What could not be read.
    pub problems: Vec<ChronicleProblem>,
}

impl Chronicle {
    /// A history of the database, in which every day is known.
    pub fn from_history(history: &History) -> Self {
        let step = |entry: &HistoryEntry| ChronicleVersion {
            version: entry.version,
            line: 0,
            header: entry.header,
            landed: Some(entry.landed),
            change: entry.change.clone(),
            parts: entry.parts.clone(),
        };
        let raised =
            |floor: &Floor| Raised { version: floor.version, landed: Some(floor.landed), line: 0 };
        Self {
            file: history.axis.to_string(),
            form: ChronicleFormat::Toml,
            axis: history.axis.to_string(),
            title: history.title.clone(),
            steps: history.entries().iter().map(step).collect(),
            floors: history.floors().iter().map(raised).collect(),
            stated: Vec::new(),
            releases: history.releases().to_vec(),
            window: history.window().cloned(),
            problems: Vec::new(),
        }
    }

    /// Takes days of landing from somewhere else: of each step, which stands at this place of the list.
    pub fn land(&mut self, day: impl Fn(usize, &ChronicleVersion) -> Option<Date>) {
        for (at, step) in self.steps.iter_mut().enumerate() {
            if let Some(found) = day(at, step) {
                step.landed = Some(found);
            }
        }
    }

    /// The constant of this kind.
    pub fn stated(&self, what: StatedAs) -> Option<&DeclaredConstant> {
        self.stated.iter().find(|stated| stated.what == what)
    }

    /// The newest version: what stands last.
    pub fn newest(&self) -> Option<Version> {
        self.steps.last().map(|step| step.version)
    }

    /// The lowest version that is read today, if the file says so.
    pub fn minimum(&self) -> Option<Version> {
        let floor = self.floors.last().map(|floor| floor.version);
        floor.or_else(|| self.stated(StatedAs::Minimum).map(|stated| stated.version))
    }

    /// Versions without any day.
    pub fn undated(&self) -> impl Iterator<Item = &ChronicleVersion> {
        self.steps.iter().filter(|step| step.day().is_none())
    }

    /// The part of the history that can be dated. A version without a day that stands between two with one
    /// counts from the day of the later one: so long was the version before it in force at the most, and a
    /// window that is too long breaks nobody. Versions after the last day are left out.
    ///
    /// # Errors
    /// If no version has a day, or the days go backwards.
    pub fn dated(&self) -> Result<History, HistoryError> {
        let mut entries: Vec<HistoryEntry> = Vec::with_capacity(self.steps.len());
        let mut next = None;
        for step in self.steps.iter().rev() {
            next = step.day().or(next);
            let Some(landed) = next else { continue };
            entries.push(HistoryEntry {
                version: step.version,
                landed,
                header: step.header.filter(|header| *header != landed),
                change: step.change.clone(),
                parts: step.parts.clone(),
            });
        }
        entries.reverse();
        let first = entries.first().map(|entry| entry.landed);
        let mut floors: Vec<Floor> = self
            .floors
            .iter()
            .filter_map(|floor| Some(Floor { version: floor.version, landed: floor.landed? }))
            .collect();
        if let (true, Some(stated), Some(first)) =
            (floors.is_empty(), self.stated(StatedAs::Minimum), first)
        {
            floors.push(Floor { version: stated.version, landed: first });
        }
        let axis = unskew_core::Axis::new(self.axis.clone());
        let history = History::new(axis, self.title.clone(), entries, floors)?;
        Ok(history.with_releases(self.releases.clone()))
    }
}
