//! Many sides against many others: the model of a matrix and its renderers.
//!
//! Each row and each column is a party that was made once; a cell is the verdict of one pair. Cells
//! that say the same are explained once, as a numbered [`GridReason`].

mod csv;
mod html;
mod model;
mod reason;
mod table;

pub use model::{Cell, Grid, GridRow};
pub use reason::GridReason;

impl Grid {
    /// As a table for a terminal of this width, with the reasons below.
    pub fn table(&self, width: usize) -> String {
        table::render(self, width)
    }

    /// One line a pair.
    pub fn csv(&self) -> String {
        csv::render(self)
    }

    /// One page that needs nothing else.
    pub fn html(&self) -> String {
        html::render(self)
    }
}
