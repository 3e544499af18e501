//! The configuration files of MCP hosts, read as those hosts read them.
//!
//! A file in JSON with comments, TOML or YAML is parsed into a tree with places (`node`). Its shape (`shape`) defines where
//! the servers are and what the keys of an entry mean; each of them is a table (`shapes`). Every shape is converted
//! to an `Entry` with the variables of `disclosure.toml` (`variables`). An unusable entry is left out with a warning; the
//! others are served.

mod document;
mod entry;
mod keys;
mod launch;
mod mcp_servers;
pub(crate) mod node;
mod permissions;
mod shape;
mod shapes;
mod variables;

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
};

use mcp_disclosure_core::{Pattern, Switches, UpstreamName};
use mcp_disclosure_gateway::Problem;
use toml::de::DeTable;

use self::node::{Member, Node};
use super::{CONFIGURATION, Named, Places, UPSTREAMS, Wrong, own};

pub(crate) use document::{Document, Server};
pub(crate) use entry::{Entry, Transport};
pub(crate) use keys::read_keys;
pub(crate) use launch::{ARGUMENTS, Launch, OF_TABLE};
pub(crate) use mcp_servers::{KEYS, is_of_gemini};
pub(crate) use permissions::{Ruling, alternatives, is_all, is_of_any, of_rule, of_tools, plain};
pub(crate) use shape::{FileContext, HOME, Keys, Means, Reading, Shape, Style};
pub(crate) use shapes::SHAPES;
pub(crate) use variables::{translate, variable, with_home};

/// The hint where a file names no server.
pub(crate) const EXPECTED: &str =
    "expected servers under mcpServers, servers, context_servers, mcp or mcp_servers";

/// The servers of a host's file, or of all files and flags.
#[derive(Clone, Debug, Default)]
pub struct Servers {
    /// The usable servers.
    pub upstreams: Vec<Named>,
    /// The allowed and hidden tools of those servers that have such lists.
    pub switches: Vec<Switches>,
    /// Servers of hosts' files that cannot be used, and what to do about that.
    pub left_out: Vec<Problem>,
    /// Those that the host disables, with the key that does.
    pub switched_off: Vec<Problem>,
}

/// Reads the text of a host's file with this path.
///
/// # Errors
/// If the file as a whole cannot be read.
pub fn read_hosts(path: &Path, text: &str) -> Result<Servers, Problem> {
    read_as(path, text, &std::env::current_dir().unwrap_or_default())
}

/// Reads this text as a host's file of this path, for a host that is started in `current`.
///
/// # Errors
/// If the file as a whole cannot be read.
pub(crate) fn read_as(path: &Path, text: &str, current: &Path) -> Result<Servers, Problem> {
    parse(path, text, &FileContext::new(path, current.to_owned(), &own))
}

fn parse(path: &Path, text: &str, context: &FileContext<'_>) -> Result<Servers, Problem> {
    let text = text.trim_start_matches('\u{feff}');
    let root = tree(path, text)?;
    let places = Places::of(path.display().to_string(), text);
    let mut reader = Reader { root: &root, context, places, taken: HashSet::new(), file: Servers::default() };
    let tables = tables(&root, context);
    if tables.is_empty() {
        return Err(without_servers(path, text));
    }
    tables.iter().for_each(|(shape, servers, _)| reader.servers(shape, servers));
    Ok(reader.file)
}

/// The shape of a file, and a table or list of servers in it with its path.
type Table<'n> = (&'static Shape, &'n Node, Vec<&'n str>);

/// The tables and lists of servers, in the order of precedence.
fn tables<'n>(root: &'n Node, context: &FileContext<'_>) -> Vec<Table<'n>> {
    let of_shape = |shape: &'static Shape| {
        let paths = (shape.servers)(root, context).into_iter();
        paths.filter_map(move |path| Some((shape, root.path(&path)?, path)))
    };
    SHAPES.iter().flat_map(of_shape).collect()
}

/// The problem with a file that names no server.
fn without_servers(path: &Path, text: &str) -> Problem {
    let shown = path.display();
    let problem = Problem::new(format!("{shown}: no MCP servers found"));
    let has_upstreams = || DeTable::parse(text).is_ok_and(|top| top.get_ref().contains_key(UPSTREAMS));
    match path.ends_with(CONFIGURATION) || has_upstreams() {
        true => problem.hint(format!("this is a {CONFIGURATION}: --config {shown}")),
        false => problem.hint(EXPECTED),
    }
}

/// Whether a text is a host's file that names servers.
pub(super) fn names_servers(path: &Path, text: &str) -> bool {
    let context = FileContext::new(path, PathBuf::new(), &own);
    let root = node::parse(path, text.trim_start_matches('\u{feff}'));
    root.is_ok_and(|root| !tables(&root, &context).is_empty())
}

/// Parses a text without a byte order mark.
///
/// # Errors
/// A syntax error, with its place and a hint.
fn tree(path: &Path, text: &str) -> Result<Node, Problem> {
    node::parse(path, text).map_err(|error| {
        let hint = "the file must be JSON (comments are allowed), or TOML or YAML by its extension";
        let place = Places::of(path.display().to_string(), text).place(error.at);
        Problem::new(error.message).at(place).hint(hint)
    })
}

/// An entry of a table or list of servers.
struct Listed<'n> {
    /// Its name; in a list, its number where it has none.
    name: String,
    /// Its key; `None` in a list.
    key: Option<&'n Member>,
    node: &'n Node,
    /// Why it is none: a later one has its name, or it has no name.
    wrong: Option<Wrong>,
}

fn listed(servers: &Node) -> impl Iterator<Item = Listed<'_>> {
    let members = servers.members();
    let named = members.iter().enumerate().map(|(at, member)| {
        let is_replaced = members[at + 1..].iter().any(|later| later.name == member.name);
        let wrong = is_replaced.then(|| Wrong::new("duplicate name", "give one of the entries another name"));
        Listed { name: member.name.clone(), key: Some(member), node: &member.node, wrong }
    });
    let items = servers.items().iter().enumerate().map(|(at, node)| {
        // An entry that uses a hub's definition has no name of its own.
        let name = node.get("name").or_else(|| node.get("uses")).and_then(Node::text);
        let wrong = name.is_none().then(|| Wrong::new("it has no name", "add a unique name"));
        Listed {
            name: name.map_or_else(|| format!("number {}", at + 1), str::to_owned),
            key: None,
            node,
            wrong,
        }
    });
    named.chain(items)
}

struct Reader<'a> {
    root: &'a Node,
    context: &'a FileContext<'a>,
    places: Places<'a>,
    /// The names of entries with higher precedence.
    taken: HashSet<String>,
    file: Servers,
}

impl Reader<'_> {
    fn servers(&mut self, shape: &Shape, servers: &Node) {
        if !(servers.is_table() || servers.is_list()) {
            let what = format!("they are {}", servers.kind());
            let wrong = Wrong::new(what, "expected an object of servers by name");
            self.leave_out(&format!("all of {}", shape.hosts), servers.at, [wrong]);
        }
        for Listed { name, key, node, wrong } in listed(servers) {
            let at = key.map_or(node.at, |key| key.at);
            match wrong {
                Some(wrong) => self.leave_out(&name, at, [wrong]),
                None => self.server(shape, &name, at, node),
            }
        }
    }

    fn server(&mut self, shape: &Shape, name: &str, at: usize, node: &Node) {
        if !self.taken.insert(name.to_owned()) {
            let hint = "to serve both, give one of them another name";
            let wrong = Wrong::new("an entry with higher precedence has this name", hint);
            return self.leave_out(name, at, [wrong]);
        }
        if !node.is_table() {
            let hint = "write an object such as {\"command\": \"…\"} or {\"url\": \"https://…\"}";
            return self.leave_out(name, at, [Wrong::new(format!("it is {}", node.kind()), hint)]);
        }
        let reading = Reading { shape, root: self.root, context: self.context };
        let (mut entry, wrong) = Entry::read(name, node, reading);
        let of_any: Vec<Pattern> =
            std::mem::take(&mut entry.ruling.of_any).iter().map(|text| Pattern::new(text)).collect();
        if let Some(off) = entry.ruling.off {
            let problem = Problem::new(format!("server '{name}' is switched off: {off}"));
            return self.file.switched_off.push(problem.at(self.places.place(at)));
        }
        match if wrong.is_empty() { self.named(name, entry) } else { Err(wrong) } {
            Ok(named) => {
                let place = format!("{}: server '{name}'", self.places.place(at));
                let switches = named.entry.as_ref().and_then(|entry| entry.switches(name, place));
                self.file.switches.extend(switches.map(|switches| Switches { of_any, ..switches }));
                self.file.upstreams.push(named);
            }
            Err(wrong) => self.leave_out(name, at, wrong),
        }
    }

    fn named(&self, name: &str, entry: Entry) -> Result<Named, Vec<Wrong>> {
        let upstream = entry.settled(self.context.project.as_ref()).map_err(|wrong| vec![wrong])?;
        let named = Named::of_entry(None, upstream, self.context.folder(), self.context.lookup)?;
        let name = UpstreamName::parse(name).map_err(|error| {
            vec![Wrong::new(error.to_string(), "clashing tools are prefixed by the name")]
        })?;
        Ok(Named { name: Some(name), is_of_file: true, ..named })
    }

    fn leave_out(&mut self, name: &str, at: usize, wrong: impl IntoIterator<Item = Wrong>) {
        self.file.left_out.extend(wrong.into_iter().map(|Wrong { at: closer, what, hint, .. }| {
            let problem = Problem::new(format!("server '{name}' is left out: {what}"));
            problem.at(self.places.place(closer.unwrap_or(at))).hint(hint)
        }));
    }
}

#[cfg(test)]
pub(crate) mod tests;
