//! Fetches the definitions of an upstream's tools, in pieces, and lays them over its list.

use std::collections::HashMap;

use futures::{StreamExt, stream};
use mcp_disclosure_core::{Era, RawObject, RawText, Supplement, UpstreamLists, delivered, descriptions_uri};

use super::{Channel, Definition};
use crate::upstream::{CallError, Owner, Upstream, request::Line};

/// Definitions in one read of a resource. Names of a usual length make a URI of 2 kB at most.
const MOST_NAMES: usize = 32;

/// Requests at the same time.
const AT_ONCE: usize = 4;

/// Members of a delivered description that are no part of a `Tool`, but belong to the tool's guidance.
const GUIDANCE: [&str; 3] = ["examples", "usage_guidance", "error_guidance"];

/// What could be fetched; of the others how many they are, and why the first is one.
type Fetched = (HashMap<String, Definition>, Option<(usize, String)>);

/// Fetches the definitions of these tools, for as long as a request may take and as many bytes as a list may have.
pub(super) async fn all(upstream: &Upstream, channel: &Channel, names: &[String]) -> Fetched {
    let (mut definitions, mut reason) = (HashMap::new(), None);
    let mut room = upstream.limits().upstream_list_bytes;
    let in_one = if *channel == Channel::Method { 1 } else { MOST_NAMES };
    let pieces: Vec<Vec<String>> = names.chunks(in_one).map(<[String]>::to_vec).collect();
    let fetching = async {
        let mut fetching =
            stream::iter(pieces).map(|names| fetch(upstream, channel, names)).buffer_unordered(AT_ONCE);
        while let Some((delivered, failure)) = fetching.next().await {
            reason = reason.take().or(failure);
            let bytes: usize = delivered.iter().map(|(_, object)| object.text().len()).sum();
            let Some(left) = room.checked_sub(bytes) else {
                reason = Some("they are larger than a list may be (limits.upstream_list_bytes)".to_owned());
                break;
            };
            room = left;
            definitions.extend(delivered.into_iter().map(|(name, object)| (name, Definition::new(object))));
        }
    };
    if tokio::time::timeout(upstream.terms.timeouts.request, fetching).await.is_err() {
        reason.get_or_insert_with(|| "it takes longer than a request may".to_owned());
    }
    let failed = names.iter().filter(|name| !definitions.contains_key(*name)).count();
    (definitions, reason.filter(|_| failed > 0).map(|reason| (failed, reason)))
}

type Delivered = Vec<(String, RawObject)>;

/// What is delivered for these names, and why something is not.
async fn fetch(upstream: &Upstream, channel: &Channel, names: Vec<String>) -> (Delivered, Option<String>) {
    let asked = piece(upstream, channel, &names).await;
    let refused = match asked {
        Ok(delivered) => return (delivered, None),
        Err(refused) => refused,
    };
    if names.len() == 1 || refused.ends_all {
        return (Vec::new(), Some(refused.reason));
    }
    // One name among them may be what is refused.
    let mut all = Vec::new();
    for name in &names {
        match piece(upstream, channel, std::slice::from_ref(name)).await {
            Ok(delivered) => all.extend(delivered),
            Err(refused) if refused.ends_all => return (all, Some(refused.reason)),
            Err(_) => {}
        }
    }
    (all, Some(refused.reason))
}

struct Refused {
    reason: String,
    /// Whether asking for something else is of no use.
    ends_all: bool,
}

async fn piece(upstream: &Upstream, channel: &Channel, names: &[String]) -> Result<Delivered, Refused> {
    let (method, params) = match channel {
        Channel::Resource { uri } => ("resources/read", read(uri, names.iter().map(String::as_str))),
        Channel::Method => ("tools/describe", RawObject::empty().with_value("name", &names[0])),
    };
    let result = upstream.query(Owner::Ours, method, params).await.map_err(|error| Refused {
        reason: format!("{method}: it {}", error.in_full()),
        ends_all: !matches!(error, CallError::Answered(_)),
    })?;
    let refused = |reason: String, ends_all| Refused { reason: format!("{method}: {reason}"), ends_all };
    let result = RawObject::of(&result).map_err(|error| refused(error.to_string(), false))?;
    match channel {
        Channel::Method => Ok(vec![(names[0].clone(), described(result))]),
        Channel::Resource { .. } => {
            let delivered = delivered::descriptions(&result)
                .ok_or_else(|| refused("the text is not a JSON object".to_owned(), false))?;
            let found = names
                .iter()
                .filter_map(|name| Some((name.clone(), delivered::description(&delivered, name)?)));
            let found: Delivered = found.collect();
            let code = delivered.object("error").and_then(|error| error.string("code"));
            match (found.is_empty(), code) {
                (true, Some(code)) => Err(refused(code.clone(), code == "RATE_LIMITED")),
                (true, None) => Err(refused("none of the tools is described".to_owned(), false)),
                (false, _) => Ok(found),
            }
        }
    }
}

/// The `Tool` in a result of `tools/describe`: the result itself, or the only one under `tools`.
fn described(result: RawObject) -> RawObject {
    let tools: Option<Vec<RawObject>> = result.value("tools");
    tools.and_then(|tools| tools.into_iter().next()).unwrap_or(result)
}

fn read<'n>(uri: &str, names: impl IntoIterator<Item = &'n str>) -> RawObject {
    RawObject::empty().with_value("uri", &descriptions_uri(uri, names))
}

/// Reads the description of one tool again, which authorizes its calls.
pub(super) async fn again(line: &Line, uri: &str, era: Era, tool: &str) -> Option<Definition> {
    let result = line.ask(Owner::Ours, era, "resources/read", read(uri, [tool]), line.timeout).await.ok()?;
    let delivered = delivered::descriptions(&RawObject::of(&result).ok()?)?;
    delivered::description(&delivered, tool).map(Definition::new)
}

/// The list with these definitions laid over it.
pub(super) fn lay_over(lists: UpstreamLists, definitions: &HashMap<String, Definition>) -> UpstreamLists {
    let mut supplements = lists.supplements;
    let complete = |tool: RawText| {
        let Ok(listed) = RawObject::of(&tool) else { return tool };
        let name = listed.string("name").unwrap_or_default();
        let Some(Definition { object, .. }) = definitions.get(&name) else { return tool };
        let guidance = object.retain(|key| GUIDANCE.contains(&key));
        if !guidance.is_empty() {
            supplements.insert(name, Supplement { parts: Some(guidance), ..Supplement::default() });
        }
        let is_own =
            |key: &str| !GUIDANCE.contains(&key) && !matches!(key, "name" | "version" | "resultType");
        let whole = object
            .iter()
            .filter(|(key, _)| is_own(key))
            .fold(listed, |tool, (key, value)| tool.with(key, value));
        whole.into_text()
    };
    UpstreamLists { tools: lists.tools.into_iter().map(complete).collect(), supplements, ..lists }
}

#[cfg(test)]
mod tests {
    use mcp_disclosure_core::fixtures;

    use super::*;

    #[test]
    fn u16_what_is_delivered_is_laid_over_what_is_listed() {
        let listed =
            r#"{"name":"a","title":"A","description":"short","inputSchema":{"type":"object"},"x-odd":1.0}"#;
        let delivered = r#"{"name":"a","description":"long","inputSchema":{"type":"object","required":["x","disclosure_receipt"],
            "properties":{"x":{"type":"number"},"disclosure_receipt":{"type":"string","const":"r","description":"Pass exactly this value"}}},
            "outputSchema":{"type":"object"},"examples":[{"input":{"x":1}}],"version":"sha256:1"}"#;
        let definition = Definition::new(RawObject::parse(delivered).unwrap());
        assert_eq!(definition.receipt, Some(("disclosure_receipt".to_owned(), "r".to_owned())));
        let tools = [listed, r#"{"name":"b"}"#, "7"].map(|tool| RawText::parse(tool.to_owned()).unwrap());
        let lists = UpstreamLists { tools: tools.into(), ..fixtures::upstream("u", []) };
        let lists = lay_over(lists, &HashMap::from([("a".to_owned(), definition)]));
        assert_eq!(
            lists.tools[0].get(),
            r#"{"name":"a","title":"A","description":"long","inputSchema":{"type":"object","required":["x"],"properties":{"x":{"type":"number"}}},"x-odd":1.0,"outputSchema":{"type":"object"}}"#
        );
        assert_eq!((lists.tools[1].get(), lists.tools[2].get()), (r#"{"name":"b"}"#, "7"));
        assert_eq!(lists.supplements["a"].part("examples"), Some(r#"[{"input":{"x":1}}]"#));
    }
}
