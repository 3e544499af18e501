//! The text of a `disclosure.toml` that says what a source declares.

use mcp_disclosure_core::RawObject;
use serde::Serialize;
use serde_json::json;
use toml::ser::Error;

use super::{Origins, merge::Block};
use crate::config::{Category, Concern, Server, Tool, escape_all};

const HEAD: &str = "\
# Written by mcp-disclosure export. Serve it with: mcp-disclosure serve --config disclosure.toml
# Every key is described in docs/reference.md, and in docs/disclosure.schema.json for editors.
# What you write here stays: a further export into this folder adds what is new and reports what changed.
#
# What you do not decide comes from the servers. A tool is decided on in a section of its own:
#
# [tools.\"UPSTREAM/TOOL\"]
# brief = \"What it does, for lists\"   # or category, concerns, hidden = true

";

const DESCRIPTIONS: &str = "\
# Description files (NAME.json) beside this file, laid over what the upstreams say of their tools.
tool_descriptions = \".\"
";

const UPSTREAMS: &str = "\
# The servers whose tools are served. ${VAR} takes from the environment.
";

const DEMONSTRATION: &str = "\
# The embedded demonstration is served. For servers of your own, remove this key, and add a table for each:
#
# [upstreams.files]
# command = \"npx\"
# args = [\"-y\", \"@modelcontextprotocol/server-filesystem\", \"/data\"]
";

const CATEGORIES: &str = "\
# What `info` sorts tools into. Say in each description what a model would look here for. Names may be patterns: * is any
# text, ? any one character.
";

/// The whole file. `has_files` is whether there are description files beside it.
pub(super) fn blocks(origins: &Origins<'_>, has_files: bool) -> Result<Vec<Block>, Error> {
    // No file can say what the program has of its own.
    let is_own = origins.upstreams.iter().any(|(_, entry)| entry.is_none());
    let demonstration = if is_own { format!("\n{DEMONSTRATION}demo = true\n") } else { String::new() };
    let descriptions = if has_files { DESCRIPTIONS } else { "" };
    let head = format!("{HEAD}{descriptions}{demonstration}");
    let mut blocks = vec![Block { table: String::new(), name: None, text: head }];
    let about = &origins.declared.about;
    let said = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
    let server = Server {
        name: said(&about.name),
        version: said(&about.version),
        description: said(&about.description),
        facts: serde_json::from_str(about.facts.text()).unwrap_or_default(),
    };
    blocks.extend(table("", &["server"], escaped(&server)?));
    let mut comment = heading(origins, UPSTREAMS);
    for (name, entry) in &origins.upstreams {
        if let Some(entry) = entry {
            // Its variables are not filled, so there is nothing to escape.
            blocks.extend(table(std::mem::take(&mut comment), &["upstreams", name], value(entry)?));
        }
    }
    let mut comment = heading(origins, CATEGORIES);
    for category in &about.categories {
        let concerns = origins.declared.rules.grouped.get(&category.name).map(RawObject::text);
        let said = Category {
            description: category.description.clone(),
            tools: patterns(origins, &category.name),
            concerns: concerns.and_then(|text| serde_json::from_str(text).ok()),
        };
        let path = ["categories", category.name.as_str()];
        blocks.extend(table(std::mem::take(&mut comment), &path, escaped(&said)?));
    }
    for concern in &about.concerns {
        let items = toml::Value::Array(vec![escaped(&declaration(concern))?]);
        blocks.push(block("", &["concerns", concern.name()], &within(&["concerns"], items)));
    }
    // Its text is there already, but for what a folder's own configuration lacks: of that, tables by name are added.
    if let Some(config) = origins.config {
        for (kind, rules) in [("resources", &config.resources.rules), ("prompts", &config.prompts)] {
            for (name, _, said) in &rules.0 {
                blocks.extend(table("", &[kind, name], escaped(said)?));
            }
        }
        for (name, settings) in &config.strategy {
            blocks.extend(table("", &["strategy", name], escaped(settings)?));
        }
        for (name, _, said) in &config.tools.0 {
            // What a folder hides by a pattern, a name must not bring back.
            let hidden = said.hidden.filter(|hidden| *hidden);
            blocks.extend(table("", &["tools", name], escaped(&Tool { hidden, ..said.clone() })?));
        }
    }
    Ok(blocks)
}

/// A table, unless there is nothing in it.
fn table(comment: &str, path: &[&str], said: toml::Value) -> Option<Block> {
    let is_empty = said.as_table().is_some_and(toml::Table::is_empty);
    (!is_empty).then(|| block(comment, path, &within(path, said)))
}

fn block(comment: &str, path: &[&str], value: &toml::Value) -> Block {
    // A value serializes as what it is.
    let text = toml::to_string_pretty(value).unwrap_or_default();
    let name = path.get(1).map(|name| (*name).to_owned());
    Block { table: path[0].to_owned(), name, text: format!("\n{comment}{text}") }
}

/// A value at a path of keys.
fn within(path: &[&str], value: toml::Value) -> toml::Value {
    path.iter().rev().fold(value, |inner, name| toml::Table::from_iter([((*name).to_owned(), inner)]).into())
}

/// A comment for people, which a file that is there already does not get.
fn heading(origins: &Origins<'_>, comment: &'static str) -> &'static str {
    if origins.folder.config().is_some() { "" } else { comment }
}

/// The names and patterns that the source's configuration sorts into a category.
fn patterns(origins: &Origins<'_>, category: &str) -> Vec<String> {
    let mut sections = origins.config.iter().flat_map(|config| &config.categories.0);
    sections.find(|(name, _, _)| name == category).map(|(_, _, said)| said.tools.clone()).unwrap_or_default()
}

/// What is said beyond the defaults, whose dollars begin no variables.
fn escaped(said: &(impl Serialize + Default)) -> Result<toml::Value, Error> {
    let mut value = value(said)?;
    escape_all(&mut value);
    Ok(value)
}

/// What is said beyond the defaults.
fn value<T: Serialize + Default>(said: &T) -> Result<toml::Value, Error> {
    let mut value = toml::Value::try_from(said)?;
    let usual = toml::Value::try_from(T::default()).ok();
    if let (Some(said), Some(usual)) = (value.as_table_mut(), usual.as_ref().and_then(toml::Value::as_table))
    {
        said.retain(|key, value| usual.get(key) != Some(value));
    }
    Ok(value)
}

fn declaration(concern: &mcp_disclosure_core::Concern) -> Concern {
    Concern {
        name: concern.name().to_owned(),
        description: concern.description().to_owned(),
        values: serde_json::from_value(json!(concern.values())).ok(),
        default: concern.default().cloned(),
    }
}
