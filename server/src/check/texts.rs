//! What a model reads: names, descriptions, briefs and descriptions of parameters.

use std::collections::BTreeMap;

use mcp_disclosure_core::{Tool, brief, case_parts, printable::few};
use serde_json::{Map, Value};

use super::{Findings, MOST_NAMED, Place, Read, Subject, internal, rules};

/// What stands before examples, and before parameters.
const EXAMPLES: &[&str] = &["e.g.", "for example", "example:", "```"];
const PARAMETERS: &[&str] = &["args:", "arguments:", "parameters:", "params:", "@param", ":param "];

/// Words that say nothing about a tool.
const EMPTY_WORDS: &[&str] = &["a", "an", "the", "this", "tool", "function", "to", "for", "of"];

pub(super) fn look(_: &Subject, read: &Read<'_>, findings: &mut Findings) {
    let tool = read.tool;
    let description = described(tool);
    let said = words(&description);
    if said.is_empty() {
        findings.of_text(rules::NO_DESCRIPTION, tool, "");
    } else if says_name(tool, &said) {
        findings.of_text(rules::REPEATS_NAME, tool, format!("{:?}", description.trim()));
    }
    let length = |brief: &String| brief::SHORT.length(brief.trim());
    let written = tool.supplement().brief.as_ref().map(length);
    if let Some(length) = written.filter(|length| *length > brief::SHORT.most()) {
        findings.add(rules::LONG_BRIEF, Place::from(tool), format!("{length} characters"));
    }
    if !said.is_empty() && !tool.is_described() {
        findings.of_text(rules::POOR_BRIEF, tool, format!("{:?}", tool.brief()));
    }
    let details = details(read);
    if !details.is_empty() {
        findings.of_text(rules::BRIEF_SAYS_HOW, tool, details.join(", "));
    }
    let undescribed = undescribed(read);
    if !undescribed.is_empty() {
        findings.of_text(rules::UNDESCRIBED, tool, undescribed.join(", "));
    }
}

/// Names that hosts and models have trouble with.
pub(super) fn names(_: &Subject, read: &Read<'_>, findings: &mut Findings) {
    let tool = read.tool;
    let name = tool.key().as_str();
    let length = name.chars().count();
    if length > 60 {
        findings.add(rules::OVER_60, Place::from(tool), format!("{length} characters"));
    } else if length > 48 {
        findings.add(rules::OVER_48, Place::from(tool), format!("{length} characters"));
    }
    let odd = |character: char| !character.is_ascii_alphanumeric() && !matches!(character, '_' | '-');
    if let Some(character) = name.chars().find(|character| odd(*character)) {
        findings.add(rules::ODD, Place::from(tool), format!("{character:?}"));
    }
    if tool.key() == tool.qualified() {
        findings.add(
            rules::CLASH,
            Place::from(tool),
            format!("'{}' of {}", tool.upstream_name(), tool.upstream()),
        );
    }
}

/// Tools with the same description.
pub(super) fn repeated(subject: &Subject, findings: &mut Findings) {
    let mut by_text: BTreeMap<String, Vec<&Tool>> = BTreeMap::new();
    for tool in subject.tools() {
        let said = words(&described(tool));
        if !said.is_empty() && !says_name(tool, &said) {
            by_text.entry(said.join(" ")).or_default().push(tool);
        }
    }
    for tools in by_text.values().filter(|tools| tools.len() > 1) {
        for tool in tools {
            let others = tools.iter().filter(|other| other.key() != tool.key());
            findings.of_text(
                rules::REPEATED,
                tool,
                format!("the same as {}", few(others.map(|other| other.key()), MOST_NAMED)),
            );
        }
    }
}

fn described(tool: &Tool) -> String {
    tool.definition().string("description").unwrap_or_default()
}

fn says_name(tool: &Tool, said: &[String]) -> bool {
    said == words(&case_parts(tool.upstream_name()).join(" "))
}

fn words(text: &str) -> Vec<String> {
    let words = text.split(|character: char| !character.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).filter(|word| !EMPTY_WORDS.contains(&word.as_str())).collect()
}

/// What the brief has that says how the tool is used: parameters, examples and paths (tool-descriptions-resource §3.1); and
/// whether it is too long.
fn details(read: &Read<'_>) -> Vec<String> {
    let brief = read.tool.brief();
    let lower = brief.to_lowercase();
    let mut found = Vec::new();
    let length = brief::LONGEST.length(brief.trim());
    if length > brief::LONGEST.most() {
        found.push(format!("{length} characters"));
    }
    found.extend(
        EXAMPLES.iter().find(|mark| lower.contains(**mark)).map(|mark| format!("an example ({mark})")),
    );
    let names = properties(read).into_iter().flat_map(|names| names.keys());
    let is_named =
        |name: &&String| ["`{}`", "{}=", "{}:"].iter().any(|form| has(brief, &form.replace("{}", name)));
    let named = names.filter(is_named).map(|name| format!("the parameter {name}"));
    found.extend(named);
    found.extend(
        PARAMETERS.iter().find(|mark| lower.contains(**mark)).map(|mark| format!("parameters ({mark})")),
    );
    let words = brief.split(|letter: char| letter.is_whitespace() || "\"'`(),;".contains(letter));
    // Private ones are found in all texts.
    let paths = words.filter(|word| is_path(word) && !internal::is_path(word));
    found.extend(paths.map(|path| format!("the path {path}")));
    found
}

/// Whether a text has these letters, and no letter or digit before them.
fn has(text: &str, wanted: &str) -> bool {
    let is_word = |before: char| before.is_alphanumeric() || before == '_';
    text.match_indices(wanted).any(|(at, _)| !text[..at].ends_with(is_word))
}

/// Whether a word is the path of a file: from the root or home, with a folder.
fn is_path(word: &str) -> bool {
    let is_drive = |word: &str| matches!(word.as_bytes(), [drive, b':', b'\\' | b'/', ..] if drive.is_ascii_alphabetic());
    let rest = word.strip_prefix('/').filter(|rest| rest.starts_with(char::is_alphanumeric));
    word.starts_with("~/")
        || word.strip_prefix("file://").is_some_and(|path| !path.is_empty())
        || is_drive(word)
        || rest.is_some_and(|rest| rest.contains('/'))
}

/// The top-level parameters without a description, with local references followed.
fn undescribed(read: &Read<'_>) -> Vec<String> {
    let Some((schema, properties)) = read.definition.get("inputSchema").zip(properties(read)) else {
        return Vec::new();
    };
    let silent = |value: &Value| {
        let referred =
            value.get("$ref").and_then(Value::as_str).and_then(|reference| reference.strip_prefix('#'));
        let referred = referred.and_then(|pointer| schema.pointer(pointer));
        [Some(value), referred].into_iter().flatten().all(|value| {
            value.get("description").and_then(Value::as_str).is_none_or(|text| text.trim().is_empty())
        })
    };
    properties.iter().filter(|(_, value)| silent(value)).map(|(name, _)| name.clone()).collect()
}

fn properties<'r>(read: &'r Read<'_>) -> Option<&'r Map<String, Value>> {
    read.definition.get("inputSchema")?.get("properties")?.as_object()
}
