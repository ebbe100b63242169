//! What the derived writer and reader do, over three versions.

use unskew_serdes::{
    DecodeProblem, EncodeProblem, FamilyVersion, Format, FormatRecording, family, read, write,
    write_as,
};

family!(Specs = "tests/specs.history.toml");

fn at(number: i64) -> FamilyVersion<Specs> {
    Specs::access().any().get(number).unwrap()
}

#[derive(Debug, Default, PartialEq, Clone, Format)]
#[format(family = Specs)]
struct Sharding {
    axes: Vec<u32>,
    #[format(since = 1)]
    unreduced: Vec<u32>,
}

#[derive(Debug, PartialEq, Clone, Copy, Default, Format)]
#[format(family = Specs, plain)]
enum Kind {
    #[default]
    #[format(id = 1)]
    Pred,
    #[format(id = 11)]
    F32,
    #[format(id = 32, since = 2)]
    F6,
}

#[derive(Debug, PartialEq, Clone, Default, Format)]
#[format(family = Specs)]
struct Spec {
    name: String,
    kind: Kind,
    shape: Vec<i64>,
    sharding: Option<Sharding>,
    #[format(until = 1)]
    legacy: u32,
    #[format(since = 2, default = 1.0)]
    scale: f32,
    #[format(since = 1, skippable)]
    comment: String,
}

#[derive(Debug, PartialEq, Clone, Format)]
#[format(family = Specs)]
enum Tree {
    #[format(id = 0)]
    Leaf(i32),
    #[format(id = 1)]
    Fork(Box<Tree>, Box<Tree>),
    #[format(id = 2, since = 2)]
    Named { name: String },
}

#[derive(Debug, PartialEq, Format)]
#[format(family = Specs)]
struct Pair<T> {
    left: T,
    right: T,
}

fn spec() -> Spec {
    Spec {
        name: "weights".into(),
        kind: Kind::F32,
        shape: vec![-1, 300, 7],
        sharding: Some(Sharding { axes: vec![2, 70_000], unreduced: vec![] }),
        legacy: 0,
        scale: 1.0,
        comment: String::new(),
    }
}

fn bytes<T: Format<Specs>>(value: &T, version: i64) -> Vec<u8> {
    let mut out = Vec::new();
    write(value, at(version), &mut out).unwrap();
    out
}

#[test]
fn a_value_reads_back_at_every_version_that_holds_it() {
    for version in 0..=2 {
        assert_eq!(read::<Specs, Spec>(&bytes(&spec(), version)).unwrap(), spec());
    }
}

#[test]
fn what_is_recorded_is_the_lowest_format_that_holds_the_value() {
    let plain = Sharding { axes: vec![1], unreduced: vec![] };
    let unreduced = Sharding { axes: vec![1], unreduced: vec![0] };
    assert_eq!(bytes(&plain, 2)[0] >> 1, 0);
    assert_eq!(bytes(&unreduced, 2)[0] >> 1, 1);
    let mut out = Vec::new();
    write_as(&plain, at(2), FormatRecording::AsRequested, &mut out).unwrap();
    assert_eq!(out[0] >> 1, 1);
    assert_eq!(read::<Specs, Sharding>(&out).unwrap(), plain);
}

#[test]
fn a_value_that_the_requested_version_cannot_hold_is_refused_with_its_path() {
    let sharding = Some(Sharding { axes: vec![], unreduced: vec![3] });
    let value = Spec { sharding, ..spec() };
    let mut out = vec![9];
    let error = write(&value, at(0), &mut out).unwrap_err();
    assert_eq!(out, [9]);
    assert_eq!(error.path().to_string(), "sharding.unreduced");
    assert_eq!(
        error.problem(),
        &EncodeProblem::TooYoung { family: "specs", requested: 0, since: 1 }
    );
    assert_eq!(
        error.to_string(),
        "sharding.unreduced: has a value that specs 0 cannot hold: the field is there since 1; \
         clear it, or write for version 1"
    );
    let nested = vec![spec(), Spec { kind: Kind::F6, ..spec() }];
    let error = write::<Specs, _>(&nested, at(1), &mut out).unwrap_err();
    assert_eq!(error.path().to_string(), "[1].kind.F6");
}

#[test]
fn a_removed_field_is_kept_for_readers_that_have_it_and_refused_for_others() {
    let old = Spec { legacy: 7, ..spec() };
    for record in [FormatRecording::Lowest, FormatRecording::AsRequested] {
        for version in 0..=1 {
            let mut written = Vec::new();
            write_as(&old, at(version), record, &mut written).unwrap();
            assert_eq!(read::<Specs, Spec>(&written).unwrap(), old, "{version} {record:?}");
        }
        // Not by the format of an older version either: builds of version 2 need not read that.
        let error = write_as(&old, at(2), record, &mut Vec::new()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "legacy: has a value that specs 2 cannot hold: the field was there until 1; \
             clear it, or write for version 1"
        );
    }
    let both = Spec { legacy: 7, scale: 2.0, ..spec() };
    let error = write(&both, at(2), &mut Vec::new()).unwrap_err();
    assert_eq!(error.path().to_string(), "legacy");
}

#[test]
fn a_skippable_field_is_skipped_by_readers_that_do_not_know_it() {
    #[derive(Debug, PartialEq, Format)]
    #[format(family = Specs)]
    struct Old {
        axes: Vec<u32>,
    }
    #[derive(Debug, PartialEq, Format)]
    #[format(family = Specs)]
    struct New {
        axes: Vec<u32>,
        #[format(since = 2, skippable)]
        hint: String,
    }
    let new = New { axes: vec![5], hint: "fast".into() };
    let written = bytes(&new, 0);
    assert_eq!(read::<Specs, New>(&written).unwrap(), new);
    assert_eq!(read::<Specs, Old>(&written).unwrap(), Old { axes: vec![5] });
    let nothing_to_skip = New { hint: String::new(), ..new };
    assert_eq!(bytes(&nothing_to_skip, 2), bytes(&Old { axes: vec![5] }, 2));
}

#[test]
fn unknown_numbers_and_trailing_bytes_are_errors() {
    let good = bytes(&Sharding::default(), 2);
    let mut future = good.clone();
    future[0] = 9 << 1;
    let error = read::<Specs, Sharding>(&future).unwrap_err();
    assert!(matches!(error.problem(), DecodeProblem::TooNew { found: 9, current: 2, .. }));
    let mut never = good.clone();
    never[0] = 2 << 1;
    let error = read::<Specs, Sharding>(&never).unwrap_err();
    assert!(matches!(error.problem(), DecodeProblem::NoFormat { found: 2, .. }));
    let mut long = good;
    long.push(0);
    let error = read::<Specs, Sharding>(&long).unwrap_err();
    assert_eq!((error.problem(), error.offset()), (&DecodeProblem::TooLong(1), long.len() - 1));
    let error = read::<Specs, Kind>(&[7]).unwrap_err();
    assert!(matches!(error.problem(), DecodeProblem::UnknownValue { type_name: "Kind", found: 7 }));
}

#[test]
fn an_error_of_a_reader_names_the_field_its_type_and_the_format() {
    let unreduced = Sharding { axes: vec![1], unreduced: vec![9] };
    let value = Spec { sharding: Some(unreduced), ..spec() };
    let mut written = bytes(&value, 1);
    let text = |written: &[u8]| read::<Specs, Spec>(written).unwrap_err().to_string();
    // A width that no block of numbers has.
    let at = written.iter().rposition(|byte| *byte == 9).unwrap();
    written[at - 1] = 3;
    let error = text(&written);
    assert!(error.starts_with("Sharding.unreduced in format 1, byte "), "{error}");
    // The name of the outer value is not UTF-8.
    let mut written = bytes(&spec(), 1);
    let at = written.iter().position(|byte| *byte == b'w').unwrap();
    written[at] = 0xff;
    assert_eq!(text(&written), "Spec.name in format 0, byte 10: the text is not UTF-8");
    let error = read::<Specs, Spec>(&written).unwrap_err();
    assert_eq!(format!("{error:?}"), error.to_string());
}

#[test]
fn recursion_ends_at_the_depth_limit_on_both_sides() {
    let deep =
        (0..70).fold(Tree::Leaf(1), |tree, _| Tree::Fork(Box::new(tree), Box::new(Tree::Leaf(0))));
    let error = write(&deep, at(2), &mut Vec::new()).unwrap_err();
    assert_eq!(error.problem(), &EncodeProblem::TooDeep);
    // 70 heads, each with a length that is true.
    let mut bomb: Vec<u8> = Vec::new();
    for _ in 0..40 {
        let mut outer = vec![0];
        let body = [&[1][..], &bomb].concat();
        assert!(body.len() < 128);
        outer.push(body.len() as u8);
        outer.extend(body);
        bomb = outer;
    }
    assert!(read::<Specs, Tree>(&bomb).is_err());
    let shallow = Tree::Fork(Box::new(Tree::Leaf(-5)), Box::new(Tree::Named { name: "x".into() }));
    assert_eq!(read::<Specs, Tree>(&bytes(&shallow, 2)).unwrap(), shallow);
    assert!(write(&shallow, at(1), &mut Vec::new()).is_err());
}

#[test]
fn generics_are_written_by_their_parameters() {
    let pair = Pair { left: spec(), right: spec() };
    assert_eq!(read::<Specs, Pair<Spec>>(&bytes(&pair, 1)).unwrap(), pair);
}

#[test]
fn numbers_in_lists_take_the_width_of_the_widest() {
    let cases: [(&[i64], usize); 4] =
        [(&[], 1), (&[-128, 127], 4), (&[128], 4), (&[i64::MIN, i64::MAX], 18)];
    for (numbers, length) in cases {
        let written = bytes(&numbers.to_vec(), 2);
        assert_eq!(written.len(), length, "{numbers:?}");
        assert_eq!(read::<Specs, Vec<i64>>(&written).unwrap(), numbers);
    }
    assert!(read::<Specs, Vec<u16>>(&bytes(&vec![70_000_u32], 2)).is_err());
}

#[test]
fn the_example_of_the_encoding_page_is_true() {
    let sharding = Sharding { axes: vec![2, 4], unreduced: vec![] };
    assert_eq!(bytes(&sharding, 1), [0, 4, 2, 1, 2, 4]);
}

mod converted {
    use super::*;

    /// Since version 1 an extent may be unknown, which had no form before.
    #[derive(Debug, PartialEq, Clone, Format)]
    #[format(family = Specs)]
    struct Shape {
        #[format(was(Vec<u64>, until = 0, read = all_known, write = if_all_known))]
        extents: Vec<Option<u64>>,
    }

    #[expect(clippy::unnecessary_wraps, reason = "a conversion may fail; this one does not")]
    fn all_known(extents: Vec<u64>) -> Result<Vec<Option<u64>>, String> {
        Ok(extents.into_iter().map(Some).collect())
    }

    fn if_all_known(extents: &[Option<u64>]) -> Result<Vec<u64>, String> {
        let known = |(i, extent): (usize, &Option<u64>)| {
            extent
                .ok_or_else(|| format!("extent {i} is unknown, and must be known before version 1"))
        };
        extents.iter().enumerate().map(known).collect()
    }

    #[test]
    fn a_field_is_written_in_its_older_form_if_that_holds_it() {
        let known = Shape { extents: vec![Some(2), Some(3)] };
        let written = bytes(&known, 2);
        assert_eq!(written, [0, 4, 2, 1, 2, 3]);
        assert_eq!(read::<Specs, Shape>(&written).unwrap(), known);
        let mut newest = Vec::new();
        write_as(&known, at(2), FormatRecording::AsRequested, &mut newest).unwrap();
        assert_eq!(newest, [2, 5, 2, 1, 2, 1, 3]);
        assert_eq!(read::<Specs, Shape>(&newest).unwrap(), known);
    }

    #[test]
    fn what_the_older_form_cannot_hold_needs_the_newer_one() {
        let unknown = Shape { extents: vec![Some(2), None] };
        let written = bytes(&unknown, 2);
        assert_eq!(written[0] >> 1, 1);
        assert_eq!(read::<Specs, Shape>(&written).unwrap(), unknown);
        let error = write(&unknown, at(0), &mut Vec::new()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "extents: extent 1 is unknown, and must be known before version 1"
        );
    }

    /// Removed after version 1.
    #[derive(Debug, PartialEq, Clone, Copy, Format)]
    #[format(family = Specs)]
    enum Mode {
        #[format(id = 0)]
        Plain,
        #[format(id = 1, until = 1)]
        Legacy,
    }

    #[derive(Debug, PartialEq, Clone, Copy, Format)]
    #[format(family = Specs, plain)]
    enum PlainMode {
        #[format(id = 0)]
        Plain,
        #[format(id = 1, until = 1)]
        Legacy,
    }

    #[test]
    fn a_removed_variant_is_written_and_read_only_in_formats_that_have_it() {
        let written = bytes(&Mode::Legacy, 1);
        assert_eq!(written, [0, 1, 1]);
        assert_eq!(read::<Specs, Mode>(&written).unwrap(), Mode::Legacy);
        assert!(read::<Specs, Mode>(&[2 << 1, 1, 1]).is_err());
        assert_eq!(read::<Specs, Mode>(&bytes(&Mode::Plain, 2)).unwrap(), Mode::Plain);
        assert_eq!(bytes(&PlainMode::Legacy, 1), [1]);
        let removed = EncodeProblem::Removed { family: "specs", requested: 2, until: 1 };
        let error = write(&PlainMode::Legacy, at(2), &mut Vec::new()).unwrap_err();
        assert_eq!(error.problem(), &removed);
        let error = write(&Mode::Legacy, at(2), &mut Vec::new()).unwrap_err();
        assert_eq!(error.problem(), &removed);
    }
}
