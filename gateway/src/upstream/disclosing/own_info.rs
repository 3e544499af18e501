//! Upstreams with an `info` tool of their own (three-level-info): what it says of its categories and tools, asked by calls that
//! are recorded like those of clients.

use std::{collections::HashSet, sync::Arc, time::Duration};

use futures::{StreamExt, stream};
use mcp_disclosure_core::{Digest, Material, OwnGroup, OwnInfo, RawObject, RawText, Snapshot, UpstreamLists};
use serde_json::{Value, json};
use tokio::time::{Instant, timeout_at};

use crate::{
    observe::{Called, Observer, Outcome, Who, protected},
    upstream::{Asks, CallError, Owner, Upstream},
};

/// Calls at the same time.
const AT_ONCE: usize = 4;

/// Maximum topics that are asked of one upstream.
const MOST_TOPICS: usize = 1_000;

/// Maximum size of an answer, in bytes. Models read them.
const LONGEST_ANSWER: usize = 64 * 1024;

/// The lists with what the upstream's own `info` says, and with its categories as groups, unless it offers groups.
pub(in crate::upstream) async fn joined(upstream: &Upstream, lists: UpstreamLists) -> UpstreamLists {
    let Some(asks) = &upstream.terms.asks else { return lists };
    let is_named = |tool: &&RawText| tool.string("name").as_deref() == Some(OwnInfo::TOOL);
    let named: Vec<&RawText> = lists.tools.iter().filter(is_named).collect();
    let is_info = |tool: &RawText| RawObject::of(tool).is_ok_and(|tool| is_info(&tool));
    if !matches!(named[..], [only] if is_info(only) && !asks.hide(only, &lists)) {
        return lists;
    }
    let Some(info) = said(upstream, &asks.observer, &lists).await else { return lists };
    let groups = if lists.groups.is_empty() { groups(&info) } else { lists.groups };
    UpstreamLists { groups, info: Some(info), ..lists }
}

/// What it says of these definitions. It is asked once: it may announce a change whenever it is asked.
async fn said(
    upstream: &Upstream,
    observer: &Arc<dyn Observer>,
    lists: &UpstreamLists,
) -> Option<Arc<OwnInfo>> {
    let mut texts: Vec<&str> = lists.tools.iter().map(RawText::get).collect();
    texts.sort_unstable();
    let definitions = Digest::of_parts(texts);
    let known = upstream.line.disclosing.0.lock().said.clone().filter(|(of, _)| *of == definitions);
    if let Some((_, said)) = known {
        return said;
    }
    let deadline = Instant::now() + LONGEST.min(upstream.terms.timeouts.request);
    let said = Asking { upstream, observer, deadline }.all(lists).await.map(Arc::new);
    if let Some(info) = &said {
        tracing::info!(
            upstream = %upstream.name(), categories = info.categories.len(), tools = info.tools.len(),
            "its own tool info says what it has"
        );
    }
    upstream.line.disclosing.0.lock().said = Some((definitions, said.clone()));
    said
}

impl Asks {
    /// Whether a tool does not exist for clients, whatever other upstreams there are.
    fn hide(&self, tool: &RawText, lists: &UpstreamLists) -> bool {
        let (name, self_named) = (lists.name.clone(), lists.self_named);
        let alone = UpstreamLists { self_named, tools: vec![tool.clone()], ..UpstreamLists::empty(name) };
        let rules = Arc::clone(&self.rules.read());
        let material = Material { upstreams: &[alone], complete: false, files: &[], rules: &rules };
        Snapshot::assemble(material).tool_count() == 0
    }
}

/// Whether a tool of this name can be asked like that of the document: it has at most an optional string `topic`, and is not said to
/// destroy anything.
fn is_info(tool: &RawObject) -> bool {
    let annotations = tool.object("annotations").unwrap_or_default();
    let hint = |name: &str| annotations.member(name).unwrap_or("null").to_owned();
    let schema = tool.object("inputSchema").unwrap_or_default();
    let names = |member: &str| schema.object(member).unwrap_or_default();
    let is_topic = |(name, schema): (&str, &str)| {
        name == "topic" && RawObject::parse(schema).is_ok_and(|schema| takes_text(&schema))
    };
    let required = schema.member("required").unwrap_or("[]");
    // Whatever else a schema says may ask for more.
    let is_plain = |(name, value): (&str, &str)| match name {
        "type" | "properties" | "required" | "title" | "description" | "$schema" => true,
        "additionalProperties" => matches!(value, "true" | "false" | "{}"),
        _ => false,
    };
    matches!(&*hint("destructiveHint"), "false" | "null")
        && hint("readOnlyHint") != "false"
        && schema.iter().all(is_plain)
        && names("properties").iter().all(is_topic)
        && serde_json::from_str::<Vec<Value>>(required).is_ok_and(|required| required.is_empty())
}

/// Whether a schema is of a string, or of a string or nothing.
fn takes_text(schema: &RawObject) -> bool {
    let parts = |key| schema.value::<Vec<RawObject>>(key).unwrap_or_default();
    match schema.member("type") {
        Some(kind) => kind.contains("\"string\""),
        None => ["anyOf", "oneOf"]
            .into_iter()
            .flat_map(parts)
            .any(|part| part.string("type").as_deref() == Some("string")),
    }
}

/// The longest time that all questions to one upstream take: its list waits for them.
const LONGEST: Duration = Duration::from_secs(5);

/// Asks one upstream.
struct Asking<'a> {
    upstream: &'a Upstream,
    observer: &'a Arc<dyn Observer>,
    deadline: Instant,
}

impl Asking<'_> {
    /// All that it says; `None` if it does not answer as the document does.
    async fn all(&self, lists: &UpstreamLists) -> Option<OwnInfo> {
        let is_overview = |answer: &RawObject| {
            answer.object("categories").is_some() && answer.member("total_tools").is_some()
        };
        let overview = self.ask(None, is_overview).await?;
        let names: Vec<String> =
            overview.object("categories")?.iter().map(|(name, _)| name.to_owned()).collect();
        let categories = self.each(names, |answer| answer.member("tools").is_some()).await;
        let listed = lists.tools.iter().filter_map(|tool| tool.string("name"));
        let others =
            listed.filter(|name| name != OwnInfo::TOOL && !categories.iter().any(|(known, _)| known == name));
        let is_tool =
            |answer: &RawObject| answer.member("parameters").is_some() && answer.member("error").is_none();
        let tools = self.each(others.collect(), is_tool).await;
        let (categories, tools) = (categories.into_iter().collect(), tools.into_iter().collect());
        Some(OwnInfo { server_info: lists.server_info.clone(), overview, categories, tools })
    }

    /// What it says of each of these topics.
    async fn each(
        &self,
        topics: Vec<String>,
        is_answer: impl Fn(&RawObject) -> bool + Copy,
    ) -> Vec<(String, RawObject)> {
        let asked = stream::iter(topics.into_iter().take(MOST_TOPICS)).map(async |topic| {
            let answer = self.ask(Some(&topic), is_answer).await?;
            Some((topic, answer))
        });
        asked.buffered(AT_ONCE).filter_map(async |answer| answer).collect().await
    }

    /// One call. `None` if it is not answered, or not like this.
    async fn ask(&self, topic: Option<&str>, is_answer: impl Fn(&RawObject) -> bool) -> Option<RawObject> {
        let arguments = topic.map_or_else(|| json!({}), |topic| json!({"topic": topic}));
        let begun = Instant::now();
        let said = |outcome, response_bytes, duration: Duration| Called {
            who: Who { principal: None, session: None, strategy: OwnInfo::TOOL, client: "mcp-disclosure" },
            method: "tools/call",
            upstream: Some(self.upstream.name().as_str()),
            tool: OwnInfo::TOOL,
            outcome,
            refusal: None,
            is_unjudged: false,
            duration,
            request_bytes: topic.map_or(0, str::len),
            response_bytes,
            fingerprint: None,
        };
        let recording = self.observer.before(&said(Outcome::Forwarded, 0, Duration::ZERO));
        if let Some(recording) = recording
            && let Err(why) = recording.await
        {
            tracing::warn!(upstream = %self.upstream.name(), why, "its tool info is not asked, since that cannot be recorded");
            return None;
        }
        let params = RawObject::empty().with_value("name", OwnInfo::TOOL).with_value("arguments", &arguments);
        let asked = timeout_at(self.deadline, self.upstream.query(Owner::Ours, "tools/call", params)).await;
        let result = match &asked {
            Ok(Ok(result)) => RawObject::of(result).ok(),
            _ => None,
        };
        let outcome = match (&asked, &result) {
            (Ok(Err(CallError::Answered(_))), _) => Outcome::UpstreamError,
            (_, Some(result)) if result.member("isError") == Some("true") => Outcome::ToolError,
            (_, Some(_)) => Outcome::Ok,
            _ => Outcome::Failed,
        };
        let bytes = result.as_ref().map_or(0, |result| result.text().len());
        protected(|| self.observer.called(&said(outcome, bytes, begun.elapsed())));
        let is_short = |answer: &RawObject| answer.text().len() <= LONGEST_ANSWER;
        contents(&result?).into_iter().find(|answer| is_short(answer) && is_answer(answer))
    }
}

/// Where the answer may be in a result: in its structured content, below the name that SDKs give what is returned, or in its
/// text.
fn contents(result: &RawObject) -> Vec<RawObject> {
    let structured = result.object("structuredContent");
    let inner = structured.as_ref().and_then(|content| content.object("result"));
    let blocks: Vec<RawObject> = result.value("content").unwrap_or_default();
    let text = blocks.first().and_then(|block| block.string("text"));
    let text = text.and_then(|text| RawObject::parse(text).ok());
    structured.into_iter().chain(inner).chain(text).map(|answer| answer.compact()).collect()
}

/// The categories as groups, in the order of the overview.
fn groups(info: &OwnInfo) -> Vec<OwnGroup> {
    let categories = info.overview.object("categories").unwrap_or_default();
    let mut seen = HashSet::new();
    let group = |(name, said): (&str, &str)| {
        let said = RawObject::parse(said).ok().and_then(|said| said.string("description"));
        let tools = info.categories.get(name).and_then(|category| category.value("tools"));
        let tools: Vec<Value> = tools.unwrap_or_default();
        let names = tools.iter().filter_map(|tool| tool["name"].as_str().or_else(|| tool.as_str()));
        let tools = names.filter(|name| seen.insert((*name).to_owned())).map(str::to_owned).collect();
        OwnGroup {
            name: name.to_owned(),
            description: said.unwrap_or_default(),
            is_top: true,
            tools,
            ..OwnGroup::default()
        }
    };
    categories.iter().map(group).filter(|group| !group.tools.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn i9_an_info_tool_is_recognized_by_what_it_takes() {
        for (schema, annotations, is_one) in [
            (
                json!({"type": "object", "properties": {"topic": {"type": "string", "default": "overview"}}}),
                json!({}),
                true,
            ),
            (
                json!({"type": "object", "properties": {"topic": {"anyOf": [{"type": "string"}, {"type": "null"}]}}}),
                json!({}),
                true,
            ),
            (json!({"type": "object"}), json!({"destructiveHint": false}), true),
            (json!({"type": "object"}), json!({"destructiveHint": true}), false),
            (json!({"type": "object"}), json!({"destructiveHint": "true"}), false),
            (json!({"type": "object"}), json!({"readOnlyHint": false}), false),
            (json!({"type": "object", "anyOf": [{"required": ["target"]}]}), json!({}), false),
            (json!({"type": "object", "$ref": "#/$defs/x"}), json!({}), false),
            (json!({"type": "object", "additionalProperties": {"type": "string"}}), json!({}), false),
            (json!({"properties": {"topic": {"type": "string"}}, "required": ["topic"]}), json!({}), false),
            (json!({"properties": {"topic": {"type": "integer"}}}), json!({}), false),
            (json!({"properties": {"user": {"type": "string"}}}), json!({}), false),
            (
                json!({"properties": {"topic": {"type": "string"}, "user": {"type": "string"}}}),
                json!({}),
                false,
            ),
        ] {
            let tool = json!({"name": "info", "inputSchema": schema, "annotations": annotations});
            assert_eq!(is_info(&RawObject::parse(tool.to_string()).unwrap()), is_one, "{tool}");
        }
    }

    #[test]
    fn i9_answers_are_found_wherever_sdks_put_them() {
        let answer = json!({"categories": {}, "total_tools": 0});
        for result in [
            json!({"structuredContent": answer}),
            json!({"structuredContent": {"result": answer}}),
            json!({"content": [{"type": "text", "text": answer.to_string()}]}),
        ] {
            let contents = contents(&RawObject::parse(result.to_string()).unwrap());
            assert!(contents.iter().any(|found| found.member("categories").is_some()), "{result}");
        }
    }
}
