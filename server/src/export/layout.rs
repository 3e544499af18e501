//! JSON text laid out for people. The text of numbers and strings is kept.

use mcp_disclosure_core::RawObject;
use serde_json::value::RawValue;

/// The maximum length of a line, where possible.
const WIDTH: usize = 100;

/// The text with one line for each member, indented by two, and nested values on one line if they fit. It must be JSON.
pub(crate) fn spread(text: &str) -> String {
    laid_out(text.trim(), 0, WIDTH)
}

/// A value in lines of this depth; `taken` characters of its first line are there already.
fn laid_out(text: &str, depth: usize, taken: usize) -> String {
    let Some(Container { brackets: [open, close], parts }) = container(text) else { return text.to_owned() };
    let alone = one_line(text);
    if parts.is_empty() || taken + alone.len() < WIDTH {
        return alone;
    }
    let indent = "  ".repeat(depth + 1);
    let lines = parts.iter().map(|(key, value)| {
        let taken = indent.len() + key.len();
        format!("\n{indent}{key}{}", laid_out(value, depth + 1, taken))
    });
    format!("{open}{}\n{}{close}", lines.collect::<Vec<_>>().join(","), "  ".repeat(depth))
}

fn one_line(text: &str) -> String {
    let Some(Container { brackets: [open, close], parts }) = container(text) else { return text.to_owned() };
    let space = if open == '{' && !parts.is_empty() { " " } else { "" };
    let parts: Vec<String> = parts.iter().map(|(key, value)| format!("{key}{}", one_line(value))).collect();
    format!("{open}{space}{}{space}{close}", parts.join(", "))
}

/// An array or an object.
struct Container {
    brackets: [char; 2],
    /// Keys with their colon, none in arrays, and values.
    parts: Vec<(String, String)>,
}

/// `None` for anything but an array or an object.
fn container(text: &str) -> Option<Container> {
    if let Ok(items) = serde_json::from_str::<Vec<&RawValue>>(text) {
        let parts = items.into_iter().map(|item| (String::new(), item.get().to_owned())).collect();
        return Some(Container { brackets: ['[', ']'], parts });
    }
    let object = RawObject::parse(text).ok()?;
    let key = |key: &str| format!("{}: ", serde_json::Value::from(key));
    let parts = object.iter().map(|(name, value)| (key(name), value.to_owned())).collect();
    Some(Container { brackets: ['{', '}'], parts })
}

#[cfg(test)]
mod tests {
    use mcp_disclosure_core::layout::compact;

    use super::*;

    #[test]
    fn values_that_fit_are_on_one_line_and_others_are_indented() {
        let long = "x".repeat(90);
        let text = format!(r#"{{"a":{{"b":[],"c":1.0e2}},"d":["{long}",{{}}]}}"#);
        let spread = spread(&text);
        assert_eq!(
            spread,
            format!(
                "{{\n  \"a\": {{ \"b\": [], \"c\": 1.0e2 }},\n  \"d\": [\n    \"{long}\",\n    {{}}\n  ]\n}}"
            )
        );
        assert_eq!(compact(&spread), text);
    }
}
