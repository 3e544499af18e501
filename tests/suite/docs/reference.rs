//! docs/reference.md: the keys of `disclosure.toml`, from its schema, from the table of limits, and from the settings of
//! strategies.

use std::{fmt::Write, fs, path::Path};

use mcp_disclosure_core::{Profile, Setting, SettingKind};
use mcp_disclosure_gateway::{builtin, limits::LIMITS};
use serde_json::Value;

use super::ROOT;

const HEAD: &str = "\
# Reference of disclosure.toml

Every key, with its type and meaning. [Configuration](configuration.md) shows by example what people write. This page is made by a
test from the [schema](disclosure.schema.json) that editors use, so its texts are comments in the code.

";

/// What a schema refers to, or itself.
fn target<'a>(root: &'a Value, schema: &'a Value) -> &'a Value {
    let only = schema["anyOf"].as_array().filter(|kinds| kinds.len() == 1).map(|kinds| &kinds[0]);
    let name = only.unwrap_or(schema)["$ref"].as_str();
    name.and_then(|name| root.pointer(name.trim_start_matches('#'))).unwrap_or(schema)
}

fn kind(root: &Value, schema: &Value) -> String {
    let schema = target(root, schema);
    if let Some(words) = schema["oneOf"].as_array() {
        return words.iter().map(|word| format!("`{}`", word["const"])).collect::<Vec<_>>().join(", ");
    }
    if let Some(kinds) = schema["anyOf"].as_array() {
        return kinds.iter().map(|other| kind(root, other)).collect::<Vec<_>>().join(" or ");
    }
    let name = match schema["type"].as_str() {
        Some("string") => "text",
        Some("integer" | "number") => "number",
        Some("boolean") => "`true` or `false`",
        Some("object") => "table",
        Some("array") if kind(root, &schema["items"]) == "text" => "list of texts",
        Some("array") => "list",
        _ => "any value",
    };
    name.to_owned()
}

/// A schema's description on one line, fit for a cell of a table.
fn description(schema: &Value) -> String {
    let text = schema["description"].as_str().unwrap_or_default();
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|")
}

/// The table of an object's keys, and below it the tables of keys that are objects themselves.
fn keys(page: &mut String, root: &Value, path: &str, schema: &Value) {
    let Some(properties) = schema["properties"].as_object() else { return };
    page.push_str("| key | type | meaning |\n|---|---|---|\n");
    let mut below = Vec::new();
    for (key, value) in properties {
        let of_list = target(root, &value["items"]);
        let (inner, name) = match target(root, value) {
            found if found["properties"].is_object() => (found, format!("[{path}.{key}]")),
            _ if of_list["properties"].is_object() => (of_list, format!("[[{path}.{key}]]")),
            found => (found, String::new()),
        };
        writeln!(page, "| `{key}` | {} | {} |", kind(root, value), description(value)).unwrap();
        if !name.is_empty() {
            below.push((name, inner));
        }
    }
    page.push('\n');
    for (name, inner) in below {
        write!(page, "### `{name}`\n\n{}\n\n", description(inner)).unwrap();
        keys(page, root, name.trim_matches(['[', ']']), inner);
    }
}

fn limits(page: &mut String) {
    page.push_str("| key | default | what it bounds |\n|---|---|---|\n");
    for limit in LIMITS {
        let text = limit.text.trim();
        writeln!(page, "| `{}` | {} {} | {text} |", limit.name, limit.default, limit.unit).unwrap();
    }
    page.push('\n');
}

/// What a strategy declares of its settings.
fn settings(page: &mut String, strategy: &Profile) {
    let name = &strategy.name;
    write!(page, "### `[strategy.{name}]`\n\nSee [{name}](strategies/{name}.md).\n\n").unwrap();
    page.push_str("| key | type | meaning |\n|---|---|---|\n");
    for Setting { key, kind, text } in strategy.settings {
        let kind = match kind {
            SettingKind::Number => "number".to_owned(),
            SettingKind::Boolean => "`true` or `false`".to_owned(),
            SettingKind::Text => "text".to_owned(),
            SettingKind::Texts => "list of texts".to_owned(),
            SettingKind::Word(words) => {
                words.iter().map(|word| format!("`\"{word}\"`")).collect::<Vec<_>>().join(", ")
            }
            SettingKind::Table => "table".to_owned(),
        };
        writeln!(page, "| `{key}` | {kind} | {} |", text.trim().replace('|', "\\|")).unwrap();
    }
    page.push('\n');
}

fn rendered(root: &Value) -> String {
    let sections = root["properties"].as_object().unwrap();
    let (alone, tables): (Vec<_>, Vec<_>) = sections
        .iter()
        .partition(|(_, schema)| matches!(target(root, schema)["type"].as_str(), Some("string" | "boolean")));
    let mut page = HEAD.to_owned() + &description(root) + "\n\n## Before the first section\n\n";
    page.push_str("| key | type | meaning |\n|---|---|---|\n");
    for (key, schema) in alone {
        writeln!(page, "| `{key}` | {} | {} |", kind(root, schema), description(schema)).unwrap();
    }
    page.push('\n');
    for (name, schema) in tables {
        let whole = target(root, schema);
        let (of_list, of_name) =
            (target(root, &whole["items"]), target(root, &whole["additionalProperties"]));
        let is_named = of_name["properties"].is_object();
        let heading = match (of_list.is_object(), is_named && whole["properties"].is_null()) {
            (true, _) => format!("[[{name}]]"),
            (_, true) => format!("[{name}.NAME]"),
            _ => format!("[{name}]"),
        };
        write!(page, "## `{heading}`\n\n{}\n\n", description(schema)).unwrap();
        match &**name {
            "limits" => limits(&mut page),
            "strategy" => {
                let declared = builtin();
                let declared = declared.profiles().filter(|strategy| !strategy.settings.is_empty());
                declared.for_each(|strategy| settings(&mut page, strategy));
            }
            _ if of_list.is_object() => keys(&mut page, root, name, of_list),
            _ => {
                keys(&mut page, root, name, whole);
                let of_one = format!("{name}.NAME");
                if is_named && whole["properties"].is_object() {
                    write!(page, "### `[{of_one}]`\n\n{}\n\n", description(of_name)).unwrap();
                }
                keys(&mut page, root, &of_one, of_name);
            }
        }
    }
    page.truncate(page.trim_end().len());
    page + "\n"
}

/// Run with `UPDATE_REFERENCE=1` to write it again, once the schema is current.
#[test]
fn w4_the_reference_is_made_from_the_schema() {
    let schema = fs::read_to_string(Path::new(ROOT).join("docs/disclosure.schema.json")).unwrap();
    let page = rendered(&serde_json::from_str(&schema).unwrap());
    let file = Path::new(ROOT).join("docs/reference.md");
    if std::env::var_os("UPDATE_REFERENCE").is_some() {
        fs::write(&file, &page).unwrap();
    }
    let written = fs::read_to_string(&file).unwrap_or_default();
    assert!(written == page, "docs/reference.md is old: run this test with UPDATE_REFERENCE=1");
}
