//! Common parts of fetches of descriptions over any channel: the requested names, the bridge tool for clients without
//! a channel of their own, and the suggestions for unknown names (docs/CONTRACT.md R3, R5, R6, R15).

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};

use crate::{
    catalogue::{view::View, visible_tool::VisibleTool},
    context::Context,
    decision::{Refusal, ToolAnswer, ToolCall},
    effect::Note,
    given::{self, MOST_NAMES},
    own_tool::OwnTool,
    raw::RawObject,
    take::member,
};

/// The code for a fetch that names no tool (tool-descriptions-resource §6.1).
const MISSING_TOOL_SELECTION: &str = "MISSING_TOOL_SELECTION";

/// Bounds of requested and suggested names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FetchBounds {
    /// Suggestions contain every listed name if there are at most this many.
    pub available_tools: usize,
    /// If there are more, they contain this many of the most similar names, and the total.
    pub nearest_tools: usize,
    /// Maximum number of tools in one fetch, up to [`MOST_NAMES`].
    pub most_names: usize,
}

impl Default for FetchBounds {
    fn default() -> Self {
        Self { available_tools: 100, nearest_tools: 20, most_names: 64 }
    }
}

/// All characters of ASCII but RFC 3986's unreserved ones.
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The URI by which a resource delivers the descriptions of these tools (docs/CONTRACT.md R3).
///
/// ```
/// use mcp_disclosure_core::descriptions_uri;
/// assert_eq!(descriptions_uri("x:///d", ["a", "b,c"]), "x:///d?tools=a,b%2Cc");
/// ```
pub fn descriptions_uri<'a>(base: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    let names: Vec<String> =
        names.into_iter().map(|name| utf8_percent_encode(name, RESERVED).to_string()).collect();
    format!("{base}?tools={}", names.join(","))
}

/// The names in a fetch, each once, in order. A name that a tool has stays as it is; any other is trimmed, cut as it is shown, and
/// left out if nothing remains. No more than [`MOST_NAMES`] are read.
#[derive(Clone, Debug)]
pub struct Names<'v> {
    view: &'v View,
    names: Vec<String>,
    given: usize,
}

impl<'v> Names<'v> {
    /// No names yet, of tools of this view.
    pub fn of(view: &'v View) -> Self {
        Self { view, names: Vec::new(), given: 0 }
    }

    /// Adds a name unless it is already present. `false` if no more are read.
    pub fn add(&mut self, name: &str) -> bool {
        self.given += 1;
        if self.given > MOST_NAMES {
            return false;
        }
        let known = self.view.tool(name).is_some();
        let name = if known { name.into() } else { given::shown(name.trim()) };
        if !name.is_empty() && !self.names.iter().any(|other| *other == *name) {
            self.names.push(name.into_owned());
        }
        true
    }

    /// Adds names separated by commas. `false` if no more are read.
    pub fn add_list(&mut self, list: &str) -> bool {
        list.split(',').all(|name| self.add(name))
    }

    /// The names in the arguments `{"names": [..]}` of a call. A single string, or a JSON array in a string, is accepted; items
    /// that are not strings are ignored.
    pub fn from_call(call: &ToolCall, view: &'v View) -> Self {
        let mut names = Self::of(view);
        let Some(given) = call.arguments.as_ref().and_then(|text| member(text.get(), "names")) else {
            return names;
        };
        match (given::items(given, MOST_NAMES), given::string(given)) {
            (Some(items), _) => items.into_iter().filter_map(given::string).all(|name| names.add(&name)),
            (_, Some(text)) => names.add_text(&text),
            _ => true,
        };
        names
    }

    fn add_text(&mut self, text: &str) -> bool {
        let items = given::items(text, MOST_NAMES);
        match items.and_then(|items| items.into_iter().map(given::string).collect::<Option<Vec<_>>>()) {
            Some(items) => items.iter().all(|name| self.add(name)),
            None if self.view.tool(text).is_some() => self.add(text),
            None => self.add_list(text),
        }
    }

    /// The names that a fetch delivers, in order, or its [refusal](Context::descriptions).
    fn selected(
        self,
        bounds: FetchBounds,
        message: &str,
        example: impl Fn(&[&str]) -> Value,
    ) -> Result<Vec<String>, Refusal> {
        let view = self.view;
        match self.at_most(bounds.most_names) {
            Ok(names) if names.is_empty() => Err(missing_selection(view, bounds, message, example)),
            named => named.map_err(|message| Refusal::of("TOO_MANY_TOOLS", &message)),
        }
    }

    /// The names, in order, if there are at most this many, and at most [`MOST_NAMES`].
    ///
    /// # Errors
    /// If there are more: a sentence that says how many were given, and how many are taken.
    pub fn at_most(self, most: usize) -> Result<Vec<String>, String> {
        let most = most.min(MOST_NAMES);
        let given = match self.given {
            given if given > MOST_NAMES => format!("More than {MOST_NAMES}"),
            _ if self.names.len() > most => self.names.len().to_string(),
            _ => return Ok(self.names),
        };
        Err(format!("{given} tools were named; at most {most} are delivered at once."))
    }
}

impl Context<'_> {
    /// What a fetch delivers, by name: what `entry` makes of a tool, a note in place of one of the strategy's own, and an error in
    /// place of an unknown one (tool-descriptions-resource §6.3).
    ///
    /// # Errors
    /// The refusal of a fetch that names no tool, with `message` and an `example` of one name and one of two
    /// (tool-descriptions-resource §6.1), or more than it may.
    pub fn descriptions(
        &self,
        names: Names<'_>,
        bounds: FetchBounds,
        message: &str,
        example: impl Fn(&[&str]) -> Value,
        entry: impl Fn(VisibleTool<'_>) -> RawObject,
    ) -> Result<RawObject, Refusal> {
        let names = names.selected(bounds, message, example)?;
        self.note(Note::Delivered);
        let entries: Vec<String> = names
            .iter()
            .map(|name| match self.view.tool(name) {
                Some(tool) => {
                    tracing::info!(session = self.session, tool = name, "description delivered");
                    entry(tool).text().to_owned()
                }
                None if self.view.reserves(name) => {
                    let note = format!("Tool '{name}' needs no description, call it directly.");
                    json!({ "note": note }).to_string()
                }
                None => {
                    tracing::info!(
                        session = self.session,
                        tool = name,
                        "description of an unknown tool asked for"
                    );
                    let answer = json!({"error": format!("Tool '{name}' not found")});
                    with_suggestions(answer, Some(name), self.view, bounds).to_string()
                }
            })
            .collect();
        let pieces = names.iter().map(String::as_str).zip(entries.iter().map(String::as_str));
        Ok(RawObject::assemble(pieces))
    }
}

impl ToolAnswer {
    /// The answer of a bridge that fetches [descriptions](Context::descriptions).
    pub fn of_fetch(fetched: Result<RawObject, Refusal>) -> Self {
        let shown = |(name, entry): (&str, &str)| {
            let too_deep = format!(
                "The definition of '{name}' nests too deep to be shown. The tool can be called without it."
            );
            let entry = serde_json::from_str(entry).unwrap_or_else(|_| json!({"error": too_deep}));
            (name.to_owned(), entry)
        };
        match fetched {
            Ok(entries) => Self { content: entries.iter().map(shown).collect(), is_error: false },
            Err(refusal) => Self { content: refusal.content, is_error: true },
        }
    }
}

/// An answer to a fetch of the unknown name `wanted`, or without names, with the members `available_tools` and, if not all are named,
/// `available_count`.
fn with_suggestions(mut answer: Value, wanted: Option<&str>, view: &View, bounds: FetchBounds) -> Value {
    let all = || view.tools().map(|tool| tool.name().as_str());
    let count = view.tools().count();
    let names: Vec<&str> = match wanted {
        _ if count <= bounds.available_tools => all().collect(),
        Some(wanted) => view.nearest(wanted, bounds.nearest_tools),
        None => all().take(bounds.nearest_tools).collect(),
    };
    answer["available_tools"] = json!(names);
    if count > bounds.available_tools {
        answer["available_count"] = json!(count);
    }
    answer
}

/// Stands for a tool's name where no tool is listed.
pub const SOME_TOOL: &str = "TOOL_NAME";

/// The refusal of a fetch without names.
fn missing_selection(
    view: &View,
    bounds: FetchBounds,
    message: &str,
    example: impl Fn(&[&str]) -> Value,
) -> Refusal {
    let mut names = view.tools().map(|tool| tool.name().as_str());
    let first = names.next().unwrap_or(SOME_TOOL);
    let examples = [example(&[first]), example(&[first, names.next().unwrap_or(first)])];
    let error = json!({"code": MISSING_TOOL_SELECTION, "message": message, "examples": examples});
    let content = json!({"error": with_suggestions(error, None, view, bounds)});
    Refusal { code: MISSING_TOOL_SELECTION, content }
}

/// A tool that fetches descriptions by `{"names": [..]}`, with descriptions of itself and of its argument.
pub fn fetching_tool(name: &str, description: &str, names: &str) -> OwnTool {
    let names = json!({"type": "array", "items": {"type": "string"}, "minItems": 1, "description": names});
    let schema = json!({"type": "object", "properties": {"names": names}, "required": ["names"]});
    OwnTool::new(name, description, &schema).read_only()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{self, named};

    fn read(arguments: &Value, view: &View) -> Result<Vec<String>, String> {
        Names::from_call(&fixtures::call("describe_tools", arguments), view).at_most(64)
    }

    #[test]
    fn p8_names_are_cut_and_no_more_than_a_hundred_are_read() {
        let view = fixtures::view(&[]);
        let long = "u".repeat(1 << 20);
        for given in [json!([long]), json!(long)] {
            let names = read(&json!({"names": given}), &view).unwrap();
            assert!(names.len() == 1 && names[0].chars().count() == 200, "{}", names[0]);
        }
        let numbered = |count: usize| (0..count).map(|at| at.to_string()).collect::<Vec<_>>();
        assert_eq!(read(&json!({"names": numbered(64)}), &view).unwrap().len(), 64);
        for (count, said) in [(65, "65"), (100, "100"), (101, "More than 100"), (100_000, "More than 100")] {
            for given in [
                json!(numbered(count)),
                json!(numbered(count).join(",")),
                json!(json!(numbered(count)).to_string()),
            ] {
                let refused = read(&json!({"names": given}), &view).unwrap_err();
                assert_eq!(refused, format!("{said} tools were named; at most 64 are delivered at once."));
            }
        }
    }

    #[test]
    fn names_are_accepted_in_every_form_that_models_write() {
        for (arguments, expected) in [
            (json!({"names": ["a", " b ", "a", 7, ""]}), vec!["a", "b"]),
            (json!({"names": "a, b"}), vec!["a", "b"]),
            (json!({"names": "[\"x,y\"]"}), vec!["x,y"]),
            (json!({}), vec![]),
            (json!({"names": {}}), vec![]),
            (json!({"names": [" x ", "x ", " ", "  "]}), vec![" x ", "x", " "]),
            (json!({"names": " x "}), vec![" x "]),
            (json!({"names": "a, x "}), vec!["a", " x "]),
            (json!({"names": "c,d"}), vec!["c,d"]),
        ] {
            let view = fixtures::view(&[named("u", [" x ", " ", "c,d"])]);
            assert_eq!(read(&arguments, &view).unwrap(), expected, "{arguments}");
        }
    }
}
