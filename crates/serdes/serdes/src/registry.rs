//! Values of several types behind one interface, by the name of the type.

use std::collections::BTreeMap;

use crate::text::text;
use crate::{
    DecodeError, DecodeProblem, Decoder, EncodeError, EncodeProblem, Encoder, Family, Format,
};

/// A type with a name that it keeps: what a registry tells types apart by.
pub trait StableName {
    /// The name that is written before a value of the type, and never changes.
    const TYPE_NAME: &'static str;
}

/// A value that can be written without knowing its type: what a trait of such values extends.
pub trait Polymorphic<F: Family> {
    /// The name of its type.
    fn type_name(&self) -> &'static str;

    /// Writes its contents, in the version of the writer.
    ///
    /// # Errors
    /// As [`Format::write`].
    fn write_contents(&self, to: &mut Encoder<'_, F>) -> Result<(), EncodeError>;
}

impl<F: Family, T: Format<F> + StableName> Polymorphic<F> for T {
    fn type_name(&self) -> &'static str {
        T::TYPE_NAME
    }

    fn write_contents(&self, to: &mut Encoder<'_, F>) -> Result<(), EncodeError> {
        self.write(to)
    }
}

/// The types that can stand behind the interface `T`, a trait object.
///
/// ```
/// use unskew_serdes::{Format, StableName, Polymorphic, TypeRegistry, default_version, family};
///
/// family!(Stored = "examples/stored.history.toml");
///
/// trait Shape: Polymorphic<Stored> {
///     fn area(&self) -> u64;
/// }
///
/// #[derive(Format)]
/// #[format(family = Stored)]
/// struct Square(u64);
/// impl StableName for Square {
///     const TYPE_NAME: &'static str = "square";
/// }
/// impl Shape for Square {
///     fn area(&self) -> u64 {
///         self.0 * self.0
///     }
/// }
///
/// let mut shapes = TypeRegistry::<Stored, dyn Shape>::new();
/// shapes.register::<Square>(|square| Box::new(square));
///
/// let mut bytes = Vec::new();
/// shapes.write(&Square(3), default_version(), &mut bytes).unwrap();
/// assert_eq!(shapes.read(&bytes).unwrap().area(), 9);
/// ```
pub struct TypeRegistry<F: Family, T: ?Sized> {
    readers: BTreeMap<&'static str, ReadFn<F, T>>,
}

type ReadFn<F, T> = Box<dyn Fn(&mut Decoder<'_, F>) -> Read<T> + Send + Sync>;

type Read<T> = Result<Box<T>, DecodeError>;

impl<F: Family, T: ?Sized> Default for TypeRegistry<F, T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<F: Family, T: ?Sized> TypeRegistry<F, T> {
    /// A registry without types.
    pub fn new() -> Self {
        Self { readers: BTreeMap::new() }
    }

    /// Adds a type. One that has the name of another takes its place.
    pub fn register<V: Format<F> + StableName>(
        &mut self,
        boxed: impl Fn(V) -> Box<T> + Send + Sync + 'static,
    ) {
        let reader = move |from: &mut Decoder<'_, F>| V::read(from).map(&boxed);
        self.readers.insert(V::TYPE_NAME, Box::new(reader));
    }

    /// Reads a value of any registered type, as a part of another.
    ///
    /// # Errors
    /// [`DecodeProblem::UnknownType`], and whatever is wrong with the contents.
    pub fn read_from(&self, from: &mut Decoder<'_, F>) -> Read<T> {
        let name = text(from)?;
        let reader = self.readers.get(name);
        let reader =
            reader.ok_or_else(|| from.error(DecodeProblem::UnknownType(name.to_owned())))?;
        from.sized(|from| reader(from))
    }

    /// Reads a value that takes all of `bytes`.
    ///
    /// # Errors
    /// As [`TypeRegistry::read_from`].
    pub fn read(&self, bytes: &[u8]) -> Read<T> {
        let mut from = Decoder::new(bytes);
        let value = self.read_from(&mut from)?;
        from.finish()?;
        Ok(value)
    }
}

impl<F: Family, T: ?Sized + Polymorphic<F>> TypeRegistry<F, T> {
    /// Writes a value with the name of its type, as a part of another.
    ///
    /// # Errors
    /// As [`Format::write`].
    pub fn write_to(value: &T, to: &mut Encoder<'_, F>) -> Result<(), EncodeError> {
        write_named(value.type_name(), to, |to| value.write_contents(to))
    }
}

impl<F: Family, T: ?Sized> TypeRegistry<F, T> {
    /// Writes a value of a registered type on its own.
    ///
    /// # Errors
    /// As [`Format::write`]; and if the type is not registered, since nobody could read it.
    pub fn write(
        &self,
        value: &dyn Polymorphic<F>,
        version: crate::FamilyVersion<F>,
        out: &mut Vec<u8>,
    ) -> Result<(), EncodeError> {
        if !self.readers.contains_key(value.type_name()) {
            let text = format!("is of a type that is not registered: {}", value.type_name());
            return Err(EncodeError::new(EncodeProblem::Refused(text)));
        }
        crate::write::write_with(version, out, |to| {
            write_named(value.type_name(), to, |to| value.write_contents(to))
        })
    }
}

fn write_named<F: Family>(
    name: &str,
    to: &mut Encoder<'_, F>,
    contents: impl FnOnce(&mut Encoder<'_, F>) -> Result<(), EncodeError>,
) -> Result<(), EncodeError> {
    to.count(name.len());
    to.bytes(name.as_bytes());
    to.sized(contents)
}
