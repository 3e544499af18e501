//! What is known of an upstream as a whole: the product whose tools it brings, and what it says of itself.

use crate::{
    assembly::UpstreamLists,
    brief::{Product, first_statement},
    raw::RawObject,
};

/// The descriptions in which the product's spelling is looked for.
const MOST_READ: usize = 64;

/// An upstream as a whole.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Origin {
    /// The product, if it is titled.
    pub(crate) product: Option<Product>,
    /// What it says of itself, in one sentence: `serverInfo.description`, or else from its `instructions`.
    pub(crate) description: Option<String>,
}

impl Origin {
    pub(crate) fn of(lists: &UpstreamLists) -> Self {
        let said = |member: &str| lists.server_info.string(member).filter(|text| !text.trim().is_empty());
        let (title, name) = (said("title"), said("name"));
        // A name without any `serverInfo` is that of lists that no server sent.
        let is_given = !lists.self_named && !lists.server_info.is_empty();
        let given = is_given.then(|| lists.name.as_str());
        let description = said("description").and_then(|text| first_statement(&text));
        let instructed = || first_statement(lists.instructions.as_deref()?);
        let product = Product::of(title.as_deref(), given, name.as_deref());
        let texts = lists
            .tools
            .iter()
            .take(MOST_READ)
            .filter_map(|tool| RawObject::parse(tool.get()).ok()?.string("description"));
        Self {
            product: product.map(|product| product.spelled_as_in(texts)),
            description: description.or_else(instructed),
        }
    }
}
