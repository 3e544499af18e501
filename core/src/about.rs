//! What a catalogue says of itself as a whole: its name, what is true of the server, the categories that its
//! tools are sorted into (004 "Level 1"), and the concerns that hosts may choose by (002).

use crate::{concern::Concern, raw::RawObject};

/// What a catalogue says of itself as a whole.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct About {
    /// The server's name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// What it is for, in a sentence.
    pub description: String,
    /// What else is true of it, such as `gpu_available`: any JSON by name.
    pub facts: RawObject,
    /// The categories that are declared, in the order in which they are shown.
    pub categories: Vec<Category>,
    /// The concerns that are declared, each of another name.
    pub concerns: Vec<Concern>,
}

/// A category that is declared. Tools may name others, which have no description.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Category {
    /// Its name.
    pub name: String,
    /// What its tools are for.
    pub description: String,
}
