//! The seam between strategies that find tools by words and whatever ranks them.

use std::{collections::HashMap, fmt};

use async_trait::async_trait;
use mcp_disclosure_core::{Context, ToolName, UpstreamName};
use serde::Deserialize;

use crate::Weights;

/// Ranks the listed tools of a view. Implementations can wait for a model or a service.
///
/// Must not depend on anything that the view does not list: statistics of hidden tools would show in the order.
#[async_trait]
pub trait Ranker: fmt::Debug + Send + Sync + 'static {
    /// The tools of `cx.view` that fit a query, best first; ties in the order of the view. What the first query makes and
    /// later ones use, such as an index, is made by [`Context::derive_with`].
    async fn rank(&self, cx: &Context<'_>, query: &Query<'_>) -> Ranking;
}

/// The settings of [`BuiltIn`](crate::BuiltIn).
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LexicalSettings {
    /// The weight of a word by the place where a tool has it.
    pub weights: Weights,
    /// Words, and the words that can stand for them, beside the built-in ones.
    pub synonyms: HashMap<String, Vec<String>>,
}

/// A query.
#[derive(Clone, Copy, Debug)]
pub struct Query<'q> {
    /// What is looked for: words, or a tool's name.
    pub text: &'q str,
    /// Only tools of this category.
    pub category: Option<&'q str>,
    /// Maximum number of hits.
    pub limit: usize,
}

impl<'q> Query<'q> {
    /// A query among all tools.
    pub fn new(text: &'q str, limit: usize) -> Self {
        Self { text, category: None, limit }
    }
}

/// The answer to a query.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ranking {
    /// The tools that fit, best first.
    pub hits: Vec<Hit>,
    /// The words of the query that no listed tool has, as written.
    pub unmatched: Vec<String>,
}

/// A tool that fits.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// Its name in the view.
    pub name: ToolName,
    /// How well it fits.
    pub matched: Match,
    /// The rank's value: larger is better, comparable within one answer only.
    pub score: f32,
    /// The upstreams that have this very tool, its own first.
    pub servers: Vec<UpstreamName>,
}

/// How well a tool fits, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, strum::Display, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum Match {
    /// The query is its name.
    Exact,
    /// It probably does what the query says.
    Strong,
    /// It possibly does.
    Weak,
}
