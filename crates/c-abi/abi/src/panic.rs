//! Panics of a plug-in's author, which must not cross a C interface.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A panic that was caught, with its text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the plug-in panicked: {0}")]
pub struct Panicked(pub String);

/// What `body` gives. A panic in it goes no further, since a C interface has no way to pass it on.
///
/// What the body left half done stays so: whoever calls it says why that is sound, as
/// [`AssertUnwindSafe`] asks.
///
/// # Errors
/// [`Panicked`] if it panicked.
///
/// ```
/// use unskew_abi::caught;
///
/// assert_eq!(caught(|| 7).unwrap(), 7);
/// let panicked = caught(|| panic!("no such device: {}", 3)).unwrap_err();
/// assert_eq!(panicked.to_string(), "the plug-in panicked: no such device: 3");
/// ```
pub fn caught<R>(body: impl FnOnce() -> R) -> Result<R, Panicked> {
    catch_unwind(AssertUnwindSafe(body)).map_err(text)
}

#[cold]
fn text(panic: Box<dyn Any + Send>) -> Panicked {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    match text.or_else(|| panic.downcast_ref::<&str>().copied()) {
        Some(text) => Panicked(text.to_owned()),
        None => {
            // A value of the author's own type may panic again when it is dropped, where nobody
            // catches it.
            std::mem::forget(panic);
            Panicked("it gave no text".to_owned())
        }
    }
}
