//! Putting this program in front of one server, where that stands, and taking it away again; in front of one at a URL, where
//! nothing is lost by it.

use mcp_disclosure_core::UpstreamName;
use reqwest::Url;

use super::{Edits, Ours, UNUSUAL, Why, append, insert_after, list, prefix, quoted, remove_items};
use crate::config::hosts::{
    ARGUMENTS, Document, Launch, Server, is_all,
    node::{Member, Node, Syntax},
};

/// What is put in front of servers.
#[derive(Clone, Debug)]
pub(crate) struct Front {
    /// The command that starts this program.
    pub(crate) launcher: Vec<String>,
    /// The same for files that others share, where this program is found by its name.
    pub(crate) shared: Option<Vec<String>>,
    /// The arguments of `serve` that choose the strategy.
    pub(crate) strategy: Vec<String>,
    /// The tools that the strategy adds to the list.
    pub(crate) bridges: Vec<Bridge>,
}

impl Front {
    /// What is put in front of servers in a project's file, which others may share.
    pub(crate) fn in_project(self) -> Self {
        Self { launcher: self.shared.clone().unwrap_or(self.launcher), ..self }
    }
}

/// A tool of a strategy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Bridge {
    pub(crate) name: String,
    /// Whether it changes nothing, so that it may be approved once and for all.
    pub(crate) reads_only: bool,
}

/// The file with this program in front of a server.
///
/// # Errors
/// Why the server is left as it is.
pub(crate) fn wrapped(document: &Document, server: &Server<'_>, front: &Front) -> Result<Document, Why> {
    let launch = server.launch.ok_or("it has neither a command nor a url")?;
    let words = launch.words().ok_or("its command or arguments are not text")?;
    if words[0].starts_with("~") {
        let why = "its command begins with ~, which only the host replaces; write the path in full";
        return Err(why.to_owned());
    }
    if is_whole_line(&words) {
        return Err(WHOLE_LINE.to_owned());
    }
    let ours =
        [&front.launcher[..], &["serve".to_owned()], &front.strategy, &switches(server)?, &["--".to_owned()]];
    let ours = ours.concat();
    let expected = [&ours[..], &words].concat();
    let mut edits = Edits::default();
    put_in_front(&mut edits, document, &launch, &ours, &words[0]);
    let lists = extended(server, front);
    lists.iter().for_each(|(list, names)| append(&mut edits, document, &list.node, names));
    let mut members = vec![launch.command.name.as_str(), ARGUMENTS];
    members.extend(lists.iter().map(|(list, _)| list.name.as_str()));
    // A list of tools stands in the entry, even if the command is in a table of it.
    let is_one_table = lists.is_empty() || std::ptr::eq(launch.holder, server.node);
    edits.of_server(document, server, (launch.holder, &members), |after| {
        after.name == server.name
            && after.words() == expected
            && lists.iter().all(|(list, names)| is_extended(list, names, after))
            && is_one_table
    })
}

/// The file with a server as its entry says that it was before this program was put in front of it.
///
/// # Errors
/// Why that is not known.
pub(crate) fn unwrapped(
    document: &Document,
    server: &Server<'_>,
    launcher: &[String],
) -> Result<Document, Why> {
    let (launch, words) = (server.launch.ok_or(UNUSUAL)?, server.words());
    let ours = Ours::of(&words, launcher).ok_or(UNUSUAL)?;
    let [program, ..] = ours.behind else {
        return Err("its command does not say what it was before; write it by hand".to_owned());
    };
    // The first word is the program, or the first item of a list.
    let taken = words.len() - ours.behind.len();
    let mut edits = Edits::default();
    let list = if launch.is_list() {
        &launch.command.node
    } else {
        let command = &launch.command.node;
        edits.replace(command.at..command.end, quoted(program));
        launch.arguments.ok_or(UNUSUAL)?
    };
    let first = &list.items()[..taken.min(list.items().len())];
    remove_items(&mut edits, list, |item| first.iter().any(|first| std::ptr::eq(first, item)));
    let members = [launch.command.name.as_str(), ARGUMENTS];
    edits.of_server(document, server, (launch.holder, &members), |server| server.words() == ours.behind)
}

/// The file with this program in front of a server at a URL. Its headers become variables of
/// this program, where the host goes on filling them in, and other users of the machine do not see them.
///
/// # Errors
/// Why the server is left as it is.
pub(crate) fn wrapped_url(document: &Document, server: &Server<'_>, front: &Front) -> Result<Document, Why> {
    let url = server.address.url.ok_or("it has neither a command nor a url")?;
    let headers = carried(server, url)?;
    let key = |name: &str| if document.syntax() == Syntax::Json { quoted(name) } else { name.to_owned() };
    let words = [&front.launcher[..], &["serve".to_owned()], &front.strategy, &switches(server)?];
    let mut words = words.concat();
    words.extend(["--upstream-url".to_owned(), url.node.text().unwrap_or_default().to_owned()]);
    for (name, variable) in &headers {
        words.extend(["--upstream-header".to_owned(), format!("{name}={variable}")]);
    }
    let mut edits = Edits::default();
    edits.replace(url.at..url.name_end, key("command"));
    if server.address.has_arguments {
        edits.replace(url.node.at..url.node.end, quoted(&words[0]));
        insert_after(&mut edits, document, server.node, url, (ARGUMENTS, &list(&words[1..])));
    } else {
        edits.replace(url.node.at..url.node.end, list(&words));
    }
    let transport =
        server.address.transport.filter(|transport| of_program(transport) != transport.node.text());
    if let Some((transport, text)) = transport.and_then(|member| Some((member, of_program(member)?))) {
        edits.replace(transport.node.at..transport.node.end, quoted(text));
    }
    let environment = server.address.environment;
    if let Some(table) = server.address.headers {
        edits.replace(table.at..table.name_end, key(environment));
        for (header, (_, variable)) in table.node.members().iter().zip(&headers) {
            edits.replace(header.at..header.name_end, key(variable));
        }
    }
    let keys = [Some(url), server.address.headers, server.address.transport];
    let mut members = vec!["command", ARGUMENTS, environment];
    members.extend(keys.iter().flatten().map(|member| member.name.as_str()));
    edits.of_server(document, server, (server.node, &members), |after| {
        after.words() == words && has_headers(server, after.node.get(environment))
    })
}

pub(crate) const WHOLE_LINE: &str = "its command is a whole line; write the arguments into args";

/// Whether a command is a program and its arguments in one, which only a shell takes apart.
pub(crate) fn is_whole_line(words: &[String]) -> bool {
    let [line] = words else { return false };
    line.split_once(' ').is_some_and(|(program, _)| !program.contains(['/', '\\']))
}

fn put_in_front(edits: &mut Edits, document: &Document, launch: &Launch<'_>, ours: &[String], program: &str) {
    let command = &launch.command.node;
    if launch.is_list() {
        return prefix(edits, document, command, ours);
    }
    edits.replace(command.at..command.end, quoted(&ours[0]));
    let moved = [&ours[1..], &[program.to_owned()]].concat();
    let null = launch.holder.members().iter().find(|member| member.name == ARGUMENTS);
    match (launch.arguments, null) {
        (Some(arguments), _) => prefix(edits, document, arguments, &moved),
        (None, Some(null)) => edits.replace(null.node.at..null.node.end, list(&moved)),
        (None, None) => {
            let member = (ARGUMENTS, &*list(&moved));
            insert_after(edits, document, launch.holder, launch.command, member);
        }
    }
}

/// The arguments of `serve` by which what the host switched off stays so: a strategy could disclose it otherwise.
///
/// # Errors
/// Where arguments cannot say it, as of tools that the host asks about: behind a strategy's own tool it would not see them.
fn switches(server: &Server<'_>) -> Result<Vec<String>, Why> {
    if let Some(lost) = &server.ruling.lost {
        return Err(lost.clone());
    }
    if let Some(tool) = server.ruling.asked.iter().find(|tool| !is_all(tool)) {
        return Err(format!("the host asks before calls of '{tool}', and could not recognize them any more"));
    }
    if server.ruling.allow.as_ref().is_some_and(Vec::is_empty) {
        return Err("the host enables none of its tools".to_owned());
    }
    let allowed = server.ruling.allow.iter().flatten().map(|tool| ("--only-tool", tool));
    let switched: Vec<_> =
        allowed.chain(server.ruling.hidden.iter().map(|tool| ("--hide-tool", tool))).collect();
    if switched.is_empty() {
        return Ok(Vec::new());
    }
    if switched.iter().any(|(_, tool)| tool.is_empty()) {
        return Err("the host switches a tool without a name".to_owned());
    }
    UpstreamName::parse(&server.name).map_err(|error| format!("its tools are switched, and {error}"))?;
    // Written in one word each, so that no name is taken for a flag.
    let pairs = switched.iter().map(|(flag, tool)| format!("{flag}={tool}"));
    Ok([format!("--name={}", server.name)].into_iter().chain(pairs).collect())
}

/// The lists of the entry that name tools, and the strategy's tools that they lack.
fn extended<'n>(server: &Server<'n>, front: &Front) -> Vec<(&'n Member, Vec<String>)> {
    // A list of tools that run without a question never gets one that can call others.
    let approved =
        APPROVED.iter().filter_map(|key| server.node.members().iter().find(|member| member.name == *key));
    let approved = approved.filter(|list| !list.node.items().is_empty()).map(|list| (list, true));
    let lists = server.filters.iter().map(|list| (*list, false)).chain(approved);
    let lacking = |(list, reads_only): (&'n Member, bool)| {
        let bridges = front.bridges.iter().filter(|bridge| bridge.reads_only || !reads_only);
        let names = bridges.map(|bridge| bridge.name.clone()).filter(|name| !list.node.lists(name));
        (list, names.collect::<Vec<_>>())
    };
    let lists = lists.filter(|(list, _)| list.node.is_list()).map(lacking);
    lists.filter(|(_, names)| !names.is_empty()).collect()
}

/// Keys of an entry that name the tools which run without a question: of Cline, and of Roo.
const APPROVED: &[&str] = &["autoApprove", "alwaysAllow"];

fn is_extended(list: &Member, names: &[String], after: &Server<'_>) -> bool {
    let texts = |list: &Node| list.items().iter().map(Node::scalar).collect::<Vec<_>>();
    let expected: Vec<_> = texts(&list.node).into_iter().chain(names.iter().cloned().map(Some)).collect();
    after.node.get(&list.name).is_some_and(|list| texts(list) == expected)
}

/// Whether the host may have to sign in: it sends no headers, and the server is not on this machine.
pub(super) fn may_sign_in(server: &Server<'_>) -> bool {
    let has_headers = server.address.headers.is_some_and(|table| !table.node.members().is_empty());
    let address = server.address.url.and_then(|url| Url::parse(url.node.text()?).ok());
    let host = address.as_ref().and_then(Url::host_str);
    !has_headers && !host.is_some_and(|host| ["localhost", "127.0.0.1", "[::1]"].contains(&host))
}

/// The headers of a server, each with the variable that carries its value.
///
/// # Errors
/// What would be lost.
fn carried(server: &Server<'_>, url: &Member) -> Result<Vec<(String, String)>, Why> {
    let address = url.node.text().ok_or("its url is not text")?;
    if ["${", "{env:", "{file:"].iter().any(|variable| address.contains(variable)) {
        return Err("its url has variables, whose values every user of this machine could read as arguments"
            .to_owned());
    }
    let parsed = Url::parse(address).ok().filter(|url| ["http", "https"].contains(&url.scheme()));
    let parsed = parsed.ok_or("it is not reached over http or https")?;
    if parsed.query().is_some() || !parsed.username().is_empty() || parsed.password().is_some() {
        let why = "its url may contain a secret, which every user of this machine could read as an argument";
        return Err(format!("{why}; put it into a header"));
    }
    let signs_in = server.node.members().iter().map(|member| member.name.to_lowercase());
    let signs_in = signs_in.filter(|name| name.contains("auth") || name == "headershelper").count() > 0;
    if signs_in || may_sign_in(server) {
        return Err("the host may have to sign in to it (OAuth)".to_owned());
    }
    if server.address.has_more {
        return Err("it says in several keys how it is reached".to_owned());
    }
    let Some(table) = server.address.headers else { return Ok(Vec::new()) };
    if server.node.member(server.address.environment).is_some() {
        return Err("it has headers and variables".to_owned());
    }
    let mut headers: Vec<(String, String)> = Vec::new();
    for header in table.node.members() {
        let name = &header.name;
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
        let variable = format!("MCP_DISCLOSURE_HEADER_{}", name.to_ascii_uppercase().replace('-', "_"));
        let is_new = headers.iter().all(|(_, other)| *other != variable);
        if header.node.text().is_none() || name.is_empty() || !name.bytes().all(is_plain) || !is_new {
            return Err(format!("its header '{name}' cannot be kept in a variable"));
        }
        headers.push((name.clone(), variable));
    }
    Ok(headers)
}

/// What the key of a transport says of a program, where it may say this of a server.
pub(crate) fn of_program(transport: &Member) -> Option<&str> {
    match transport.node.text()? {
        "remote" | "local" => Some("local"),
        "custom" => Some("custom"),
        _ => Some("stdio"),
    }
}

fn has_headers(server: &Server<'_>, environment: Option<&Node>) -> bool {
    let before = server.address.headers.map_or(&[][..], |table| table.node.members());
    let after = environment.map_or(&[][..], Node::members);
    before.len() == after.len()
        && before.iter().zip(after).all(|(one, two)| one.node.is_same_but(&two.node, None, &[]))
}
