//! A sheet: one table of a report, independent of the format.

use crate::Basis;

/// One table of a report.
#[derive(Clone, Debug)]
pub(super) struct Sheet {
    /// The title.
    pub(super) title: String,
    pub(super) columns: Vec<Column>,
    pub(super) rows: Vec<Vec<Cell>>,
}

/// A column.
#[derive(Clone, Debug)]
pub(super) struct Column {
    pub(super) title: String,
    /// The basis of its figures, if it has figures.
    pub(super) basis: Option<Basis>,
}

/// A cell.
#[derive(Clone, Debug)]
pub(super) struct Cell {
    pub(super) text: String,
    /// The number by which the column is sorted.
    pub(super) number: Option<f64>,
}

impl Column {
    pub(super) fn words(title: &str) -> Self {
        Self { title: title.to_owned(), basis: None }
    }

    pub(super) fn figures(title: impl Into<String>, basis: Basis) -> Self {
        Self { title: title.into(), basis: Some(basis) }
    }

    /// The title with the mark of its basis.
    pub(super) fn marked(&self) -> String {
        self.basis.map_or_else(|| self.title.clone(), |basis| format!("{}{}", self.title, basis.mark()))
    }
}

impl Cell {
    pub(super) fn number(text: String, number: impl Into<Option<f64>>) -> Self {
        Self { text, number: number.into() }
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self { text, number: None }
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}
