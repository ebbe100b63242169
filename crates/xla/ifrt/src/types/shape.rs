//! Shapes, indices and domains.

use unskew_serdes::proto::Message;

use super::Ifrt;

/// The lengths of the axes of an array.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Message)]
#[message(family = Ifrt, name = "xla.ifrt.ShapeProto", version = 2)]
pub struct Shape {
    /// One for each axis.
    #[field(1, repeated, int64)]
    pub dims: Vec<i64>,
}

/// Which axes may be shorter than the shape says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Message)]
#[message(family = Ifrt, name = "xla.ifrt.BoundedDynamicShapeTagProto", version = 2)]
pub struct BoundedDynamicShapeTag {
    /// One for each axis.
    #[field(1, repeated, bool)]
    pub is_dynamic_dims: Vec<bool>,
}

/// A shape of which some axes are bounds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Message)]
#[message(
    family = Ifrt, name = "xla.ifrt.DynamicShapeProto", version = 3, check = DynamicShape::checked
)]
pub struct DynamicShape {
    /// The lengths, or their bounds.
    #[field(1, message)]
    pub shape: Shape,
    /// Which of the two.
    #[field(2, message, always, oneof = "tag")]
    pub bounded_dynamic_shape_tag: BoundedDynamicShapeTag,
}

impl DynamicShape {
    fn checked(&self) -> Result<(), String> {
        let (dims, tags) =
            (self.shape.dims.len(), self.bounded_dynamic_shape_tag.is_dynamic_dims.len());
        if dims == tags {
            return Ok(());
        }
        Err(format!("the tag is for another number of axes: {tags}, the shape has {dims}"))
    }
}

/// A place in an array.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Message)]
#[message(family = Ifrt, name = "xla.ifrt.IndexProto", version = 2, silent_since = 5)]
pub struct Index {
    /// One for each axis.
    #[field(1, repeated, int64)]
    pub elements: Vec<i64>,
}

/// A block of an array.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Message)]
#[message(family = Ifrt, name = "xla.ifrt.IndexDomainProto", version = 3, silent_since = 5)]
pub struct IndexDomain {
    /// The index of its first element.
    #[field(1, message)]
    pub origin: Index,
    /// How large it is.
    #[field(2, message)]
    pub shape: Shape,
}
