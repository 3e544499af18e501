//! What an agent has learned from answers.

use std::collections::BTreeMap;

use mcp_disclosure_core::RawObject;
use serde_json::Value;

use super::moves::Seen;

/// What was learned from answers: arguments with a `const` value in the schema, by tool.
#[derive(Debug, Default)]
pub(super) struct Lessons(BTreeMap<String, Vec<(String, String)>>);

impl Lessons {
    pub(super) fn know(&self, tool: &str) -> bool {
        self.0.contains_key(tool)
    }

    /// Records every definition in the answer.
    pub(super) fn learn(&mut self, seen: &Seen) {
        if seen.problem.is_none() {
            self.note(&seen.content, 0);
        }
    }

    fn note(&mut self, value: &Value, depth: usize) {
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
                Value::Array(items) => items.iter().for_each(|item| self.note(item, depth + 1)),
                Value::Object(members) => members.values().for_each(|item| self.note(item, depth + 1)),
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
