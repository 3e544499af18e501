//! Words and their vectors together.

use async_trait::async_trait;
use mcp_disclosure_core::{Preparation, View};

use crate::{
    Lexical, LexicalSettings, Query, Ranker, Ranking, lexical::LONGEST_QUERY, vectors::Vectors,
    words::beginning,
};

/// Ranks by words, and by how near they are to what a tool is about: "folder" is near "directory".
#[derive(Debug)]
pub struct Semantic {
    lexical: Lexical,
}

impl Semantic {
    /// A ranker with these settings.
    pub fn new(settings: &LexicalSettings) -> Self {
        Self { lexical: Lexical::new(settings) }
    }

    /// [`Ranker::rank`], which never waits. The first query of a view reads its tools.
    pub fn rank_now(&self, view: &View, query: &Query<'_>) -> Ranking {
        let near = view.derived(|view| Vectors::of(view)).nearness(beginning(query.text, LONGEST_QUERY));
        self.lexical.rank_near(&self.lexical.index(view), query, near.as_deref())
    }

    /// The words of a query that a tool lacks, as written and each once; none if the view does not list it.
    pub fn lacking(&self, view: &View, tool: &str, query: &str) -> Vec<String> {
        self.lexical.lacking(view, tool, query)
    }
}

#[async_trait]
impl Ranker for Semantic {
    fn preparation(&self, view: &View) -> Option<Preparation> {
        let words = self.lexical.preparation(view)?;
        let prepare = move |view: &View| {
            words(view);
            drop(view.derived(|view| Vectors::of(view)));
        };
        Some(Box::new(prepare))
    }

    async fn rank(&self, view: &View, query: &Query<'_>) -> Ranking {
        self.rank_now(view, query)
    }
}
