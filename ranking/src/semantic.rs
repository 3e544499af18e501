//! Words and their vectors together.

use std::sync::Arc;

use async_trait::async_trait;
use mcp_disclosure_core::{Context, View};

use crate::{
    Lexical, LexicalSettings, Query, Ranker, Ranking, Weights,
    index::Index,
    lexical::LONGEST_QUERY,
    vectors::{Latest, Vectors},
    words::beginning,
};

/// Ranks by words, and by how near they are to what a tool is about: "folder" is near "directory".
#[derive(Debug)]
pub struct Semantic {
    lexical: Lexical,
    key: (Weights, Latest),
}

impl Semantic {
    /// A ranker with these settings.
    pub fn new(settings: &LexicalSettings) -> Self {
        Self { lexical: Lexical::new(settings), key: (settings.weights, Latest::default()) }
    }

    /// Makes what [`rank_now`](Self::rank_now) needs for `cx.view`, beside the workers that serve clients.
    pub async fn prepare(&self, cx: &Context<'_>) {
        drop(cx.derive_with(&self.key, of).await);
    }

    /// [`Ranker::rank`] in place, where no other client waits: the first query of a view reads its tools here.
    pub fn rank_now(&self, view: &View, query: &Query<'_>) -> Ranking {
        self.rank_near(view, query, None)
    }

    /// The same with what a model says of how near each tool is, where it does: it counts as much as the vectors here, which know
    /// what tools are called.
    pub(crate) fn rank_near(&self, view: &View, query: &Query<'_>, near: Option<Vec<f32>>) -> Ranking {
        let (index, vectors) = &*view.derived_with(&self.key, of);
        let own = vectors.nearness(beginning(query.text, LONGEST_QUERY));
        let near = match (near, own) {
            (Some(near), Some(own)) => {
                Some(near.iter().zip(&own).map(|(one, other)| f32::midpoint(*one, *other)).collect())
            }
            (near, own) => near.or(own),
        };
        self.lexical.rank_in(index, query, near.as_deref())
    }

    /// The words of a query that a tool lacks, as written and each once; none if the view does not list it.
    pub fn lacking(&self, view: &View, tool: &str, query: &str) -> Vec<String> {
        self.lexical.lacking(view, tool, query)
    }
}

/// What a view lists, read in both ways.
fn of(view: &View, (weights, latest): &(Weights, Latest)) -> (Arc<Index>, Arc<Vectors>) {
    (view.derived_with(weights, Index::of), Vectors::of(view, latest))
}

#[async_trait]
impl Ranker for Semantic {
    async fn rank(&self, cx: &Context<'_>, query: &Query<'_>) -> Ranking {
        self.prepare(cx).await;
        self.rank_now(cx.view, query)
    }
}
