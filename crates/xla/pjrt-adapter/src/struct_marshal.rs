//! Marshalling of one struct from the host to the plug-in and back: how much of it may be read, what is
//! announced, what is written back.

use unskew_pjrt::layout::{FieldDirection, Size, StructHistory};

use crate::ages::Ages;

/// The way of one struct.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StructMarshal {
    /// Its name in the header.
    pub name: &'static str,
    /// What the host's header declares, and where the struct really ends there.
    host: Extent,
    /// The same for the plug-in.
    plugin: Extent,
    today: usize,
    /// Sizes that no honest header declares, with where those structs end.
    lies: Vec<Extent>,
    /// What an emulated plug-in accepts at least.
    required: Option<usize>,
    /// Whether a plug-in of the future gets what the host sends, as it is.
    future: bool,
    /// Where the fields lie that the plug-in fills in, and how long they are.
    outputs: Vec<(usize, usize)>,
}

/// What a header declares, and where the struct ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Extent {
    declared: usize,
    end: usize,
}

impl From<&Size> for Extent {
    fn from(size: &Size) -> Self {
        Self { declared: size.declared, end: size.end }
    }
}

/// What becomes of a struct that a host sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StructHandling {
    /// The plug-in takes it where it lies.
    Untouched,
    /// It is copied: so many bytes are the host's.
    Copied(usize),
    /// An emulated plug-in refuses it: it expects so many bytes.
    TooSmall(usize),
}

impl StructMarshal {
    /// The way of `record` between sides of these ages.
    pub fn new(record: &'static StructHistory, ages: &Ages) -> Self {
        let today = record.sizes.last().map_or(0, |size| size.end);
        let whole = Extent { declared: today, end: today };
        let plugin = ages.plugin_size(record).map_or(whole, Extent::from);
        let honest = |declared: usize| {
            record.sizes.iter().any(|size| size.end == declared && size.declared == declared)
        };
        let lies = record.sizes.iter().filter(|size| !honest(size.declared));
        let outputs = record.fields.iter().filter(|field| field.direction != FieldDirection::In);
        let emulated = ages.emulates.then(|| record.required(ages.present)).flatten();
        Self {
            name: record.name,
            host: ages.host_size(record).map_or(whole, Extent::from),
            plugin,
            today,
            lies: lies.map(Extent::from).collect(),
            required: emulated,
            future: ages.plugin_is_newer_than_known(),
            outputs: outputs.map(|field| (field.at, field.bytes)).collect(),
        }
    }

    /// Whether the struct has ever had more than one size, or a wrong one.
    pub(crate) fn ever_changed(record: &StructHistory) -> bool {
        record.sizes.len() > 1 || record.sizes.iter().any(|size| size.declared != size.end)
    }

    /// Whether both sides are known to have the very same struct.
    pub(crate) fn same_on_both_sides(&self) -> bool {
        self.host == self.plugin
    }

    /// The size that is announced to the plug-in.
    pub fn announced(&self) -> usize {
        self.plugin.declared
    }

    /// Where the struct ends for the plug-in.
    pub fn least(&self) -> usize {
        self.plugin.end
    }

    /// Where the struct of today ends: the most that is ever copied.
    pub fn today(&self) -> usize {
        self.today
    }

    /// The fields that the plug-in fills in, as far as `readable` bytes of the host's struct have them.
    pub fn outputs(&self, readable: usize) -> impl Iterator<Item = (usize, usize)> {
        self.outputs.iter().copied().filter(move |(at, bytes)| at + bytes <= readable)
    }

    /// What becomes of a struct that announces `announced` bytes.
    #[inline]
    pub fn way(&self, announced: usize) -> StructHandling {
        if let Some(required) = self.required {
            if announced < required {
                return StructHandling::TooSmall(required);
            }
            return StructHandling::Copied(self.true_end(announced).min(self.host.end));
        }
        let readable = self.true_end(announced);
        let enough = announced == self.plugin.declared && readable >= self.plugin.end;
        if enough || (self.future && announced >= self.plugin.declared) {
            return StructHandling::Untouched;
        }
        StructHandling::Copied(readable.min(self.today))
    }

    /// Where a struct that announces `announced` bytes really ends. Headers of 0.36 to 0.71 declared
    /// too little for some structs; what lies behind is there all the same, and the host reads it.
    #[inline]
    fn true_end(&self, announced: usize) -> usize {
        if announced == self.host.declared {
            return self.host.end;
        }
        let lie = self.lies.iter().find(|lie| lie.declared == announced);
        lie.map_or(announced, |lie| lie.end)
    }
}

#[cfg(test)]
mod tests {
    use unskew_pjrt::layout::{find_struct, structs};

    use super::*;
    use crate::AdapterConfig;

    fn passage(name: &str, ages: Ages) -> StructMarshal {
        StructMarshal::new(find_struct(name).unwrap(), &ages)
    }

    fn ages(present: i32, plugin: i32) -> Ages {
        Ages::from_config(&AdapterConfig::presenting("p.so", present), plugin)
    }

    #[test]
    fn a_wrong_size_is_read_and_written_back_to_its_true_end() {
        let way = passage("PJRT_Plugin_Attributes_Args", ages(70, 115));
        assert_eq!(way.way(24), StructHandling::Copied(32));
        assert_eq!(way.announced(), 32);
        assert_eq!(way.outputs(32).collect::<Vec<_>>(), [(16, 8), (24, 8)]);
        // 52 is the honest size of old hosts, and the wrong one of less old ones.
        let options = |minor| passage("PJRT_ExecuteOptions", ages(minor, 115)).way(52);
        assert_eq!(
            (options(38), options(40)),
            (StructHandling::Copied(52), StructHandling::Copied(72))
        );
    }

    #[test]
    fn what_is_of_the_plug_ins_own_age_is_not_touched() {
        for record in structs() {
            let size = record.size(81, None);
            let Some(size) = size.filter(|_| record.fields[0].name == "struct_size") else {
                continue;
            };
            let way = StructMarshal::new(record, &ages(81, 81));
            assert_eq!(way.way(size.declared), StructHandling::Untouched, "{}", record.name);
        }
    }

    #[test]
    fn an_older_host_is_told_apart_from_a_plug_in_that_lies_as_it_does() {
        // A plug-in of 0.40 reads 72 bytes and expects 52; a host of 0.38 has 52.
        let way = passage("PJRT_ExecuteOptions", ages(38, 40));
        assert_eq!(way.way(52), StructHandling::Copied(52));
    }

    #[test]
    fn nothing_is_ever_copied_beyond_the_struct_of_today() {
        for record in structs() {
            for minor in [29, 45, 54, 81] {
                let way = StructMarshal::new(record, &ages(minor, 115));
                for announced in [0, 8, 24, 4096, usize::MAX] {
                    if let StructHandling::Copied(bytes) = way.way(announced) {
                        assert!(bytes <= way.today(), "{}", record.name);
                    }
                }
            }
        }
    }

    #[test]
    fn an_emulated_plug_in_accepts_and_writes_what_a_real_one_of_its_age_would() {
        let old = Ages::from_config(&AdapterConfig::emulating("p.so", 78), 115);
        let options = passage("PJRT_ExecuteOptions", old);
        assert_eq!(options.way(88), StructHandling::TooSmall(112));
        assert_eq!(options.way(144), StructHandling::Copied(112));
        let stats = passage("PJRT_Device_MemoryStats_Args", old);
        assert_eq!(stats.way(201), StructHandling::Copied(185));
        // Before the wrong sizes were fixed, a plug-in accepted 24 and wrote 32.
        let old = Ages::from_config(&AdapterConfig::emulating("p.so", 54), 115);
        assert_eq!(passage("PJRT_Plugin_Attributes_Args", old).way(24), StructHandling::Copied(32));
    }
}
