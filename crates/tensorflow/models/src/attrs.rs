//! The attributes of a node. Most nodes set what others set too, so what is equal in a file is kept once.

use std::sync::Arc;

use smallvec::SmallVec;

use crate::AttrValue;

/// An attribute: its name and its value.
pub(crate) type Attr = (Arc<str>, AttrValue);

/// Some attributes. Nodes of Keras have six.
pub(crate) type AttrList = SmallVec<[Arc<Attr>; 8]>;

/// Whether a release judges attributes of this name.
pub(crate) fn is_judged(name: &str) -> bool {
    name.as_bytes().first() != Some(&b'_')
}

/// Attributes in the order of the file. Nodes of one file that say the same bytes share them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Attrs(Option<Arc<AttrSet>>);

/// Some attributes, at least one.
#[derive(Debug, PartialEq)]
struct AttrSet {
    all: AttrList,
    /// Whether a value names a function, which is told for all nodes that share it.
    names_functions: bool,
}

impl Attrs {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.shared().len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// The value of the first attribute of this name.
    pub fn get(&self, name: &str) -> Option<&AttrValue> {
        self.iter().find(|(known, _)| &***known == name).map(|(_, value)| value)
    }

    /// Names and values.
    pub fn iter(&self) -> impl Iterator<Item = (&Arc<str>, &AttrValue)> {
        self.shared().iter().map(|attr| (&attr.0, &attr.1))
    }

    /// Those that a release judges: the names of others begin with `_`, they are for the runtime's own use and pass
    /// everywhere.
    pub fn judged(&self) -> impl Iterator<Item = (&Arc<str>, &AttrValue)> {
        self.iter().filter(|(name, _)| is_judged(name))
    }

    pub(crate) fn functions(&self) -> impl Iterator<Item = &str> {
        self.naming().iter().flat_map(|attr| attr.1.functions())
    }

    /// Those that attributes name which a release judges.
    pub(crate) fn judged_functions(&self) -> impl Iterator<Item = &str> {
        self.naming().iter().filter(|attr| is_judged(&attr.0)).flat_map(|attr| attr.1.functions())
    }

    /// All attributes if one names a function, which is so of few nodes.
    fn naming(&self) -> &[Arc<Attr>] {
        self.0.as_ref().filter(|set| set.names_functions).map_or(&[], |set| &set.all)
    }

    pub(crate) fn shared(&self) -> &[Arc<Attr>] {
        self.0.as_ref().map_or(&[], |set| &set.all)
    }

    /// What is the same for all nodes that share these, and other for others while these are there.
    pub(crate) fn address(&self) -> usize {
        self.0.as_ref().map_or(0, |set| Arc::as_ptr(set).addr())
    }

    pub(crate) fn retain(&mut self, mut stays: impl FnMut(&Arc<str>, &AttrValue) -> bool) {
        let left = self.shared().iter().filter(|attr| stays(&attr.0, &attr.1)).cloned();
        *self = left.collect();
    }
}

impl From<AttrList> for Attrs {
    fn from(all: AttrList) -> Self {
        let names_functions = all.iter().any(|attr| attr.1.functions().next().is_some());
        Self((!all.is_empty()).then(|| Arc::new(AttrSet { all, names_functions })))
    }
}

impl FromIterator<Arc<Attr>> for Attrs {
    fn from_iter<I: IntoIterator<Item = Arc<Attr>>>(attrs: I) -> Self {
        attrs.into_iter().collect::<AttrList>().into()
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
