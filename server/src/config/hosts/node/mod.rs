//! A file in any syntax as a tree of values with their places.

mod json;
mod toml;
mod yaml;

use std::path::Path;

/// A value and its byte offset in the text.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) at: usize,
    pub(super) value: Value,
}

/// A value of JSON, TOML or YAML.
#[derive(Clone, Debug)]
pub(super) enum Value {
    Null,
    Bool(bool),
    /// As it is written.
    Number(String),
    Text(String),
    List(Vec<Node>),
    /// Names may repeat, since JSON and YAML parsers allow it.
    Table(Vec<Member>),
    /// A reference to another part of the text. It is not followed, since expansion can be exponential.
    Alias,
}

/// A member of a table.
#[derive(Clone, Debug)]
pub(super) struct Member {
    pub(super) name: String,
    /// The byte offset of the name.
    pub(super) at: usize,
    pub(super) node: Node,
}

/// A syntax error and its byte offset.
#[derive(Debug)]
pub(super) struct SyntaxError {
    pub(super) at: usize,
    pub(super) message: String,
}

/// Parses a text in the syntax of the file's extension; JSON with comments by default.
pub(super) fn parse(path: &Path, text: &str) -> Result<Node, SyntaxError> {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("toml") => toml::parse(text),
        Some("yaml" | "yml") => yaml::parse(text),
        _ => json::parse(text),
    }
}

impl Node {
    /// The last member with this name, as in hosts; null counts as absent.
    pub(super) fn get(&self, name: &str) -> Option<&Self> {
        let found = self.members().iter().rev().find(|member| member.name == name);
        found.map(|member| &member.node).filter(|node| !matches!(node.value, Value::Null))
    }

    /// The value at a path of names.
    pub(super) fn path(&self, names: &[&str]) -> Option<&Self> {
        names.iter().try_fold(self, |node, name| node.get(name))
    }

    /// The members of a table; empty for other values.
    pub(super) fn members(&self) -> &[Member] {
        match &self.value {
            Value::Table(members) => members,
            _ => &[],
        }
    }

    /// The items of a list; empty for other values.
    pub(super) fn items(&self) -> &[Self] {
        match &self.value {
            Value::List(items) => items,
            _ => &[],
        }
    }

    pub(super) fn is_table(&self) -> bool {
        matches!(self.value, Value::Table(_))
    }

    pub(super) fn is_list(&self) -> bool {
        matches!(self.value, Value::List(_))
    }

    pub(super) fn as_bool(&self) -> Option<bool> {
        match self.value {
            Value::Bool(value) => Some(value),
            _ => None,
        }
    }

    pub(super) fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// A text, number or boolean as text.
    pub(super) fn scalar(&self) -> Option<String> {
        match &self.value {
            Value::Text(text) | Value::Number(text) => Some(text.clone()),
            Value::Bool(value) => Some(value.to_string()),
            _ => None,
        }
    }

    /// Whether this is the text, or a list that contains it.
    pub(super) fn lists(&self, text: &str) -> bool {
        self.items().iter().chain([self]).any(|item| item.text() == Some(text))
    }

    /// The kind of value, for messages.
    pub(super) fn kind(&self) -> &'static str {
        match self.value {
            Value::Null => "null",
            Value::Bool(_) => "a boolean",
            Value::Number(_) => "a number",
            Value::Text(_) => "a string",
            Value::List(_) => "a list",
            Value::Table(_) => "an object",
            Value::Alias => "an alias",
        }
    }
}
