//! The strategy: what it lists, and how it decides on calls.

use async_trait::async_trait;
use mcp_disclosure_core::{
    ArgumentProblem, ClientTraits, Context, Decision, Definitions, DisclosureStrategy, Fault, Finder,
    Listing, OwnTool, Profile, Refusal, ToolAnswer, ToolCall, Variant, View, VisibleTool, index::with_index,
};
use serde_json::{Map, Value, json};

use crate::{
    InfoConfig, OtherTools, answer,
    contents::{Contents, Topic},
    explain,
    invoke::{self, shown},
    topics,
    wording::{self, INFO, INVOKE, OVERVIEW, Shown},
};

/// The strategy's name, as in flags, addresses, offers and settings.
pub const NAME: &str = "info";

/// The profile of `info`.
pub static PROFILE: Profile = Profile::presenter(
    NAME,
    "Three levels through one info tool: overview, category, tool",
    "nothing: info is an ordinary tool",
)
.giving_way()
// An unknown topic is answered with those that it may have meant.
.found_by(Finder::new(INFO, r#"{"topic": "{query}"}"#, &["suggestions", "tools"]))
.with_variants(&[Variant { name: "entry-only", key: "tools", value: "entry-only" }]);

/// Three levels of disclosure through one `info` tool.
#[derive(Debug)]
pub struct Info {
    config: InfoConfig,
}

impl Info {
    /// Makes the strategy.
    pub fn new(config: InfoConfig) -> Self {
        Self { config }
    }

    /// What the list shows of a view.
    fn shown(&self, view: &View) -> Shown {
        let InfoConfig { tools, inline_schema_bytes, .. } = self.config;
        Shown { tools, cheap_schemas: inline_schema_bytes > 0, pins: view.has_pins() }
    }

    fn info(&self, contents: &Contents<'_>) -> OwnTool {
        let description = wording::info_description(self.shown(contents.view()));
        let description = with_index(&description, contents.view());
        let topic = json!({"type": "string", "default": OVERVIEW, "description": wording::TOPIC});
        let schema = json!({"type": "object", "properties": {"topic": topic}, "additionalProperties": false});
        OwnTool::new(INFO, &description, &schema).read_only()
    }

    fn invoke(&self) -> OwnTool {
        let tool = json!({"type": "string", "description": wording::INVOKE_TOOL});
        let arguments = json!({
            "type": "object", "additionalProperties": true, "description": wording::INVOKE_ARGUMENTS
        });
        let properties = json!({"tool": tool, "arguments": arguments});
        let schema = json!({"type": "object", "properties": properties, "required": ["tool"]});
        OwnTool::new(INVOKE, wording::INVOKE_DESCRIPTION, &schema)
    }

    /// Answers one topic, or several by name. It is an error if nothing that was asked for exists.
    fn explain(&self, cx: &Context<'_>, call: &ToolCall) -> Result<Decision, ArgumentProblem> {
        let contents = Contents::of(cx.view);
        let topics = topics::read(&invoke::members(call)?, &contents, self.config.most_topics)?;
        let (content, is_error) = match &topics[..] {
            [topic] => self.answer(cx, &contents, topic),
            topics => {
                let answers = topics.iter().map(|topic| (topic, self.answer(cx, &contents, topic)));
                let answers: Vec<_> = answers.collect();
                let is_error = answers.iter().all(|(_, (_, is_error))| *is_error);
                let answers = answers.into_iter().map(|(topic, (content, _))| (topic.clone(), content));
                (json!({"topics": answers.collect::<Map<_, _>>()}), is_error)
            }
        };
        Ok(Decision::Answer(ToolAnswer { content, is_error }))
    }

    /// The answer to a topic, and whether it is an error.
    fn answer(&self, cx: &Context<'_>, contents: &Contents<'_>, topic: &str) -> (Value, bool) {
        let found = contents.find(topic);
        let content = match found {
            Some(Topic::Overview(from)) => answer::overview(contents, from),
            Some(Topic::Category(category, from)) => {
                answer::category(contents, category, from, |tool| self.cheap_parameters(tool))
            }
            Some(Topic::Tool(visible)) => {
                tracing::info!(session = cx.session, tool = %visible.name(), "tool explained");
                let mut content = answer::tool(contents, visible);
                // Stubs are listed with their annotations.
                let annotations = visible.tool().telling_annotations();
                if let (OtherTools::EntryOnly, Some(annotations)) = (self.config.tools, annotations) {
                    let annotations: Result<Value, _> = serde_json::from_str(annotations.text());
                    content.extend(annotations.map(|annotations| ("annotations".into(), annotations)));
                }
                content.into()
            }
            None => {
                tracing::info!(session = cx.session, topic = shown(topic), "unknown topic requested");
                answer::unknown(contents, topic)
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

    /// Forwards the inner call under the tool's own name, so that it is looked up, checked and relayed like any other.
    fn run(&self, cx: &Context<'_>, call: &ToolCall) -> Result<Decision, ArgumentProblem> {
        let inner = invoke::inner_call(cx.view, &invoke::members(call)?)?;
        if *inner.name == *INFO {
            return self.explain(cx, &inner);
        }
        if cx.view.tool(&inner.name).is_some() {
            return Ok(Decision::Forward(inner));
        }
        let content = answer::unknown_tool(&Contents::of(cx.view), &inner.name);
        Ok(Decision::Refuse(Refusal { code: "UNKNOWN_TOOL", content }))
    }
}

#[async_trait]
impl DisclosureStrategy for Info {
    fn profile(&self) -> &Profile {
        &PROFILE
    }

    fn list(&self, view: &View, client: &ClientTraits) -> Listing {
        let listing = Listing::without_tools(view).guided(&wording::guidance(self.shown(view)));
        match self.config.tools {
            OtherTools::Stubs => {
                let most = self.config.inline_schema_bytes;
                let stub = |tool: VisibleTool<'_>| tool.inlined_with(tool.brief(), client.definitions, most);
                Listing { tools: view.tools().map(stub).collect(), ..listing }
            }
            OtherTools::EntryOnly => listing,
        }
    }

    fn own_tools(&self, view: &View, _client: &ClientTraits) -> Vec<OwnTool> {
        let info = self.info(&Contents::of(view));
        match self.config.tools {
            OtherTools::Stubs => vec![info],
            OtherTools::EntryOnly => vec![info, self.invoke()],
        }
    }

    fn how_to_learn(&self, cx: &Context<'_>, tool: &str) -> Option<String> {
        Some(wording::how_to_learn(&Contents::of(cx.view).topic_of_tool(tool)))
    }

    async fn before_call(&self, cx: &Context<'_>, call: ToolCall) -> Result<Decision, Fault> {
        let decided = match call.name.as_str() {
            INFO => self.explain(cx, &call),
            INVOKE if self.config.tools == OtherTools::EntryOnly => self.run(cx, &call),
            _ => return Ok(Decision::Forward(call)),
        };
        let refused = |problem| Decision::Refuse(Refusal::wrong_arguments(&call.name, &[problem], None));
        Ok(decided.unwrap_or_else(refused))
    }
}

#[cfg(test)]
#[path = "strategy_tests.rs"]
mod tests;
