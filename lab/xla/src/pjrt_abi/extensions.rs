//! Extensions: their numbers and their slots.

use unskew_c_headers::header::{
    CType, EnumDeclaration, HeaderItem, RecordDeclaration, RecordLayout,
};
use unskew_pjrt::layout;

use super::compare::Report;
use super::set::PjrtHeaders;

/// Where the slots of an extension begin, since extensions announce their size.
const HEAD: u64 = 24;

/// Whether a struct is an extension.
pub fn is_extension(record: &RecordDeclaration) -> bool {
    record.name.ends_with("_Extension") && record.name.starts_with("PJRT_")
}

/// Compares the slots of an extension.
pub fn slots(
    report: &mut Report,
    record: &RecordDeclaration,
    placed: &RecordLayout,
    set: &PjrtHeaders,
) {
    let name = record.name.trim_start_matches("PJRT_").trim_end_matches("_Extension");
    let Some(extension) = layout::extension(name) else {
        return report.deviation(&record.name, "declared", "not known");
    };
    if extension.slots.is_empty() || report.minor < layout::SIZED_EXTENSIONS {
        return;
    }
    report.declares.insert(name.to_owned());
    if extension.since > report.minor {
        return report.deviation(name, "declared", format!("since 0.{}", extension.since));
    }
    let placed =
        record.fields.iter().zip(&placed.fields).filter(|(_, placed)| placed.offset >= HEAD);
    let found: Vec<_> = placed.collect();
    for (index, slot) in extension.slots.iter().enumerate() {
        let place = format!("{name} slot {index}: {}", slot.name);
        let Some((field, at)) = found.get(index) else {
            report.absent.push(place);
            continue;
        };
        let takes = taken(&field.r#type, set);
        let same = field.name == slot.name
            && at.offset == HEAD + 8 * index as u64
            && (slot.args.is_none() || takes.as_deref() == slot.args)
            && same_form(slot.args, set);
        if slot.since <= report.minor {
            report.slots += 1;
            if !same {
                let header = format!("{} at {} takes {takes:?}", field.name, at.offset);
                report.deviation(&place, header, format!("since 0.{}", slot.since));
            }
        } else if same {
            report.early.push(place);
        } else {
            report.other.push(place);
        }
    }
    for (field, _) in found.iter().skip(extension.slots.len()) {
        report.deviation(name, field.name.as_str(), "no such slot");
    }
}

/// Slots for which the data names a later or an earlier minor than all the headers together show.
pub fn across(reports: &[Report]) -> Vec<String> {
    let mut wrong = Vec::new();
    for extension in layout::extensions() {
        for (index, slot) in extension.slots.iter().enumerate() {
            let place = format!("{} slot {index}: {}", extension.name, slot.name);
            let least = |listed: &dyn Fn(&Report) -> bool| {
                reports.iter().filter(|r| listed(r)).map(|r| r.minor).min()
            };
            let other = reports.iter().filter(|r| r.other.contains(&place)).map(|r| r.minor).max();
            let early = least(&|r| r.early.contains(&place) && other.is_none_or(|o| o < r.minor));
            if let Some(minor) = early {
                wrong.push(format!("{place}: there at 0.{minor}, data: since 0.{}", slot.since));
            }
            let header = format!("{} slot", extension.name);
            let has = |r: &Report| !r.absent.contains(&place);
            let read = |r: &Report| r.declares.contains(extension.name) && r.minor >= slot.since;
            let (first, first_with) = (least(&read), least(&|r| read(r) && has(r)));
            if first < first_with {
                let known = format!("data: since 0.{}", slot.since);
                wrong.push(format!(
                    "{header} {index}: first at {first_with:?} of {first:?}, {known}"
                ));
            }
        }
    }
    wrong
}

/// The struct that a slot's function takes, by its type or the typedef that names that.
fn taken(r#type: &CType, set: &PjrtHeaders) -> Option<String> {
    let target = |r#type: &CType| match r#type {
        CType::Pointer { to, .. } => (**to).clone(),
        other => other.clone(),
    };
    let function = match target(r#type) {
        CType::Named { name, .. } => {
            set.all().flat_map(|h| &h.declarations).find_map(|declared| match &declared.item {
                HeaderItem::Typedef { name: own, r#type } if *own == name => Some(target(r#type)),
                _ => None,
            })?
        }
        other => other,
    };
    let CType::Function { parameters, .. } = function else { return None };
    match &parameters.first()?.r#type {
        CType::Pointer { to, .. } => Some(to.to_string().trim_start_matches("const ").to_owned()),
        _ => None,
    }
}

/// Whether the headers have the struct as it is today.
fn same_form(args: Option<&str>, set: &PjrtHeaders) -> bool {
    let Some(known) = args.and_then(layout::find_struct) else { return true };
    let mut layouts = unskew_c_headers::header::Layouts::for_headers(set.all());
    let Ok(found) = layouts.layout(known.name) else { return false };
    // What was appended since is told by the struct's own size.
    let today = known.fields.iter().map(|f| (f.name, f.at as u64, f.bytes as u64));
    let mut found = found.fields.iter().map(|f| (f.name.as_str(), f.offset, f.size)).fuse();
    let same = today.zip(found.by_ref()).all(|(today, found)| today == found);
    same && found.next().is_none()
}

/// Compares the numbers of extension types.
pub fn types(report: &mut Report, r#enum: &EnumDeclaration) {
    let minor = report.minor;
    for value in &r#enum.enumerators {
        report.values += 1;
        let short = value.name.trim_start_matches("PJRT_Extension_Type_");
        let known = layout::extension(short);
        let agrees =
            known.is_some_and(|k| value.value == Some(i64::from(k.kind)) && k.since <= minor);
        if !agrees {
            let data = format!("{:?}", known.map(|k| (k.kind, k.since)));
            report.deviation(&value.name, format!("{:?}", value.value), data);
        }
    }
    // A number may be younger than the first builds of its minor.
    for known in layout::extensions().iter().filter(|known| known.since < minor) {
        let number = Some(i64::from(known.kind));
        if !r#enum.enumerators.iter().any(|value| value.value == number) {
            report.deviation(known.name, "none", format!("{} since 0.{}", known.kind, known.since));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slot_that_the_data_puts_too_late_or_too_early_is_found() {
        let at = |minor: i32| {
            let mut report = Report::new("made", minor);
            report.declares.insert("Layouts".to_owned());
            report
        };
        let place = "Layouts slot 4: PJRT_Layouts_PJRT_Topology_GetDefaultLayout".to_owned();
        let (mut early, mut other, mut absent) = (at(70), at(72), at(76));
        early.early.push(place.clone());
        assert_eq!(across(std::slice::from_ref(&early)).len(), 1, "there at 0.70");
        other.other.push(place.clone());
        assert!(across(&[early, other]).is_empty(), "something else at 0.72");
        absent.absent.push(place);
        let late = across(&[absent, at(80)]);
        assert_eq!(late.len(), 1, "not there at 0.76: {late:?}");
    }
}
