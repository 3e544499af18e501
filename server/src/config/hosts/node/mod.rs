//! A file in any syntax as a tree of values with their places.

mod json;
mod toml;
mod yaml;

use std::path::Path;

/// A value and its place in the text.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    /// The byte offset of its beginning.
    pub(crate) at: usize,
    /// The byte offset behind it; in TOML and for blocks of YAML only that of a scalar or of a value in brackets is exact.
    pub(crate) end: usize,
    /// Whether other parts of the text may stand for it: an anchor of YAML.
    pub(crate) is_anchor: bool,
    pub(crate) value: Value,
}

/// A value of JSON, TOML or YAML.
#[derive(Clone, Debug)]
pub(crate) enum Value {
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
pub(crate) struct Member {
    pub(crate) name: String,
    /// The byte offset of the name.
    pub(crate) at: usize,
    /// The byte offset behind the name.
    pub(crate) name_end: usize,
    pub(crate) node: Node,
}

/// A syntax error and its byte offset.
#[derive(Debug)]
pub(crate) struct SyntaxError {
    pub(crate) at: usize,
    pub(crate) message: String,
}

/// The syntax of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Syntax {
    Json,
    Toml,
    Yaml,
}

impl Syntax {
    /// By the file's extension; JSON with comments by default.
    pub(crate) fn of(path: &Path) -> Self {
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("toml") => Self::Toml,
            Some("yaml" | "yml") => Self::Yaml,
            _ => Self::Json,
        }
    }
}

/// Parses the text of the file with this path.
pub(crate) fn parse(path: &Path, text: &str) -> Result<Node, SyntaxError> {
    match Syntax::of(path) {
        Syntax::Toml => toml::parse(text),
        Syntax::Yaml => yaml::parse(text),
        Syntax::Json => json::parse(text),
    }
}

impl Node {
    pub(super) fn new(at: usize, end: usize, value: Value) -> Self {
        Self { at, end, is_anchor: false, value }
    }

    /// The last member with this name, as in hosts; null counts as absent.
    pub(crate) fn member(&self, name: &str) -> Option<&Member> {
        let found = self.members().iter().rev().find(|member| member.name == name);
        found.filter(|member| !matches!(member.node.value, Value::Null))
    }

    /// The value of that member.
    pub(crate) fn get(&self, name: &str) -> Option<&Self> {
        self.member(name).map(|member| &member.node)
    }

    /// The value at a path of names.
    pub(crate) fn path(&self, names: &[&str]) -> Option<&Self> {
        names.iter().try_fold(self, |node, name| node.get(name))
    }

    /// The members of a table; empty for other values.
    pub(crate) fn members(&self) -> &[Member] {
        match &self.value {
            Value::Table(members) => members,
            _ => &[],
        }
    }

    /// The members of the table at a path of names.
    pub(crate) fn members_at(&self, names: &[&str]) -> &[Member] {
        self.path(names).map_or(&[], Self::members)
    }

    /// The items of a list; empty for other values.
    pub(crate) fn items(&self) -> &[Self] {
        match &self.value {
            Value::List(items) => items,
            _ => &[],
        }
    }

    pub(crate) fn is_table(&self) -> bool {
        matches!(self.value, Value::Table(_))
    }

    pub(crate) fn is_list(&self) -> bool {
        matches!(self.value, Value::List(_))
    }

    pub(crate) fn as_bool(&self) -> Option<bool> {
        match self.value {
            Value::Bool(value) => Some(value),
            _ => None,
        }
    }

    pub(crate) fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The values of a table or a list.
    pub(crate) fn parts(&self) -> impl Iterator<Item = &Self> {
        self.members().iter().map(|member| &member.node).chain(self.items())
    }

    /// Whether anything in it stands for something elsewhere in the file.
    pub(crate) fn has_alias(&self) -> bool {
        matches!(self.value, Value::Alias) || self.parts().any(Self::has_alias)
    }

    /// Whether other parts of the text may stand for this value in it, for a part of that, or for what has it.
    pub(crate) fn shares(&self, value: &Self) -> bool {
        if std::ptr::eq(self, value) {
            return self.has_anchor();
        }
        self.parts().any(|part| if self.is_anchor { part.has(value) } else { part.shares(value) })
    }

    fn has_anchor(&self) -> bool {
        self.is_anchor || self.parts().any(Self::has_anchor)
    }

    fn has(&self, value: &Self) -> bool {
        std::ptr::eq(self, value) || self.parts().any(|part| part.has(value))
    }

    /// A text, number or boolean as text.
    pub(crate) fn scalar(&self) -> Option<String> {
        match &self.value {
            Value::Text(text) | Value::Number(text) => Some(text.clone()),
            Value::Bool(value) => Some(value.to_string()),
            _ => None,
        }
    }

    /// Whether this is the text, or a list that contains it.
    pub(crate) fn lists(&self, text: &str) -> bool {
        self.items().iter().chain([self]).any(|item| item.text() == Some(text))
    }

    /// The kind of value, for messages.
    pub(crate) fn kind(&self) -> &'static str {
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
