//! A host's file that is edited: its text, and its servers with their places.

use std::path::{Path, PathBuf};

use mcp_disclosure_gateway::Problem;

use super::{
    Entry, FileContext, Keys, Launch, Listed, Means, Reading, Ruling, Transport, listed,
    node::{Member, Node, Syntax, Value},
    tables, tree,
};
use crate::config::own;

/// A byte order mark, which stays where it is.
const MARK: &str = "\u{feff}";

/// A host's file.
#[derive(Debug)]
pub(crate) struct Document {
    /// The path by which it was found, absolute.
    pub(crate) path: PathBuf,
    /// Its text without a byte order mark; all places are offsets into it.
    pub(crate) text: String,
    pub(crate) root: Node,
    has_mark: bool,
    /// The directory in which the host is taken to be started.
    pub(crate) current: PathBuf,
    /// Other files of the host, which may say something of the servers.
    pub(crate) others: Vec<Node>,
}

/// A server of the file, as the host would use it.
#[derive(Debug)]
pub(crate) struct Server<'n> {
    pub(crate) name: String,
    /// The table or list that has the entry, and the names that lead there.
    pub(crate) servers: &'n Node,
    pub(crate) table: Vec<String>,
    /// The key of the entry; `None` in a list.
    pub(crate) key: Option<&'n Member>,
    pub(crate) node: &'n Node,
    /// The program; `None` for a server at a URL.
    pub(crate) launch: Option<Launch<'n>>,
    /// The keys that are about the connection to a URL.
    pub(crate) address: Address<'n>,
    /// What would disable it, where its host has a key for that.
    pub(crate) switch: Option<String>,
    /// What the entry and the host's rules say of its tools.
    pub(crate) ruling: Ruling,
    /// The lists of the entry that name the only enabled tools.
    pub(crate) filters: Vec<&'n Member>,
    /// The keys that only the host reads, if they say anything.
    pub(crate) foreign: Vec<&'n str>,
}

/// How an entry says where its server is.
#[derive(Debug)]
pub(crate) struct Address<'n> {
    /// The URL in force.
    pub(crate) url: Option<&'n Member>,
    /// Headers by name.
    pub(crate) headers: Option<&'n Member>,
    /// Whether other keys are about the connection, such as a second URL, a command or a token's variable.
    pub(crate) has_more: bool,
    /// The key that names the transport.
    pub(crate) transport: Option<&'n Member>,
    /// The key of a program's variables.
    pub(crate) environment: &'static str,
    /// Whether a program's arguments have a key of their own, instead of being part of the command.
    pub(crate) has_arguments: bool,
}

impl Document {
    /// Parses a host's file. `current` is the directory in which the host is taken to be started.
    ///
    /// # Errors
    /// A syntax error, with its place and a hint.
    pub(crate) fn parse(path: &Path, text: &str, current: &Path) -> Result<Self, Problem> {
        let body = text.strip_prefix(MARK).unwrap_or(text);
        let root = tree(path, body)?;
        let has_mark = body.len() < text.len();
        let (path, current) = (path.to_owned(), current.to_owned());
        Ok(Self { path, text: body.to_owned(), root, has_mark, current, others: Vec::new() })
    }

    /// The same file with another text (without a byte order mark).
    ///
    /// # Errors
    /// A syntax error, with its place and a hint.
    pub(crate) fn with_text(&self, text: &str) -> Result<Self, Problem> {
        let (has_mark, others) = (self.has_mark, self.others.clone());
        Ok(Self { has_mark, others, ..Self::parse(&self.path, text, &self.current)? })
    }

    /// The whole file.
    pub(crate) fn bytes(&self) -> String {
        format!("{}{}", if self.has_mark { MARK } else { "" }, self.text)
    }

    pub(crate) fn syntax(&self) -> Syntax {
        Syntax::of(&self.path)
    }

    /// The servers in the order of the file's tables, without those whose name a later entry of their table has.
    pub(crate) fn servers(&self) -> Vec<Server<'_>> {
        let context = FileContext::new(&self.path, self.current.clone(), &own);
        let reading = |shape| Reading { shape, root: &self.root, context: &context };
        let tables = tables(&self.root, &context).into_iter();
        tables.flat_map(|(shape, table, path)| self.of_table((table, &path), reading(shape))).collect()
    }

    /// The place of one of its servers among them.
    pub(crate) fn number(&self, server: &Server<'_>) -> Option<usize> {
        self.servers().iter().position(|one| std::ptr::eq(one.node, server.node))
    }

    /// What may be secret, wherever it stands: the values of variables and headers, and what a key calls a token or the like.
    pub(crate) fn secrets(&self) -> Vec<&Node> {
        let mut found = Vec::new();
        secrets_in(&self.root, false, &mut found);
        found
    }

    /// The server of the same name in the same table, which may be of another text of the file.
    pub(crate) fn same(&self, server: &Server<'_>) -> Option<Server<'_>> {
        self.servers().into_iter().find(|found| found.is_same(server))
    }

    fn of_table<'n>(&'n self, table: (&'n Node, &[&str]), file: Reading<'_>) -> Vec<Server<'n>> {
        // Of entries with one name, the last one counts; one without a name is used all the same.
        let used = listed(table.0).filter(|entry| entry.key.is_none() || entry.wrong.is_none());
        let used = used.filter(|entry| entry.node.is_table());
        used.map(|Listed { name, key, node, .. }| self.server(name, table, key, node, file)).collect()
    }

    fn server<'n>(
        &'n self,
        name: String,
        (servers, path): (&'n Node, &[&str]),
        key: Option<&'n Member>,
        node: &'n Node,
        file: Reading<'_>,
    ) -> Server<'n> {
        let Reading { shape, context, .. } = file;
        let (Entry { upstream, transport, ruling }, _) = Entry::read(&name, node, file);
        let is_remote = matches!(transport, Some(Transport::Http | Transport::Sse));
        let address = Address::of(node, shape.keys);
        let launch = Launch::of(node, shape.keys).filter(|_| !(is_remote && address.url.is_some()));
        let filters = meant(node, shape.keys, |means| matches!(means, Means::Allowed));
        let is_known = |name: &str| shape.keys.iter().any(|(key, _)| *key == name);
        let foreign =
            node.members().iter().filter(|member| !is_known(&member.name) && member.node.says_anything());
        let foreign = foreign.map(|member| member.name.as_str()).collect();
        let switch = shape.keys.iter().find_map(|(key, means)| match means {
            Means::Switch(off) => Some(format!("\"{key}\": {off}")),
            _ => None,
        });
        let mut ruling = Ruling { hidden: upstream.hidden, allow: upstream.allow, ..ruling };
        self.others.iter().for_each(|other| ruling.add((shape.elsewhere)(other, context, &name)));
        let table = path.iter().map(|name| (*name).to_owned()).collect();
        Server { name, servers, table, key, node, launch, address, switch, ruling, filters, foreign }
    }
}

/// Parts of keys' names whose values are secret.
const SECRET: &[&str] =
    &["token", "secret", "password", "apikey", "api_key", "authorization", "environment", "inputs"];

/// Keys of variables and headers; in VS Code's settings, parts of keys.
const NAMED: &[&str] = &["env", "headers", "http_headers"];

fn secrets_in<'n>(node: &'n Node, is_secret: bool, found: &mut Vec<&'n Node>) {
    // What stands for an anchor elsewhere may be secret there.
    let is_secret = is_secret || node.is_anchor;
    if is_secret && node.scalar().is_some() {
        found.push(node);
    }
    node.items().iter().for_each(|item| secrets_in(item, is_secret, found));
    for Member { name, node, .. } in node.members() {
        let says_so = SECRET.iter().any(|part| name.to_lowercase().contains(part));
        let is_named = name.split('.').any(|part| NAMED.contains(&part));
        secrets_in(node, is_secret || says_so || is_named, found);
    }
}

impl Server<'_> {
    /// Whether it is the other one, as its host sees it.
    pub(crate) fn is_same(&self, other: &Server<'_>) -> bool {
        self.name == other.name && self.table == other.table
    }

    /// The program and its arguments as they are written; nothing for a URL, or if a part of them is of another kind.
    pub(crate) fn words(&self) -> Vec<String> {
        self.launch.and_then(|launch| launch.words()).unwrap_or_default()
    }
}

/// The members of an entry with these meanings, in the order of its shape's keys.
fn meant(entry: &Node, keys: Keys, is_meant: fn(&Means) -> bool) -> Vec<&Member> {
    keys.iter().filter(|(_, means)| is_meant(means)).filter_map(|(key, _)| entry.member(key)).collect()
}

impl<'n> Address<'n> {
    fn of(entry: &'n Node, keys: Keys) -> Self {
        let urls = meant(entry, keys, |means| matches!(means, Means::Address | Means::HttpAddress));
        let transports = meant(entry, keys, |means| matches!(means, Means::Transport));
        let others = meant(entry, keys, |means| {
            use Means::{Bearer, BearerFromVariable, Command, Foreign, HeadersFromVariables, Parts};
            matches!(
                means,
                Command | HeadersFromVariables | Bearer | BearerFromVariable | Foreign(_) | Parts(_)
            )
        });
        let environment = keys.iter().find(|(_, means)| matches!(means, Means::Environment));
        Self {
            url: urls.last().copied(),
            headers: meant(entry, keys, |means| matches!(means, Means::Headers)).pop(),
            has_more: urls.len() > 1 || transports.len() > 1 || !others.is_empty(),
            transport: transports.last().copied(),
            environment: environment.map_or("env", |(key, _)| *key),
            has_arguments: keys.iter().any(|(_, means)| matches!(means, Means::Arguments)),
        }
    }
}

impl Node {
    /// Whether it is neither null nor an empty list or table.
    fn says_anything(&self) -> bool {
        match &self.value {
            Value::Null => false,
            Value::List(items) => !items.is_empty(),
            Value::Table(members) => !members.is_empty(),
            _ => true,
        }
    }

    /// Whether two values are the same, wherever they are written and in whatever order tables have their members, but for these
    /// members of one table of the first.
    pub(crate) fn is_same_but<'n>(&'n self, other: &'n Self, table: Option<&Self>, members: &[&str]) -> bool {
        let is_table = table.is_some_and(|table| std::ptr::eq(self, table));
        let compared = |node: &'n Self| {
            let is_compared = |member: &&Member| !(is_table && members.contains(&member.name.as_str()));
            let mut compared: Vec<&Member> = node.members().iter().filter(is_compared).collect();
            // A stable order: of members with the same name, the last one counts.
            compared.sort_by(|one, two| one.name.cmp(&two.name));
            compared
        };
        let (one, two) = (compared(self), compared(other));
        let is_same = |one: &Self, two: &Self| one.is_same_but(two, table, members);
        self.kind() == other.kind()
            && self.scalar() == other.scalar()
            && (one.len(), self.items().len()) == (two.len(), other.items().len())
            && self.items().iter().zip(other.items()).all(|(one, two)| is_same(one, two))
            && one.iter().zip(&two).all(|(one, two)| one.name == two.name && is_same(&one.node, &two.node))
    }
}
