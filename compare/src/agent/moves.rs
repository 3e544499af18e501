//! The moves of an agent, their answers as a model sees them, and what these teach.

use std::collections::BTreeMap;

use mcp_disclosure_client::{CallError, Error, Host};
use mcp_disclosure_core::{RawObject, descriptions_uri};
use serde_json::{Value, json};

use super::{Plan, Purpose, Task};

/// One move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Move {
    Read {
        uri: String,
    },
    Describe {
        names: Vec<String>,
    },
    /// Fetches groups until one has the tool.
    Find {
        tool: String,
    },
    Call {
        tool: String,
        arguments: RawObject,
    },
}

/// An answer as a model sees it.
#[derive(Debug)]
pub(crate) struct Seen {
    /// Whether it is an error.
    pub(super) is_error: bool,
    /// The structured content of the answer, or else its text, if that is JSON.
    pub(crate) content: Value,
    /// The answer as text.
    pub(super) text: String,
}

impl Move {
    /// The call of a task.
    pub(super) fn call(task: &Task) -> Self {
        Self::Call { tool: task.tool.clone(), arguments: task.arguments.clone() }
    }

    /// A call of a strategy's own tool.
    pub(super) fn ask(tool: &str, arguments: &Value) -> Self {
        let arguments = RawObject::parse(arguments.to_string()).unwrap_or_default();
        Self::Call { tool: tool.to_owned(), arguments }
    }

    pub(super) async fn make(&self, host: &Host, plan: &Plan, purpose: Purpose) -> Result<Seen, Error> {
        let answered = match self {
            Self::Read { uri } => host.read_resource(uri).await,
            Self::Describe { names } => host.request("tools/describe", &json!({"names": names})).await,
            Self::Find { tool } => host.describe(&[tool]).await.map(|found| {
                let found: Vec<&RawObject> = found.iter().map(|definition| definition.object()).collect();
                RawObject::empty().with_value("tools", &found)
            }),
            Self::Call { tool, arguments } => plan.call(host, tool, arguments).await,
        };
        match answered {
            Ok(result) => Ok(Seen::of(&result, purpose)),
            Err(Error::NoResult { error: CallError::Answered(error), .. }) => {
                let text = error.text().as_str().to_owned();
                let content = serde_json::from_str(&text).unwrap_or_default();
                Ok(Seen { is_error: true, content, text })
            }
            // The host's own client found out; its model is told the same.
            Err(error @ (Error::UnknownTool { .. } | Error::Refused { .. })) => {
                Ok(Seen { is_error: true, content: Value::Null, text: error.to_string() })
            }
            Err(error) => Err(error),
        }
    }
}

impl Seen {
    pub(crate) fn of(result: &RawObject, purpose: Purpose) -> Self {
        let whole: Value = serde_json::from_str(result.text()).unwrap_or_default();
        let text = ["/content/0/text", "/contents/0/text"].iter().find_map(|at| whole.pointer(at)?.as_str());
        let text = text.unwrap_or(result.text()).to_owned();
        let content = match whole.get("structuredContent") {
            Some(content) => content.clone(),
            None => serde_json::from_str(&text).unwrap_or_default(),
        };
        // An error result, or one with a code in its text (tool-descriptions-resource §6).
        let is_error = whole["isError"] == true || content["error"]["code"].is_string();
        Self { is_error: is_error || is_missing(&content, purpose), content, text }
    }
}

/// Whether a description was requested that does not exist: an error stands in its place (tool-descriptions-resource §6.3).
/// The result of a tool can have such a member without being an error.
fn is_missing(content: &Value, purpose: Purpose) -> bool {
    let mut entries = content.as_object().into_iter().flat_map(|content| content.values());
    purpose == Purpose::Learn && entries.any(|entry| entry.get("error").is_some_and(Value::is_string))
}

/// The next step that an error suggests in order to call the wanted tool; `None` if it suggests none.
pub(super) fn advised(seen: &Seen, wanted: &str, reads_resources: bool) -> Option<Move> {
    let error = &seen.content["error"];
    let read = |uri: String| Move::Read { uri };
    let by_uri = || error["resource_uri"].as_str().map(str::to_owned).map(read);
    let by_example = || like(error["examples"].as_array()?.first()?.as_str()?, wanted).map(read);
    let by_text = || uri_in(&seen.text).map(read);
    let by_call = || call_in(&steps(error, &seen.text));
    if reads_resources {
        return by_uri().or_else(by_example).or_else(by_text).or_else(by_call);
    }
    by_call()
}

/// The instructions of an error, or else its whole text.
fn steps(error: &Value, text: &str) -> String {
    let instructions = error["instructions"].as_array();
    let lines = instructions.map(|lines| lines.iter().filter_map(Value::as_str).collect::<Vec<_>>());
    lines.map_or_else(|| text.to_owned(), |lines| lines.join("\n"))
}

/// An example's URI with the wanted tool instead of the example's.
fn like(example: &str, wanted: &str) -> Option<String> {
    let (base, _) = example.split_once('?')?;
    Some(descriptions_uri(base, [wanted]))
}

/// The first resource that a text names, quoted or not.
fn uri_in(text: &str) -> Option<String> {
    let from = text.find("resource://")?;
    let uri: String = text[from..]
        .chars()
        .take_while(|next| !next.is_whitespace() && !"\"'\\<>)".contains(*next))
        .collect();
    Some(uri.trim_end_matches(['.', ',', ';']).to_owned())
}

/// The first `call NAME with {…}` of a text.
fn call_in(text: &str) -> Option<Move> {
    text.match_indices("call ").find_map(|(at, found)| {
        let (tool, rest) = text[at + found.len()..].split_once(" with ")?;
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<RawObject>();
        let arguments = values.next()?.ok()?;
        let tool = tool.trim_matches(['\'', '"', '`']);
        (!tool.contains(char::is_whitespace)).then(|| Move::Call { tool: tool.to_owned(), arguments })
    })
}

/// What was learned from answers: arguments with a `const` value in the schema, by tool.
#[derive(Debug, Default)]
pub(crate) struct Learned(BTreeMap<String, Vec<(String, String)>>);

impl Learned {
    pub(super) fn knows(&self, tool: &str) -> bool {
        self.0.contains_key(tool)
    }

    /// Records every definition in the answer, which is `depth` levels below one.
    pub(crate) fn learn(&mut self, value: &Value, depth: usize) {
        // Definitions are the answer itself, in an array, or under their names.
        if depth > 2 {
            return;
        }
        let name = value["name"].as_str().filter(|_| value["inputSchema"].is_object());
        match name.or_else(|| value["tool"].as_str()) {
            Some(name) => {
                let properties = value["inputSchema"]["properties"].as_object();
                let fixed = properties.into_iter().flatten().filter_map(|(argument, schema)| {
                    Some((argument.clone(), schema.get("const")?.to_string()))
                });
                self.0.insert(name.to_owned(), fixed.collect());
            }
            None => match value {
                Value::Array(items) => items.iter().for_each(|item| self.learn(item, depth + 1)),
                Value::Object(members) => members.values().for_each(|item| self.learn(item, depth + 1)),
                _ => {}
            },
        }
    }

    /// The arguments, with those whose value the tool's schema states.
    pub(super) fn complete(&self, tool: &str, arguments: &RawObject) -> RawObject {
        let fixed = self.0.get(tool).into_iter().flatten();
        fixed.fold(arguments.clone(), |arguments, (name, value)| arguments.with(name, value))
    }
}
