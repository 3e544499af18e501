//! The strategy: what it lists, and how it decides on calls.

use async_trait::async_trait;
use mcp_disclosure_core::{
    ArgumentProblem, Called, ClientTraits, Context, Decision, Definitions, DisclosureStrategy, Fault, Finder,
    Listing, Note, Own, OwnTool, Profile, ToolAnswer, ToolCall, Variant, View, VisibleTool, brief::shorten,
    index::with_index, inner_call::members,
};
use mcp_disclosure_ranking::{BuiltIn, LexicalSettings};
use serde_json::{Map, Value, json};

use crate::{
    InfoConfig, OtherTools, answer,
    contents::{self, SUGGESTIONS, Topic},
    explain, own, topics,
    wording::{self, EXECUTOR, INFO, OVERVIEW, Shown},
};

/// The strategy's name, as in flags, addresses, offers and settings.
pub const NAME: &str = "info";

/// Maximum length of a topic in logs, in characters.
const LONGEST_TOPIC: usize = 120;

/// The profile of `info`.
pub static PROFILE: Profile = Profile::presenter(
    NAME,
    "Three levels through one info tool: overview, category, tool",
    "nothing: info is an ordinary tool",
)
.giving_way()
// A name, or several, are answered with what is there; an unknown topic with those that it may have meant.
.found_by(Finder::new(INFO, r#"{"topic": "{query}"}"#, &["tool", "topics", "suggestions", "tools"]))
.with_variants(&[Variant { name: "entry-only", key: "tools", value: "entry-only" }])
.with_settings(InfoConfig::SETTINGS);

/// Three levels of disclosure through one `info` tool.
#[derive(Debug)]
pub struct Info {
    config: InfoConfig,
    /// Finds tools where a topic names none.
    ranker: BuiltIn,
}

impl Info {
    /// Makes the strategy.
    pub fn new(config: InfoConfig) -> Self {
        Self { config, ranker: BuiltIn::new(&LexicalSettings::default()) }
    }

    /// What the list shows of a view.
    fn shown(&self, view: &View) -> Shown {
        let InfoConfig { tools, inline_schema_bytes, .. } = self.config;
        Shown { tools, cheap_schemas: inline_schema_bytes > 0, pins: view.has_pins() }
    }

    fn info(&self, view: &View) -> OwnTool {
        let description = wording::info_description(self.shown(view), self.config.executors);
        let description = with_index(&description, view);
        let topic = json!({"type": "string", "default": OVERVIEW, "description": wording::TOPIC});
        let schema = json!({"type": "object", "properties": {"topic": topic}, "additionalProperties": false});
        OwnTool::new(INFO, &description, &schema).read_only()
    }

    /// Answers one topic, or several by name. It is an error if nothing that was asked for exists.
    async fn explain(&self, cx: &Context<'_>, call: &ToolCall) -> Result<ToolAnswer, ArgumentProblem> {
        let topics = topics::read(&members(call)?, cx.view, self.config.most_topics)?;
        if topics.iter().any(|topic| contents::find(cx.view, topic).is_none()) {
            self.ranker.prepare(cx).await;
        }
        let (content, is_error) = match &topics[..] {
            [topic] => self.answer(cx, topic),
            topics => {
                let answers = topics.iter().map(|topic| (topic, self.answer(cx, topic)));
                let answers: Vec<_> = answers.collect();
                let is_error = answers.iter().all(|(_, (_, is_error))| *is_error);
                let answers = answers.into_iter().map(|(topic, (content, _))| (topic.clone(), content));
                (json!({"topics": answers.collect::<Map<_, _>>()}), is_error)
            }
        };
        Ok(ToolAnswer { content, is_error })
    }

    /// The answer to a topic, and whether it is an error.
    fn answer(&self, cx: &Context<'_>, topic: &str) -> (Value, bool) {
        let view = cx.view;
        let found = contents::find(view, topic);
        let content = match found {
            Some(Topic::Overview(from)) => own::overview(view, answer::overview(view, from)),
            Some(Topic::Category(category, from)) => {
                let ours = answer::category(view, category, from, |tool| self.cheap_parameters(tool));
                own::category(view, category, from, ours)
            }
            Some(Topic::Tool(visible)) => {
                cx.note(Note::Delivered);
                tracing::info!(session = cx.session, tool = %visible.name(), "tool explained");
                let mut content = own::tool(view, visible, answer::tool(view, visible));
                // Stubs are listed with their annotations.
                let annotations = visible.tool().telling_annotations();
                if let (OtherTools::EntryOnly, Some(annotations)) = (self.config.tools, annotations) {
                    let annotations: Result<Value, _> = serde_json::from_str(annotations.text());
                    content.extend(annotations.map(|annotations| ("annotations".into(), annotations)));
                }
                content.into()
            }
            None => {
                tracing::info!(
                    session = cx.session,
                    topic = shorten(topic, LONGEST_TOPIC),
                    "unknown topic requested"
                );
                answer::unknown(view, &self.ranker, topic)
            }
        };
        (content, found.is_none())
    }

    /// The parameters of a tool that is not listed, in a few words, if they are cheaper than asking for them.
    fn cheap_parameters(&self, visible: VisibleTool<'_>) -> Option<Value> {
        let most = self.config.inline_schema_bytes;
        let is_listed = self.config.tools == OtherTools::Stubs;
        // The words are about a third of the schema.
        let schema =
            visible.tool().cheap_schema(Definitions::Slim, most.saturating_mul(4)).filter(|_| !is_listed)?;
        explain::in_short(schema).filter(|words| words.to_string().len() <= most)
    }
}

#[async_trait]
impl DisclosureStrategy for Info {
    fn profile(&self) -> &Profile {
        &PROFILE
    }

    fn list(&self, view: &View, client: &ClientTraits) -> Listing {
        let guidance = wording::guidance(self.shown(view), self.config.executors);
        let listing = Listing::without_tools(view).guided(&guidance);
        match self.config.tools {
            OtherTools::Stubs => {
                let most = self.config.inline_schema_bytes;
                let stub = |tool: VisibleTool<'_>| {
                    tool.inlined_with(tool.brief_for(client), client.definitions, most)
                };
                let others = view.tools().filter(|tool| !tool.is_own_info());
                Listing { tools: others.map(stub).collect(), ..listing }
            }
            OtherTools::EntryOnly => listing,
        }
    }

    fn own(&self, view: &View, _client: &ClientTraits) -> Own {
        let mut tools = vec![self.info(view)];
        if self.config.tools == OtherTools::EntryOnly {
            tools.extend(EXECUTOR.tools(self.config.executors));
        }
        tools.into()
    }

    fn how_to_learn(&self, view: &View, _client: &ClientTraits, tool: &str) -> Option<String> {
        Some(wording::how_to_learn(&contents::topic_of_tool(view, tool)))
    }

    async fn before_call(&self, cx: &Context<'_>, call: ToolCall) -> Result<Decision, Fault> {
        let called = match self.config.tools {
            OtherTools::Stubs if *call.name == *INFO => Called::Describing(call),
            OtherTools::Stubs => Called::Decided(Decision::Forward(call)),
            OtherTools::EntryOnly => EXECUTOR.open(self.config.executors, cx.view, call),
        };
        Ok(match called {
            Called::Describing(call) => Decision::answered(INFO, self.explain(cx, &call).await),
            Called::Decided(decision) => decision,
            Called::Unknown(name) => {
                self.ranker.prepare(cx).await;
                let like =
                    contents::tools_like(cx.view, &self.ranker, &name).map(|tool| tool.name().as_str());
                let mut meant: Vec<&str> = like.collect();
                if meant.is_empty() {
                    meant = cx.view.nearest(&name, SUGGESTIONS);
                }
                Decision::unknown_tool(&name, &meant)
            }
        })
    }
}

#[cfg(test)]
#[path = "strategy_tests.rs"]
mod tests;
