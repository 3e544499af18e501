//! Reads the keys of a server's entry, according to the meanings that its shape declares.

use std::collections::BTreeMap;

use super::{
    Entry, Keys, Means, OF_TABLE, Reading, Transport,
    node::{Node, Value},
    translate, variable, with_home,
};
use crate::config::{Wrong, escape, expand};

/// The entry, and every problem with its keys.
pub(crate) fn read_keys(node: &Node, file: Reading<'_>) -> (Entry, Vec<Wrong>) {
    let mut reader = Reader { file, entry: Entry::default(), wrong: Vec::new() };
    reader.table(file.shape.keys, node);
    (reader.entry, reader.wrong)
}

/// Reads one entry, key by key, in the order of its shape: the entry's own variables come before those that they override.
struct Reader<'a> {
    file: Reading<'a>,
    entry: Entry,
    wrong: Vec<Wrong>,
}

impl Reader<'_> {
    fn table(&mut self, keys: Keys, node: &Node) {
        for (key, means) in keys {
            if let Some(value) = node.get(key) {
                self.key(key, *means, value);
            }
        }
        if node.member("<<").is_some() {
            self.refuse("<<", node, "merges another part of the file", "write its keys here");
        }
    }

    fn key(&mut self, key: &'static str, means: Means, node: &Node) {
        match means {
            Means::Command => self.command(key, node),
            Means::Arguments => self.entry.upstream.args = self.list(key, node),
            Means::Environment => self.entry.upstream.env = self.map(key, node),
            Means::EnvironmentFile => self.environment_file(key, node),
            Means::Inherited => self.inherited(key, node),
            Means::Directory => self.entry.upstream.cwd = self.path(key, node),
            Means::Address => self.entry.upstream.url = self.text(key, node),
            Means::HttpAddress => {
                self.entry.upstream.url = self.text(key, node);
                self.entry.transport = Some(Transport::Http);
            }
            Means::Headers => {
                let headers = self.map(key, node);
                self.entry.upstream.headers.extend(headers);
            }
            Means::HeadersFromVariables => self.headers_from_variables(key, node),
            Means::Bearer => {
                let token = self.text(key, node);
                self.bearer(token);
            }
            Means::BearerFromVariable => {
                let token = self.plain(key, node).map(|name| variable(&name));
                self.bearer(token);
            }
            Means::Transport => self.transport(key, node),
            Means::Switch(off) => self.switch(key, node, off),
            Means::Hidden => {
                let tools = self.tools(key, node);
                self.entry.upstream.hidden.extend(tools);
            }
            Means::Allowed => self.entry.upstream.allow = Some(self.tools(key, node)),
            Means::Parts(keys) => {
                if node.is_table() {
                    self.table(keys, node);
                } else {
                    self.refuse_kind(key, node, "an object");
                }
            }
            Means::Foreign(hint) => self.refuse(key, node, "can be resolved by the host only", hint),
        }
    }

    fn command(&mut self, key: &str, node: &Node) {
        match &node.value {
            Value::List(_) => {
                let mut words = self.list(key, node).into_iter();
                self.entry.upstream.command = words.next();
                self.entry.upstream.args = words.collect();
            }
            Value::Table(_) => self.table(OF_TABLE, node),
            _ => self.entry.upstream.command = self.path(key, node),
        }
    }

    fn environment_file(&mut self, key: &str, node: &Node) {
        let Some(path) = self.path(key, node) else { return };
        let read = expand(&path, self.file.context.lookup).and_then(|path| {
            // The path is not named: it may contain secret values of variables.
            std::fs::read_to_string(self.file.context.folder().join(path)).map_err(|error| error.to_string())
        });
        match read {
            Ok(text) => {
                // Of several with one name, the last one counts.
                for (name, value) in assignments(text.trim_start_matches('\u{feff}')).into_iter().rev() {
                    self.entry.upstream.env.entry(name).or_insert_with(|| escape(&value));
                }
            }
            Err(what) => self.refuse(key, node, &what, "the file must be readable, in UTF-8"),
        }
    }

    /// Variables that the program inherits if they are set.
    fn inherited(&mut self, key: &str, node: &Node) {
        if !node.is_list() {
            return self.refuse_kind(key, node, "a list of names");
        }
        for item in node.items() {
            let name = item.text().or_else(|| item.get("name")?.text());
            match name {
                Some(name) if (self.file.context.lookup)(name).is_some() => {
                    self.entry.upstream.env.entry(name.to_owned()).or_insert_with(|| variable(name));
                }
                Some(_) => {}
                None => self.refuse_kind(key, item, "the name of a variable"),
            }
        }
    }

    /// Headers from those variables that are set.
    fn headers_from_variables(&mut self, key: &str, node: &Node) {
        if !node.is_table() {
            return self.refuse_kind(key, node, "an object");
        }
        for member in node.members() {
            match member.node.text() {
                Some(name) if (self.file.context.lookup)(name).is_some_and(|value| !value.is_empty()) => {
                    self.entry.upstream.headers.insert(member.name.clone(), variable(name));
                }
                Some(_) => {}
                None => self.refuse_kind(key, &member.node, "the name of a variable"),
            }
        }
    }

    fn bearer(&mut self, token: Option<String>) {
        if let Some(token) = token {
            self.entry.upstream.headers.insert("Authorization".to_owned(), format!("Bearer {token}"));
        }
    }

    fn transport(&mut self, key: &str, node: &Node) {
        let transport = match node.text() {
            Some("stdio" | "local") => Transport::Stdio,
            Some("http" | "streamable-http" | "streamableHttp" | "streamable_http" | "remote") => {
                Transport::Http
            }
            Some("sse") => Transport::Sse,
            // Zed's value for an entry with its own command or URL.
            Some("custom") => return,
            Some("extension") => {
                let what = "is started by an extension of the host";
                return self.refuse(key, node, what, "give its command or url");
            }
            Some(other) => {
                let what = format!("unknown transport '{other}'");
                return self.refuse(key, node, &what, "expected stdio, http, streamable-http or sse");
            }
            None => return self.refuse_kind(key, node, "a string"),
        };
        self.entry.transport.get_or_insert(transport);
    }

    /// A switch, which must be a boolean: guessing could enable what the host disabled.
    fn switch(&mut self, key: &'static str, node: &Node, off: bool) {
        match node.as_bool() {
            Some(value) if value == off => self.entry.ruling.off = Some(key),
            Some(_) => {}
            None => self.refuse_kind(key, node, "true or false"),
        }
    }

    /// Names of tools. Some hosts allow arguments in parentheses after a name.
    fn tools(&mut self, key: &str, node: &Node) -> Vec<String> {
        let names = self.each(key, node, Self::plain);
        names.into_iter().map(|name| name.split('(').next().unwrap_or_default().to_owned()).collect()
    }

    fn list(&mut self, key: &str, node: &Node) -> Vec<String> {
        self.each(key, node, Self::path)
    }

    fn each(
        &mut self,
        key: &str,
        node: &Node,
        read: impl Fn(&mut Self, &str, &Node) -> Option<String>,
    ) -> Vec<String> {
        if !node.is_list() {
            self.refuse_kind(key, node, "a list of strings");
        }
        node.items().iter().filter_map(|item| read(self, key, item)).collect()
    }

    fn map(&mut self, key: &str, node: &Node) -> BTreeMap<String, String> {
        if !node.is_table() {
            self.refuse_kind(key, node, "an object");
        }
        let members = node.members().iter().filter(|member| !matches!(member.node.value, Value::Null));
        let read = members.filter_map(|member| {
            Some((member.name.clone(), self.text(&format!("{key}.{}", member.name), &member.node)?))
        });
        read.collect()
    }

    /// A text with variables, in which a leading `~` is the home directory.
    fn path(&mut self, key: &str, node: &Node) -> Option<String> {
        self.text(key, node).map(|text| with_home(text, self.file.context))
    }

    /// A text with variables.
    fn text(&mut self, key: &str, node: &Node) -> Option<String> {
        let text = self.plain(key, node)?;
        match translate(&text, self.file) {
            Ok(text) => Some(text),
            Err((what, hint)) => {
                self.refuse(key, node, &what, &hint);
                None
            }
        }
    }

    /// A string without substitution; numbers and booleans are converted.
    fn plain(&mut self, key: &str, node: &Node) -> Option<String> {
        let text = node.scalar();
        if text.is_none() {
            self.refuse_kind(key, node, "a string");
        }
        text
    }

    fn refuse_kind(&mut self, key: &str, node: &Node, expected: &str) {
        self.refuse(key, node, &format!("is {}", node.kind()), &format!("expected {expected}"));
    }

    fn refuse(&mut self, key: &str, node: &Node, what: &str, hint: &str) {
        let wrong = Wrong::of(key, format!("{key}: {what}"), hint);
        self.wrong.push(Wrong { at: Some(node.at), ..wrong });
    }
}

/// The variables of a file such as `.env`, in its order. Lines other than assignments are ignored, as by hosts.
fn assignments(text: &str) -> Vec<(String, String)> {
    text.lines().filter_map(assignment).collect()
}

fn assignment(line: &str) -> Option<(String, String)> {
    let line = line.trim();
    let line = line.strip_prefix("export ").unwrap_or(line);
    let (name, value) = line.split_once('=')?;
    let name = name.trim();
    (!name.is_empty() && !name.starts_with('#')).then(|| (name.to_owned(), unquoted(value.trim())))
}

fn unquoted(value: &str) -> String {
    let quoted = |quote: char| value.strip_prefix(quote)?.split_once(quote).map(|(inside, _)| inside);
    if let Some(literal) = quoted('\'') {
        return literal.to_owned();
    }
    if let Some(text) = quoted('"') {
        return text.replace("\\n", "\n");
    }
    value.split(" #").next().unwrap_or_default().trim_end().to_owned()
}
