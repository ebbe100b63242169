//! TorchScript source: read, shown, edited in place.
//!
//! An archive of PyTorch holds its code as text in the syntax of Python, of which it uses a small part:
//! classes with attributes, functions with annotated parameters, assignments, calls, `if`, `while`,
//! `for`, `with`, and literals. Operator upgraders are written in it too. This crate is that part:
//!
//! * [`parse`] reads a text into a [`Module`]; every node knows its [`TextSpan`] in the text. What is Python and
//!   not TorchScript is a [`ScriptError`] with its line and column, never skipped;
//! * what is read is shown again by `Display`, in the way in which PyTorch prints it;
//! * [`Edits`] replaces spans of the text and keeps every other byte, so that a rewrite of one call changes
//!   nothing else;
//! * [`typing`] finds the types of a whole program, and the overload that each call of an operator means.
//!
//! ```
//! use unskew_script::{Edits, Expression, Statement, parse};
//!
//! let text = "def f(x: Tensor) -> Tensor:\n  return torch.div(x, 2)\n";
//! let module = parse(text).unwrap();
//! let function = module.functions().next().unwrap();
//! let Statement::Return { value: Some(Expression::Call(call)), .. } = &function.body[0] else {
//!     unreachable!()
//! };
//! assert_eq!(call.function.path().as_deref(), Some("torch.div"));
//!
//! let mut edits = Edits::new(text);
//! edits.replace(call.function.span(), "torch.floor_divide").unwrap();
//! assert_eq!(edits.finish(), "def f(x: Tensor) -> Tensor:\n  return torch.floor_divide(x, 2)\n");
//! ```
//!
//! A parser of Python reads less than PyTorch writes (`self.d.from` is a name there), and more than it reads. So the
//! tokens and the grammar are here: two modules, `lex` and `read`.
#![forbid(unsafe_code)]

mod edit;
mod lex;
mod limits;
mod quoted;
mod read;
mod show;
mod syntax;
mod traversal;
pub mod typing;

pub use edit::{Edits, Overlap};
pub use limits::{MAX_DEPTH, MAX_TOKENS, TokenizedSource};
pub use read::{ScriptError, parse};
pub use syntax::{
    CallArgument, CallExpression, ClassDefinition, Expression, FunctionDefinition,
    FunctionParameter, LiteralConstant, Module, SpannedName, Statement, TextSpan,
};
