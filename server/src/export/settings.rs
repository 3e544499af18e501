//! The text of a `disclosure.toml` that says what a source declares.

use mcp_disclosure_core::RawObject;
use serde::Serialize;
use serde_json::json;
use toml::ser::Error;

use super::{Folder, Origins, merge::Block};
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

/// The tables of a file, each under its whole name.
struct Text(Vec<Block>);

/// The whole file. `has_files` is whether there are description files beside it.
pub(super) fn blocks(origins: &Origins<'_>, has_files: bool) -> Result<Vec<Block>, Error> {
    let mut text = Text(Vec::new());
    // No file can say what the program has of its own.
    let is_own = origins.upstreams.iter().any(|(_, entry)| entry.is_none());
    let demonstration = if is_own { format!("\n{DEMONSTRATION}demo = true\n") } else { String::new() };
    let descriptions = if has_files { DESCRIPTIONS } else { "" };
    text.push(&[], format!("{HEAD}{descriptions}{demonstration}"));
    let about = &origins.declared.about;
    let said = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
    let server = Server {
        name: said(&about.name),
        version: said(&about.version),
        description: said(&about.description),
        facts: serde_json::from_str(about.facts.text()).unwrap_or_default(),
    };
    text.table("", &["server"], &server)?;
    text.upstreams(origins)?;
    text.categories(origins)?;
    for concern in &about.concerns {
        text.item("concerns", concern.name(), &declaration(concern))?;
    }
    // Its text is there already, but for what a folder's own configuration lacks: of that, tables by name are added.
    if let Some(config) = origins.config {
        for (kind, table) in [("resources", &config.resources.rules), ("prompts", &config.prompts)] {
            for (name, _, said) in &table.0 {
                text.table("", &[kind, name], said)?;
            }
        }
        for (name, settings) in &config.strategy {
            text.table("", &["strategy", name], settings)?;
        }
        for (name, _, said) in &config.tools.0 {
            // What a folder hides by a pattern, a name must not bring back.
            let hidden = said.hidden.filter(|hidden| *hidden);
            text.table("", &["tools", name], &Tool { hidden, ..said.clone() })?;
        }
    }
    Ok(text.0)
}

impl Text {
    fn upstreams(&mut self, origins: &Origins<'_>) -> Result<(), Error> {
        let mut comment = heading(origins, UPSTREAMS);
        for (name, entry) in &origins.upstreams {
            if let Some(entry) = entry {
                // Its variables are not filled, so there is nothing to escape.
                self.unescaped(std::mem::take(&mut comment), &["upstreams", name], &value(entry)?);
            }
        }
        Ok(())
    }

    fn categories(&mut self, origins: &Origins<'_>) -> Result<(), Error> {
        let mut comment = heading(origins, CATEGORIES);
        let declared = &origins.declared.about.categories;
        for category in declared {
            let concerns = origins.declared.rules.grouped.get(&category.name).map(RawObject::text);
            let said = Category {
                description: category.description.clone(),
                tools: patterns(origins, &category.name),
                concerns: concerns.and_then(|text| serde_json::from_str(text).ok()),
            };
            self.table(std::mem::take(&mut comment), &["categories", &category.name], &said)?;
        }
        Ok(())
    }

    /// A table, unless there is nothing in it.
    fn table(
        &mut self,
        comment: &str,
        path: &[&str],
        said: &(impl Serialize + Default),
    ) -> Result<(), Error> {
        let mut value = value(said)?;
        escape_all(&mut value);
        self.unescaped(comment, path, &value);
        Ok(())
    }

    fn unescaped(&mut self, comment: &str, path: &[&str], said: &toml::Value) {
        if said.as_table().is_some_and(toml::Table::is_empty) {
            return;
        }
        let nested = path.iter().rev().fold(said.clone(), |inner, name| {
            toml::Value::Table(toml::Table::from_iter([((*name).to_owned(), inner)]))
        });
        self.append(comment, path, &nested);
    }

    /// One of an array of tables.
    fn item(&mut self, list: &str, name: &str, said: &(impl Serialize + Default)) -> Result<(), Error> {
        let mut value = value(said)?;
        escape_all(&mut value);
        let items = toml::Value::Array(vec![value]);
        let nested = toml::Value::Table(toml::Table::from_iter([(list.to_owned(), items)]));
        self.append("", &[list, name], &nested);
        Ok(())
    }

    fn append(&mut self, comment: &str, path: &[&str], value: &toml::Value) {
        // A value serializes as what it is.
        let text = toml::to_string_pretty(value).unwrap_or_default();
        self.push(path, format!("\n{comment}{text}"));
    }

    fn push(&mut self, path: &[&str], text: String) {
        let table = path.first().copied().unwrap_or_default().to_owned();
        self.0.push(Block { table, name: path.get(1).map(|name| (*name).to_owned()), text });
    }
}

/// A comment for people, which a file that is there already does not get.
fn heading(origins: &Origins<'_>, comment: &'static str) -> &'static str {
    if origins.folder.and_then(Folder::config).is_some() { "" } else { comment }
}

/// The names and patterns that the source's configuration sorts into a category.
fn patterns(origins: &Origins<'_>, category: &str) -> Vec<String> {
    let mut sections = origins.config.iter().flat_map(|config| &config.categories.0);
    sections.find(|(name, _, _)| name == category).map(|(_, _, said)| said.tools.clone()).unwrap_or_default()
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
