//! A sheet: one table of a report, independent of the format.

/// One table of a report.
#[derive(Clone, Debug, Default)]
pub(super) struct Sheet {
    /// The title.
    pub(super) title: String,
    pub(super) columns: Vec<Column>,
    pub(super) rows: Vec<Vec<String>>,
    /// The row of the recommended strategy.
    pub(super) recommended: Option<usize>,
}

/// A column.
#[derive(Clone, Debug)]
pub(super) struct Column {
    pub(super) title: String,
    /// Whether it has figures.
    pub(super) is_figure: bool,
    /// Whether it is among those that are shown where there is no room for more.
    pub(super) is_basic: bool,
}

impl Column {
    pub(super) fn words(title: &str) -> Self {
        Self { title: title.to_owned(), is_figure: false, is_basic: true }
    }

    pub(super) fn figures(title: impl Into<String>) -> Self {
        Self { title: title.into(), is_figure: true, is_basic: true }
    }

    /// A column for those who ask for more, or have the room.
    pub(super) fn more(self) -> Self {
        Self { is_basic: false, ..self }
    }
}

impl Sheet {
    /// The sheet with those of its columns only that are basic.
    pub(super) fn basic(&self) -> Self {
        let kept: Vec<usize> = (0..self.columns.len()).filter(|at| self.columns[*at].is_basic).collect();
        let row = |row: &Vec<String>| kept.iter().map(|at| row[*at].clone()).collect();
        Self {
            columns: kept.iter().map(|at| self.columns[*at].clone()).collect(),
            rows: self.rows.iter().map(row).collect(),
            ..self.clone()
        }
    }
}
