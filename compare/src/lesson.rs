//! How a model learns a tool under a strategy that our client has no channel for.

use std::str::FromStr;

use mcp_disclosure_core::RawObject;

/// What stands for the name of the tool to learn.
const PLACE: &str = "{tool}";

/// A call that teaches how a tool is used, under a strategy of someone's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lesson {
    /// The strategy.
    pub strategy: String,
    /// The tool to call, which the strategy lists.
    tool: String,
    /// The arguments, with `{tool}` where the name goes.
    arguments: RawObject,
}

impl Lesson {
    pub(crate) fn tool(&self) -> &str {
        &self.tool
    }

    /// The arguments for learning this tool.
    pub(crate) fn arguments(&self, name: &str) -> RawObject {
        let quoted = serde_json::Value::from(name).to_string();
        let within = quoted.trim_start_matches('"').strip_suffix('"').unwrap_or_default();
        RawObject::parse(self.arguments.text().replace(PLACE, within)).unwrap_or_default()
    }
}

impl FromStr for Lesson {
    type Err = String;

    /// Reads `STRATEGY=TOOL {"argument": "{tool}"}`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parts = text.split_once('=').and_then(|(strategy, call)| {
            let (tool, arguments) = call.trim().split_once(char::is_whitespace)?;
            Some((strategy.trim(), tool, arguments))
        });
        let Some((strategy, tool, arguments)) = parts.filter(|(strategy, ..)| !strategy.is_empty()) else {
            return Err(r#"STRATEGY=TOOL {"argument": "{tool}"}"#.to_owned());
        };
        let arguments = RawObject::parse(arguments).map_err(|error| format!("the arguments: {error}"))?;
        if !arguments.text().contains(PLACE) {
            return Err(format!("the arguments have no {PLACE} for the name of the tool"));
        }
        Ok(Self { strategy: strategy.to_owned(), tool: tool.to_owned(), arguments })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_goes_where_its_place_is() {
        let lesson: Lesson = r#"search = find_tools {"query": "how to {tool}", "n": 1}"#.parse().unwrap();
        assert_eq!((&*lesson.strategy, lesson.tool()), ("search", "find_tools"));
        assert_eq!(lesson.arguments(r#"a"b"#).text(), r#"{"query": "how to a\"b", "n": 1}"#);
        for wrong in
            ["search", "=a {}", "s=a", "s=a 7", r#"s=a {"query": "tool"}"#, r#"s=a {"query": {tool}}"#]
        {
            assert!(wrong.parse::<Lesson>().is_err(), "{wrong}");
        }
    }
}
