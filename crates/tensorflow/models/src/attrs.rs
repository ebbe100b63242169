//! The attributes of a node. Most nodes set what others set too, so what is equal in a file is kept once.

use std::sync::Arc;

use smallvec::SmallVec;

use crate::AttrValue;

/// An attribute: its name and its value.
pub(crate) type Attr = (Arc<str>, AttrValue);

/// Whether a release judges attributes of this name.
pub(crate) fn is_judged(name: &str) -> bool {
    name.as_bytes().first() != Some(&b'_')
}

fn functions<'a>(
    attrs: impl Iterator<Item = (&'a Arc<str>, &'a AttrValue)>,
) -> impl Iterator<Item = &'a str> {
    let may_name = |value: &AttrValue| matches!(value, AttrValue::Func(_) | AttrValue::List(_));
    attrs.filter(move |(_, value)| may_name(value)).flat_map(|(_, value)| value.functions())
}

/// Attributes in the order of the file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Attrs(SmallVec<[Arc<Attr>; 4]>);

impl Attrs {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The value of the first attribute of this name.
    pub fn get(&self, name: &str) -> Option<&AttrValue> {
        self.iter().find(|(known, _)| &***known == name).map(|(_, value)| value)
    }

    /// Names and values.
    pub fn iter(&self) -> impl Iterator<Item = (&Arc<str>, &AttrValue)> {
        self.0.iter().map(|attr| (&attr.0, &attr.1))
    }

    /// Those that a release judges: the names of others begin with `_`, they are for the runtime's own use and pass
    /// everywhere.
    pub fn judged(&self) -> impl Iterator<Item = (&Arc<str>, &AttrValue)> {
        self.iter().filter(|(name, _)| is_judged(name))
    }

    /// The functions that values name. Few attributes can, which is told before their values are gone through.
    pub(crate) fn functions(&self) -> impl Iterator<Item = &str> {
        functions(self.iter())
    }

    /// Those that attributes name which a release judges.
    pub(crate) fn judged_functions(&self) -> impl Iterator<Item = &str> {
        functions(self.judged())
    }

    pub(crate) fn shared(&self) -> &[Arc<Attr>] {
        &self.0
    }

    pub(crate) fn push(&mut self, attr: Arc<Attr>) {
        self.0.push(attr);
    }

    pub(crate) fn retain(&mut self, mut stays: impl FnMut(&Arc<str>, &AttrValue) -> bool) {
        self.0.retain(|attr| stays(&attr.0, &attr.1));
    }
}

impl FromIterator<Arc<Attr>> for Attrs {
    fn from_iter<I: IntoIterator<Item = Arc<Attr>>>(attrs: I) -> Self {
        Self(attrs.into_iter().collect())
    }
}

impl FromIterator<Attr> for Attrs {
    fn from_iter<I: IntoIterator<Item = Attr>>(attrs: I) -> Self {
        attrs.into_iter().map(Arc::new).collect()
    }
}

impl From<Vec<Attr>> for Attrs {
    fn from(attrs: Vec<Attr>) -> Self {
        attrs.into_iter().collect()
    }
}
