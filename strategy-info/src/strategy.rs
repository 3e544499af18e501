//! The strategy: what it lists, and how it decides on calls.

use async_trait::async_trait;
use mcp_disclosure_core::{
    ArgumentProblem, ClientTraits, Context, Decision, Definitions, DisclosureStrategy, Fault, Listing,
    OwnTool, Profile, RawObject, Refusal, ToolAnswer, ToolCall, View, VisibleTool,
};
use serde_json::{Value, json};

use crate::{
    InfoConfig, OtherTools, answer,
    contents::{Contents, Topic},
    explain,
    invoke::{self, problem, shown},
    wording::{self, INFO, INVOKE, OVERVIEW},
};

/// The strategy's name, as in flags, addresses, offers and settings.
pub const NAME: &str = "info";

/// The profile of `info`.
pub static PROFILE: Profile = Profile::presenter(
    NAME,
    "Three levels through one info tool: overview, category, tool",
    "nothing: info is an ordinary tool",
)
.giving_way();

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

    fn info(&self, contents: &Contents<'_>) -> OwnTool {
        let categories: Vec<(&str, usize)> =
            contents.categories().map(|category| (category.name(), category.tools().len())).collect();
        let topic = json!({"type": "string", "default": OVERVIEW, "description": wording::TOPIC});
        let schema = json!({"type": "object", "properties": {"topic": topic}, "additionalProperties": false});
        OwnTool::new(INFO, &wording::info_description(self.config.tools, &categories), &schema).read_only()
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

    fn explain(&self, cx: &Context<'_>, call: &ToolCall) -> Result<Decision, ArgumentProblem> {
        let topic = topic(&invoke::members(call)?)?;
        let contents = Contents::of(cx.view);
        let found = contents.find(&topic);
        let content = match found {
            Some(Topic::Overview(from)) => answer::overview(&contents, from),
            Some(Topic::Category(category, from)) => {
                answer::category(&contents, category, from, |tool| self.cheap_parameters(tool))
            }
            Some(Topic::Tool(visible)) => {
                tracing::info!(session = cx.session, tool = %visible.name(), "tool explained");
                let mut content = answer::tool(&contents, visible);
                // Stubs are listed with their annotations.
                let annotations = visible.tool().definition().member("annotations");
                if let (OtherTools::EntryOnly, Some(annotations)) = (self.config.tools, annotations) {
                    content.extend(
                        serde_json::from_str(annotations).map(|all: Value| ("annotations".into(), all)),
                    );
                }
                content.into()
            }
            None => {
                tracing::info!(session = cx.session, topic = shown(&topic), "unknown topic requested");
                answer::unknown(&contents, &topic)
            }
        };
        Ok(Decision::Answer(ToolAnswer { content, is_error: found.is_none() }))
    }

    /// The parameters of a tool that is not listed, if they are cheaper than asking for them.
    fn cheap_parameters(&self, visible: VisibleTool<'_>) -> Option<Value> {
        let most = self.config.inline_schema_bytes;
        let is_listed = self.config.tools == OtherTools::Stubs;
        let schema = visible.tool().cheap_schema(Definitions::Slim, most).filter(|_| !is_listed)?;
        explain::in_short(schema)
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
        let listing = Listing::without_tools(view).guided(&wording::guidance(self.config.tools));
        match self.config.tools {
            OtherTools::Stubs => {
                let most = self.config.inline_schema_bytes;
                let stub =
                    |tool: VisibleTool<'_>| tool.inlined_with(tool.tool().brief(), client.definitions, most);
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

/// The topic in the arguments of `info`; without one, the overview.
fn topic(members: &RawObject) -> Result<String, ArgumentProblem> {
    if let Some((key, _)) = members.iter().find(|(key, _)| *key != "topic") {
        return Err(problem(key, wording::UNKNOWN_ARGUMENT.to_owned(), wording::ONLY_TOPIC));
    }
    match members.member("topic") {
        None | Some("null") => Ok(OVERVIEW.to_owned()),
        Some(given) => {
            members.string("topic").ok_or_else(|| problem("topic", shown(given), wording::EXPECTED_TOPIC))
        }
    }
}

#[cfg(test)]
#[path = "strategy_tests.rs"]
mod tests;
