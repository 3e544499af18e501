//! What is known of an upstream as a whole: its title, and what it says of itself.

use crate::{
    assembly::UpstreamLists,
    brief::{first_sentence, in_a_line},
};

/// An upstream as a whole.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Origin {
    /// `serverInfo.title`.
    pub(crate) title: Option<String>,
    /// What it says of itself, in one sentence: `serverInfo.description`, or else from its `instructions`.
    pub(crate) description: Option<String>,
}

impl Origin {
    pub(crate) fn of(lists: &UpstreamLists) -> Self {
        let said = |member: &str| lists.server_info.string(member).filter(|text| !text.trim().is_empty());
        let description = said("description").and_then(|text| first_sentence(&text));
        let instructed = || first_sentence(lists.instructions.as_deref()?);
        Self { title: said("title").as_deref().map(in_a_line), description: description.or_else(instructed) }
    }
}
