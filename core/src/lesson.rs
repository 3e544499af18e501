//! Lessons: the call by which a model learns how to use a tool under a strategy.

use serde_json::Value;

use crate::raw::RawObject;

/// The placeholder for the name of the tool to learn.
const PLACE: &str = "{tool}";

/// A call of a strategy's own tool whose result describes how another tool is used.
///
/// ```
/// use mcp_disclosure_core::Lesson;
/// const LESSON: Lesson = Lesson::new("find_tools", r#"{"query": "{tool}"}"#);
/// assert_eq!(LESSON.arguments("add").unwrap().text(), r#"{"query": "add"}"#);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lesson {
    tool: &'static str,
    arguments: &'static str,
}

impl Lesson {
    /// A call of `tool` with these arguments: a JSON object in which `{tool}`, within a string, is the placeholder for
    /// the name of the tool to learn.
    pub const fn new(tool: &'static str, arguments: &'static str) -> Self {
        Self { tool, arguments }
    }

    /// The tool to call.
    pub fn tool(&self) -> &'static str {
        self.tool
    }

    /// The arguments for learning this tool; `None` if the template is not a JSON object with the placeholder.
    pub fn arguments(&self, name: &str) -> Option<RawObject> {
        filled(self.arguments, PLACE, name)
    }

    /// The instruction to learn this tool, such as `call info with {"topic": "add"}`.
    pub fn instruction(&self, name: &str) -> Option<String> {
        Some(format!("call {} with {}", self.tool, self.arguments(name)?.text()))
    }
}

/// A template with a text in the place of a placeholder; `None` if that is not a JSON object, or the template lacks the
/// placeholder.
pub(crate) fn filled(template: &str, place: &str, text: &str) -> Option<RawObject> {
    let quoted = Value::from(text).to_string();
    let within = quoted.strip_prefix('"')?.strip_suffix('"')?;
    let filled = template.contains(place).then(|| template.replace(place, within))?;
    RawObject::parse(filled).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_replaces_the_placeholder() {
        let lesson = Lesson::new("find_tools", r#"{"query": "how to {tool}", "n": 1}"#);
        assert_eq!(lesson.arguments(r#"a"b"#).unwrap().text(), r#"{"query": "how to a\"b", "n": 1}"#);
        for wrong in [r#"{"query": "tool"}"#, "7", r#"{"query": {tool}}"#] {
            assert_eq!(Lesson::new("find_tools", wrong).arguments("a"), None, "{wrong}");
        }
    }
}
