//! Problems for a person to fix: what is wrong, where, and a hint.

use std::{error::Error, fmt, sync::Arc};

/// A position in a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The file, as it was given.
    pub file: Arc<str>,
    /// The line, starting at 1.
    pub line: usize,
    /// The column in characters, starting at 1.
    pub column: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// A problem for a person to fix. Displayed on one line, with place and hint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    place: Option<Place>,
    message: String,
    hint: Option<String>,
}

impl Problem {
    /// A problem whose message names the place, or that has none.
    pub fn new(message: impl Into<String>) -> Self {
        Self { place: None, message: message.into(), hint: None }
    }

    /// Sets the place, which the message does not name, if there is one.
    pub fn at(self, place: impl Into<Option<Place>>) -> Self {
        Self { place: place.into(), ..self }
    }

    /// The place, if known separately from the message.
    pub fn place(&self) -> Option<&Place> {
        self.place.as_ref()
    }

    /// What is wrong.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// How to fix it.
    pub fn remedy(&self) -> Option<&str> {
        self.hint.as_deref()
    }

    /// Adds how to fix it.
    pub fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            write!(formatter, "{place}: ")?;
        }
        formatter.write_str(&self.message)?;
        match &self.hint {
            Some(hint) => write!(formatter, " (hint: {hint})"),
            None => Ok(()),
        }
    }
}

impl Error for Problem {}

/// All problems found, at least one. Displayed one per line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problems(pub Vec<Problem>);

impl fmt::Display for Problems {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        lines(&self.0).fmt(formatter)
    }
}

impl Error for Problems {}

/// One item per line.
pub(crate) fn lines(problems: &[impl fmt::Display]) -> String {
    problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}
