//! Description files: those of the source, and for whole definitions.

use std::{
    fs,
    path::{Path, PathBuf},
};

use mcp_disclosure_core::{
    DescriptionError, DescriptionFile, RawObject, Tool, ToolName,
    layout::compact,
    printable::{is_active, printable},
};
use mcp_disclosure_gateway::Problem;
use serde_json::value::RawValue;

use super::Origins;

/// The members that come from the definition, in order.
const NATIVE: &[&str] = &["title", "description", "inputSchema", "outputSchema"];

/// Those that only operators have.
const LAID_OVER: &[&str] =
    &["examples", "usage_guidance", "error_guidance", "returns", "related", "keywords", "concerns"];

/// The path and text of a file, or why a tool can have none.
pub(super) type Described = Result<(PathBuf, String), String>;

/// The path and text of a tool's new description file, or why there can be none; `None` where none is wanted: one is written
/// for whole definitions, and where the source has one that the folder lacks.
///
/// # Errors
/// That there is no place for any.
pub(super) fn new(origins: &Origins<'_>, tool: &Tool) -> Result<Option<Described>, Problem> {
    let (folder, whole) = (origins.folder, origins.definitions);
    let path = tool.supplement().path.as_deref();
    let decided = origins.declared.files.iter().find(|file| path == Some(&*file.path));
    if folder.has_file_of(tool) || !(whole || (decided.is_some() && folder.is_inside)) {
        return Ok(None);
    }
    let stem = decided.map_or_else(|| described_name(tool), |file| &file.name);
    let name = format!("{stem}.json");
    if let Some(why) = no_file_name(&name, stem) {
        return Ok(Some(Err(why.to_owned())));
    }
    // Where there is a text, it is kept to the byte.
    let written = decided.filter(|_| !whole).and_then(|file| fs::read_to_string(&file.path).ok());
    let text = written.unwrap_or_else(|| text(stem, tool, decided, whole));
    if let Err(errors) = DescriptionFile::parse(&name, stem, &text) {
        return Ok(Some(Err(errors.first().map(DescriptionError::to_string).unwrap_or_default())));
    }
    let place = folder.place_of(&name)?;
    Ok(Some(match folder.texts.contains_key(&place) {
        true => Err(format!("{} is there already, and is not what describes it now", place.display())),
        false => Ok((place, text)),
    }))
}

/// A new description file called `name`: what `decided` says of the tool, and the whole definition if that is wanted, else
/// the members that differ from the upstream's. Values are spelled as they are now, so that laying them over changes
/// nothing.
fn text(name: &str, tool: &Tool, decided: Option<&DescriptionFile>, whole: bool) -> String {
    let supplement = decided.map(|file| &file.supplement);
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    let said = |text: Option<&String>| text.map(|text| quoted(text));
    let brief = said(supplement.and_then(|said| said.brief.as_ref()));
    let category = said(supplement.and_then(|said| said.category.as_ref()));
    let name = quoted(name);
    let original = |key| tool.original().member(key).map(compact);
    let native = NATIVE.iter().filter_map(|key| {
        let value = tool.definition().member(key)?;
        (whole || original(key) != Some(compact(value))).then_some((*key, value))
    });
    let laid_over = LAID_OVER.iter().filter_map(|key| Some((*key, supplement?.part(key)?)));
    let own = [("brief", &brief), ("category", &category)];
    let own = own.into_iter().filter_map(|(key, value)| Some((key, value.as_deref()?)));
    let members = [("name", &*name)].into_iter().chain(native).chain(own).chain(laid_over);
    format!("{}\n", printable(&spread(RawObject::assemble(members).text())))
}

/// Why a file cannot have this name, if it cannot.
fn no_file_name(name: &str, stem: &str) -> Option<&'static str> {
    // What most file systems allow.
    if name.len() > 255 && !name.contains('/') {
        return Some("its name is too long for a file name");
    }
    if name.starts_with('.') {
        return Some("a file of its name is hidden, and not read");
    }
    let is_odd = name.contains('/')
        || name.contains(is_active)
        || (cfg!(windows) && name.contains(['\\', ':', '*', '?', '"', '<', '>', '|']))
        || Path::new(name).file_stem().and_then(|own| own.to_str()) != Some(stem);
    is_odd.then_some("its name is no file name")
}

/// The name by which a description file is about this tool, whatever name it is served by.
fn described_name(tool: &Tool) -> &ToolName {
    if tool.key() == tool.upstream_name() { tool.key() } else { tool.qualified() }
}

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

    #[test]
    fn deep_nesting_is_laid_out() {
        let deep = format!("{}1{}", "[".repeat(200), "]".repeat(200));
        assert_eq!(compact(&spread(&deep)), deep);
    }
}
