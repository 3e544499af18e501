//! The strategy: what it lists, what a search answers, and which calls its executors make.

use std::sync::Arc;

use async_trait::async_trait;
use mcp_disclosure_core::{
    ArgumentProblem, Called, ClientTraits, Context, Decision, DisclosureStrategy, Fault, Finder, Lesson,
    ListedCategory, Listing, Note, Own, OwnTool, Profile, ToolAnswer, ToolCall, View, VisibleTool,
    brief::shorten, index::with_index_within, inner_call::members, printable::one_line,
};
use mcp_disclosure_ranking::{BuiltIn, Hit, Match, Query, Ranker, Ranking};
use serde_json::{Value, json};

use crate::{
    SearchConfig,
    answer::{self, Bounds},
    arguments::SearchArguments,
    wording::{self, EXECUTOR, SEARCH},
};

/// The strategy's name, as in flags, addresses, offers and settings.
pub const NAME: &str = "search";

/// The number of suggestions for an unknown tool.
const SUGGESTIONS: usize = 5;

/// How much of a query the log has, in characters.
const LONGEST_LOGGED: usize = 200;

/// The profile of `search`.
pub static PROFILE: Profile = Profile::presenter(
    NAME,
    "Tools found by words: one tool that searches, one that calls",
    "nothing: both are ordinary tools",
)
.taught_by(Lesson::new(SEARCH, r#"{"query": "{tool}", "limit": 1, "detail": "full"}"#))
.found_by(Finder::new(SEARCH, r#"{"query": "{query}"}"#, &["tools"]))
.giving_way()
.of_size("compact")
.with_settings(SearchConfig::SETTINGS);

/// Tools found by words.
#[derive(Debug)]
pub struct Search {
    config: SearchConfig,
    ranker: Arc<dyn Ranker>,
}

impl Search {
    /// Makes the strategy with the built-in ranker.
    pub fn new(config: SearchConfig) -> Self {
        let ranker = Arc::new(BuiltIn::new(&config.ranking()));
        Self { config, ranker }
    }

    /// The same with another ranker.
    pub fn ranked_by(self, ranker: impl Ranker) -> Self {
        Self { ranker: Arc::new(ranker), ..self }
    }

    fn search_tool(&self, view: &View) -> OwnTool {
        let schema = json!({
            "type": "object",
            "properties": {
                "query": {"type": "string", "description": wording::QUERY},
                "category": {"type": "string", "description": wording::CATEGORY},
                "limit": {"type": "integer", "default": self.config.hits},
                "detail": {"type": "string", "enum": ["brief", "full"], "description": wording::DETAIL},
            },
        });
        let description = wording::search_description(self.config.executors, view.has_pins());
        let description = with_index_within(&description, view, self.config.description_bytes);
        OwnTool::new(SEARCH, &description, &schema).read_only()
    }

    async fn search(&self, cx: &Context<'_>, call: &ToolCall) -> Result<ToolAnswer, ArgumentProblem> {
        let SearchArguments { query, category, limit, detail } =
            SearchArguments::read(&members(call)?, &self.config)?;
        let answered =
            |content: Value, is_error| ToolAnswer { content: content.to_string().into(), is_error };
        let named = category.as_deref().map(|name| category_named(cx.view, name).ok_or(name));
        let within = match named.transpose() {
            Ok(within) => within,
            Err(name) => return Ok(answered(answer::unknown_category(cx.view, name), true)),
        };
        if query.is_empty() {
            let content = match within {
                Some(category) => {
                    let bounds = Bounds::of(&self.config, category.tools_of_one().len(), detail);
                    answer::category(cx, category, detail, bounds)
                }
                None => answer::overview(cx.view),
            };
            return Ok(answered(content, false));
        }
        let most = limit.unwrap_or(self.config.hits.get());
        let query = Query { text: &query, category: within.map(ListedCategory::name), limit: most };
        let mut ranking = self.ranker.rank(cx, &query).await;
        if let Some(tool) = cx.view.tool_for_models(query.text).filter(|_| within.is_none()) {
            put_first(&mut ranking, tool, most);
        }
        cx.note(Note::Delivered);
        let is_missed = ranking.hits.iter().all(|hit| hit.matched == Match::Weak);
        if is_missed {
            cx.note(Note::Missed);
        }
        let words = (is_missed && self.config.log_misses)
            .then(|| one_line(&shorten(query.text, LONGEST_LOGGED)).into_owned());
        tracing::info!(session = cx.session, hits = ranking.hits.len(), is_missed, words, "tools searched");
        let bounds = Bounds::of(&self.config, most, detail);
        Ok(answered(answer::found(cx, &ranking, detail, bounds), false))
    }
}

#[async_trait]
impl DisclosureStrategy for Search {
    fn profile(&self) -> &Profile {
        &PROFILE
    }

    fn list(&self, view: &View, _client: &ClientTraits) -> Listing {
        Listing::without_tools(view).guided(&wording::guidance(self.config.executors, view.has_pins()))
    }

    fn own(&self, view: &View, _client: &ClientTraits) -> Own {
        let mut tools = vec![self.search_tool(view)];
        tools.extend(EXECUTOR.tools(self.config.executors));
        tools.into()
    }

    async fn before_call(&self, cx: &Context<'_>, call: ToolCall) -> Result<Decision, Fault> {
        Ok(match EXECUTOR.open(self.config.executors, cx.view, call) {
            Called::Describing(call) => Decision::answered(SEARCH, self.search(cx, &call).await),
            Called::Decided(decision) => decision,
            Called::Unknown(name) => {
                let ranking = self.ranker.rank(cx, &Query::new(&name, SUGGESTIONS)).await;
                let meant: Vec<&str> = ranking.hits.iter().map(|hit| hit.name.as_str()).collect();
                Decision::unknown_tool(&name, &meant)
            }
        })
    }
}

/// Makes the tool of this name the first hit: an exact name wins whatever the ranker knows, and tools that filters leave out
/// are found by it alone.
fn put_first(ranking: &mut Ranking, tool: VisibleTool<'_>, limit: usize) {
    let name = tool.name();
    if ranking.hits.first().is_some_and(|hit| hit.name == *name && hit.matched == Match::Exact) {
        return;
    }
    let score = ranking.hits.first().map_or(1.0, |hit| hit.score);
    ranking.hits.retain(|hit| hit.name != *name && hit.matched != Match::Weak);
    ranking.hits.insert(
        0,
        Hit {
            name: name.clone(),
            matched: Match::Exact,
            score,
            servers: vec![tool.tool().upstream().clone()],
        },
    );
    ranking.hits.truncate(limit);
    ranking.unmatched.clear();
}

/// The category of this name, in whatever case.
fn category_named<'v>(view: &'v View, name: &str) -> Option<ListedCategory<'v>> {
    let lower = name.trim().to_lowercase();
    view.category(name).or_else(|| view.categories().find(|category| category.name().to_lowercase() == lower))
}

#[cfg(test)]
#[path = "tests/mod.rs"]
mod tests;
