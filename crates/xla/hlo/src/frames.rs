//! Stack frames in the program of the user: tables that the `stack_frame_id` of an instruction leads to.
//!
//! XLA makes the tables anew when it reads a module: of the frames that instructions name, in the order of
//! the instructions' ids. What no instruction names is left out, and numbers are others than in the message.

use std::collections::HashMap;
use std::fmt::Write as _;

use crate::escape::quoted;
use crate::messages::{Frames, Location, Module};

/// The most frames of one instruction.
const DEEPEST: usize = 1 << 12;

/// The frames of a module, numbered from 1 on.
#[derive(Debug, Default)]
pub(crate) struct Tables<'a> {
    files: Table<&'a str>,
    functions: Table<&'a str>,
    locations: Table<[i32; 6]>,
    /// A location and the number of the frame above, which is 0 if there is none.
    frames: Table<[i32; 2]>,
    /// The new numbers by those of the message.
    numbers: HashMap<i32, i32>,
}

/// Different values in the order in which they came.
#[derive(Debug)]
struct Table<T> {
    rows: Vec<T>,
    numbers: HashMap<T, i32>,
}

impl<T> Default for Table<T> {
    fn default() -> Self {
        Self { rows: Vec::new(), numbers: HashMap::new() }
    }
}

impl<T: Copy + Eq + std::hash::Hash> Table<T> {
    /// The number of a value, from 1 on.
    fn number(&mut self, value: T) -> i32 {
        let next = i32::try_from(self.rows.len() + 1).unwrap_or(i32::MAX);
        let rows = &mut self.rows;
        *self.numbers.entry(value).or_insert_with(|| {
            rows.push(value);
            next
        })
    }
}

impl<'a> Tables<'a> {
    pub(crate) fn from_module(module: &'a Module) -> Self {
        let mut tables = Self::default();
        let Some(frames) = &module.frames else { return tables };
        for computation in &module.computations {
            let mut named: Vec<(i64, i32)> = computation
                .instructions
                .iter()
                .filter_map(|found| Some((found.id, found.metadata.as_ref()?.frame)))
                .collect();
            named.sort_by_key(|(id, _)| *id);
            named.iter().for_each(|(_, frame)| tables.add(frames, *frame));
        }
        tables
    }

    /// Takes a frame in, and those above it.
    fn add(&mut self, from: &'a Frames, id: i32) {
        let mut chain = Vec::new();
        let mut at = id;
        while !self.numbers.contains_key(&at) && chain.len() < DEEPEST {
            let Some(frame) = row(&from.frames, at) else { break };
            chain.push((at, frame));
            at = frame.parent;
        }
        let mut above = self.numbers.get(&at).copied().unwrap_or_default();
        for (id, frame) in chain.into_iter().rev() {
            let place = row(&from.locations, frame.location).copied().unwrap_or_default();
            let location = self.location(from, place);
            above = self.frames.number([location, above]);
            self.numbers.insert(id, above);
        }
    }

    fn location(&mut self, from: &'a Frames, place: Location) -> i32 {
        let name = |list: &'a [String], id| row(list, id).map_or("", String::as_str);
        let file = self.files.number(name(&from.files, place.file));
        let function = self.functions.number(name(&from.functions, place.function));
        let Location { line, end_line, column, end_column, .. } = place;
        self.locations.number([file, function, line, end_line, column, end_column])
    }

    /// The number of a frame; that of the message where it has no such frame.
    pub(crate) fn number(&self, id: i32) -> i32 {
        self.numbers.get(&id).copied().unwrap_or(id)
    }

    /// The four tables, each with a blank line behind it; nothing if there are no frames.
    pub(crate) fn text(&self) -> String {
        let mut out = String::new();
        if self.frames.rows.is_empty() {
            return out;
        }
        let mut table = |name: &str, rows: Vec<String>| {
            _ = writeln!(out, "{name}");
            for (at, row) in rows.iter().enumerate() {
                _ = writeln!(out, "{} {row}", at + 1);
            }
            out.push('\n');
        };
        let names = |list: &[&str]| list.iter().map(|name| quoted(name.as_bytes())).collect();
        table("FileNames", names(&self.files.rows));
        table("FunctionNames", names(&self.functions.rows));
        let location = |[file, function, line, end_line, column, end_column]: &[i32; 6]| {
            format!(
                "{{file_name_id={file} function_name_id={function} line={line} end_line={end_line} \
                 column={column} end_column={end_column}}}"
            )
        };
        table("FileLocations", self.locations.rows.iter().map(location).collect());
        let frame = |[location, above]: &[i32; 2]| {
            // XLA prints one more than the number of the frame above.
            let above = i64::from(*above) + 1;
            format!("{{file_location_id={location} parent_frame_id={above}}}")
        };
        table("StackFrames", self.frames.rows.iter().map(frame).collect());
        out.push('\n');
        out
    }
}

/// The row of a number, which is from 1 on.
fn row<T>(rows: &[T], number: i32) -> Option<&T> {
    rows.get(usize::try_from(number).ok()?.checked_sub(1)?)
}
