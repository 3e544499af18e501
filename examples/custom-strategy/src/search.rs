//! `search`: two tools instead of all. `find_tools` searches by words and returns complete definitions;
//! `use_tool` calls what was found.

use async_trait::async_trait;
use mcp_disclosure_core::{
    ClientTraits, Context, Decision, DisclosureStrategy, Fault, Listing, Outcome, Profile, RawObject, Role,
    ToolAnswer, ToolCall, ToolName, View,
};
use serde::Deserialize;
use serde_json::{Value, json, value::to_raw_value};

const FIND: &str = "find_tools";
const USE: &str = "use_tool";

/// What `[strategy.search]` may hold.
#[derive(Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SearchConfig {
    /// At most so many tools are returned by one search.
    pub results: usize,
}

impl Default for SearchConfig {
    fn default() -> Self {
        Self { results: 3 }
    }
}

/// The strategy. It keeps its settings and nothing about any client.
#[derive(Debug)]
pub struct Search {
    profile: Profile,
    config: SearchConfig,
}

impl Search {
    /// Makes the strategy; this is what the registry is given.
    pub fn new(config: SearchConfig) -> Self {
        let profile = Profile {
            name: "search".into(),
            summary: "Two tools instead of all: find_tools by words, use_tool by name".into(),
            needs: "nothing".into(),
            role: Role::Presenter,
            // Clients never see the real schemas in a list, so the server checks arguments for us.
            withholds_schemas: true,
        };
        Self { profile, config }
    }

    fn find(&self, view: &View, query: &str) -> Value {
        let words: Vec<String> = query.split_whitespace().map(str::to_lowercase).collect();
        // A view yields only what this caller may see: nothing else can be found.
        let mut found: Vec<_> = view
            .tools()
            .map(|tool| {
                let text = format!(
                    "{} {}",
                    tool.name(),
                    tool.definition().string("description").unwrap_or_default()
                );
                let text = text.to_lowercase();
                (words.iter().filter(|word| text.contains(word.as_str())).count(), tool)
            })
            .filter(|(score, _)| *score > 0)
            .collect();
        found.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
        found.truncate(self.config.results);
        let tools: Vec<_> = found.iter().map(|(_, tool)| tool.entry().into_owned()).collect();
        json!({"tools": tools})
    }
}

#[async_trait]
impl DisclosureStrategy for Search {
    fn profile(&self) -> &Profile {
        &self.profile
    }

    fn own_tools(&self, _client: &ClientTraits) -> Vec<&'static str> {
        vec![FIND, USE]
    }

    fn list(&self, view: &View, _client: &ClientTraits) -> Listing {
        let count = view.tools().count();
        let find = json!({
            "name": FIND,
            "description": format!("Find tools by words; {count} are there. Returns complete definitions."),
            "inputSchema": {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]},
        });
        let call = json!({
            "name": USE,
            "description": "Call a tool that find_tools returned.",
            "inputSchema": {
                "type": "object",
                "properties": {"tool": {"type": "string"}, "arguments": {"type": "object"}},
                "required": ["tool"],
            },
        });
        let tools = [find, call].into_iter().filter_map(|tool| RawObject::parse(tool.to_string()).ok());
        Listing { tools: tools.collect(), ..Listing::without_tools(view) }
    }

    async fn before_call(&self, cx: &Context<'_>, call: ToolCall) -> Outcome<Decision> {
        let arguments = match call.arguments() {
            Ok(arguments) => arguments,
            Err(fault) => return Outcome::fault(fault),
        };
        match call.name.as_str() {
            FIND => {
                let content = self.find(cx.view, arguments["query"].as_str().unwrap_or_default());
                Outcome::of(Decision::Answer(ToolAnswer { content, is_error: false }))
            }
            // Not run here: forwarded under its own name, it is looked up, checked and relayed by the
            // server like any other call.
            USE => match arguments["tool"].as_str().and_then(|name| ToolName::parse(name).ok()) {
                Some(name) => {
                    let inner = arguments.get("arguments").and_then(|inner| to_raw_value(inner).ok());
                    Outcome::of(Decision::Forward(ToolCall { name, arguments: inner }))
                }
                None => Outcome::fault(Fault::InvalidParams(format!("{USE} needs 'tool': the name of one"))),
            },
            _ => Outcome::of(Decision::Forward(call)),
        }
    }
}
