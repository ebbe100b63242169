//! Values that can be sent in a session, by what the types say of themselves.

use unskew_serdes::VersionFloor;
use unskew_serdes::proto::{Enumeration, FieldDescription, MessageDescription, SinceVersion};

use crate::types::{
    self, DType, DTypeKind, ExecuteOptions, HloProgram, HloSharding, Ifrt, Shape, XlaCompileOptions,
};

/// Something that a session may have to carry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Carried {
    /// What it is: a type, a field of one, a kind of elements.
    pub what: String,
    /// The first version that has it.
    pub since: SinceVersion,
    /// Whether a reader that does not know it drops it or takes it for something else.
    pub dropped: bool,
    /// The minimum with which builds stopped knowing it.
    pub removed_with_minimum: Option<u32>,
}

/// The types without which no program runs, with the lowest version that has them: a program, its
/// options, arrays on devices. For [`unskew_serdes::negotiate`].
///
/// Programs have a floor of their own besides, by the day on which their writer was built: see
/// [`typed_week_4_old`](crate::typed_week_4_old).
pub const fn program_floors() -> [VersionFloor; 6] {
    [
        VersionFloor::for_message::<Ifrt, HloProgram>(),
        VersionFloor::for_message::<Ifrt, XlaCompileOptions>(),
        VersionFloor::for_message::<Ifrt, ExecuteOptions>(),
        VersionFloor::for_message::<Ifrt, HloSharding>(),
        VersionFloor::for_message::<Ifrt, DType>(),
        VersionFloor::for_message::<Ifrt, Shape>(),
    ]
}

/// Everything that has not been there from the first version to the last.
pub(crate) fn changing() -> Vec<Carried> {
    let mut all = Vec::new();
    for message in types::all() {
        let removed_with_minimum = message.removed_with_minimum;
        if message.since.version > 0 || removed_with_minimum.is_some() {
            let (what, since) = (message.rust.to_owned(), message.since);
            all.push(Carried { what, since, dropped: false, removed_with_minimum });
        }
        let younger = message.fields.iter().filter(|f| f.since.version > message.since.version);
        all.extend(younger.map(|field| of_field(message, field)));
    }
    let kinds = DTypeKind::DESCRIPTION.values.iter().filter(|value| value.since.version > 0);
    all.extend(kinds.map(|value| Carried {
        what: format!("elements of {}", value.name),
        since: value.since,
        dropped: value.since.silent,
        removed_with_minimum: None,
    }));
    all
}

fn of_field(message: &MessageDescription, field: &FieldDescription) -> Carried {
    Carried {
        what: format!("{}.{}", message.rust, field.name),
        since: field.since,
        dropped: field.since.silent,
        removed_with_minimum: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_changed_is_what_the_types_say() {
        let all = changing();
        let since = |what: &str| all.iter().find(|c| c.what == what).map(|c| c.since.version);
        assert_eq!(since("AbstractArraySpec"), Some(5));
        assert_eq!(since("ShardingParam.unreduced_axes"), Some(1));
        assert_eq!(since("XlaCompileOptions.outputs_bundle_slice_sizes"), Some(4));
        assert_eq!(since("elements of KIND_F6E2M3FN"), Some(5));
        assert_eq!(since("Shape"), None);
        assert!(program_floors().iter().all(|floor| floor.version == 0));
    }
}
