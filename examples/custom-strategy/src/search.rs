//! `search`: two tools instead of all. `find_tools` searches by words and returns complete definitions; `use_tool`
//! calls a tool.

use std::{collections::HashMap, io, path::PathBuf};

use async_trait::async_trait;
use mcp_disclosure_core::{
    Called, ClientTraits, Context, Decision, DisclosureStrategy, Executor, Executors, Fault, Finder, Lesson,
    Listing, Own, OwnTool, Profile, ToolAnswer, ToolCall, ToolName, View,
};
use serde::Deserialize;
use serde_json::{Value, json};

const FIND: &str = "find_tools";

/// The tool that calls what was found.
const EXECUTOR: Executor = Executor {
    describing: FIND,
    acting: "use_tool",
    reading: "use_read_only_tool",
    called: "a tool that find_tools returned",
    arguments: "By its inputSchema",
};

/// The strategy's profile: the server acts on these values, never on the name.
pub static PROFILE: Profile =
    Profile::presenter("find", "Two tools instead of all: find_tools by words, use_tool by name", "nothing")
        .taught_by(Lesson::new(FIND, r#"{"query": "{tool}"}"#))
        .found_by(Finder::new(FIND, r#"{"query": "{query}"}"#, &["tools"]))
        .called_by(EXECUTOR.acting);

/// The settings in `[strategy.find]`.
#[derive(Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SearchConfig {
    /// Maximum number of tools that a search returns.
    pub results: usize,
    /// A file of synonyms: a JSON object from a word to its synonyms.
    pub synonyms: Option<PathBuf>,
}

impl Default for SearchConfig {
    fn default() -> Self {
        Self { results: 3, synonyms: None }
    }
}

/// The strategy. It keeps its settings and nothing about any client.
#[derive(Debug)]
pub struct Search {
    results: usize,
    synonyms: HashMap<String, Vec<String>>,
}

impl Search {
    /// Makes the strategy. What takes time or can fail is done here, once, before any client is served.
    pub fn open(config: SearchConfig) -> io::Result<Self> {
        let synonyms = match &config.synonyms {
            Some(path) => serde_json::from_str(&std::fs::read_to_string(path)?)?,
            None => HashMap::new(),
        };
        Ok(Self { results: config.results, synonyms })
    }

    async fn find(&self, cx: &Context<'_>, query: &str) -> Value {
        let query = query.to_lowercase();
        let words = query.split_whitespace();
        let words: Vec<&str> = words.flat_map(|word| self.meaning(word)).collect();
        let index = cx.derive(Index::of).await;
        let scored = index
            .0
            .iter()
            .map(|(name, text)| (words.iter().filter(|word| text.contains(**word)).count(), name));
        let mut found: Vec<_> = scored.filter(|(score, _)| *score > 0).collect();
        found.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
        let tools = found.iter().take(self.results).filter_map(|(_, name)| cx.view.tool(name));
        json!({"tools": tools.map(|tool| tool.entry()).collect::<Vec<_>>()})
    }

    fn unknown(&self, cx: &Context<'_>, name: &str) -> Decision {
        Decision::unknown_tool(name, &cx.view.nearest(name, self.results))
    }

    fn meaning<'a>(&'a self, word: &'a str) -> impl Iterator<Item = &'a str> {
        let synonyms = self.synonyms.get(word).into_iter().flatten();
        std::iter::once(word).chain(synonyms.map(String::as_str))
    }
}

/// Names of tools, and the words by which they are found. Computed once per view, so it has only what this caller may
/// see.
struct Index(Vec<(ToolName, String)>);

impl Index {
    fn of(view: &View) -> Self {
        let text = |name: &str, description: &str| format!("{name} {description}").to_lowercase();
        let tools = view.tools().map(|tool| {
            let description = tool.definition().string("description").unwrap_or_default();
            (tool.name().clone(), text(tool.name(), &description))
        });
        Self(tools.collect())
    }
}

#[async_trait]
impl DisclosureStrategy for Search {
    fn profile(&self) -> &Profile {
        &PROFILE
    }

    fn list(&self, view: &View, _client: &ClientTraits) -> Listing {
        Listing::without_tools(view)
    }

    fn own(&self, view: &View, _client: &ClientTraits) -> Own {
        let count = view.tools().count();
        let find = OwnTool::new(
            FIND,
            &format!("Find tools by words; there are {count}. Returns complete definitions."),
            &json!({"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]}),
        );
        let mut tools = vec![find.read_only()];
        tools.extend(EXECUTOR.tools(Executors::One));
        tools.into()
    }

    async fn before_call(&self, cx: &Context<'_>, call: ToolCall) -> Result<Decision, Fault> {
        Ok(match EXECUTOR.open(Executors::One, cx.view, call) {
            Called::Describing(call) => {
                let arguments = call.arguments()?;
                let content = self.find(cx, arguments["query"].as_str().unwrap_or_default()).await;
                Decision::Answer(ToolAnswer { content, is_error: false })
            }
            Called::Unknown(name) => self.unknown(cx, &name),
            // Called directly. A filter's own tools are in no view.
            Called::Decided(Decision::Forward(call))
                if cx.view.tool(&call.name).is_none() && !cx.view.reserves(&call.name) =>
            {
                self.unknown(cx, &call.name)
            }
            // Not run here: the server looks it up, checks and relays it like any other call.
            Called::Decided(decision) => decision,
        })
    }
}
