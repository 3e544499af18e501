//! Putting this program in front of a server at a URL, where nothing is lost by it.

use super::{
    UNUSUAL, Why,
    edit::{Edits, insert_after, list, quoted},
    wrap::{Front, switches},
};
use crate::config::hosts::{
    document::{Document, Server},
    node::{Member, Node, Syntax},
};

/// The file with this program in front of the server with this number, which is at a URL. Its headers become variables of
/// this program, where the host goes on filling them in, and other users of the machine do not see them.
///
/// # Errors
/// Why the server is left as it is.
pub(super) fn wrapped(document: &Document, number: usize, front: &Front) -> Result<Document, Why> {
    let servers = document.servers();
    let server = &servers[number];
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
        insert_after(&mut edits, document, server.node, url, ("args", &list(&words[1..])));
    } else {
        edits.replace(url.node.at..url.node.end, list(&words));
    }
    let transport =
        server.address.transport.filter(|transport| of_program(transport) != transport.node.text());
    if let Some((transport, text)) = transport.and_then(|member| Some((member, of_program(member)?))) {
        edits.replace(transport.node.at..transport.node.end, quoted(text));
    }
    let environment = server.address.environment.0;
    if let Some(table) = server.address.headers {
        edits.replace(table.at..table.name_end, key(environment));
        for (header, (_, variable)) in table.node.members().iter().zip(&headers) {
            edits.replace(header.at..header.name_end, key(variable));
        }
    }
    let keys = [Some(url), server.address.headers, server.address.transport];
    let mut members = vec!["command", "args", environment];
    members.extend(keys.iter().flatten().map(|member| member.name.as_str()));
    edits.of_server(document, number, (server.node, &members), |after| {
        after.words() == words && has_headers(server, after.node.get(environment))
    })
}

/// The file with the server of this number at its URL again. Its entry is as `wrapped` left it, and `was` is the entry before,
/// in the other text of the file. The keys that were changed get their former text.
///
/// # Errors
/// If the entry is written in another form.
pub(super) fn unwrapped(
    document: &Document,
    number: usize,
    (before, was): (&Document, &Server<'_>),
) -> Result<Document, Why> {
    let servers = document.servers();
    let now = servers[number].node;
    let launch = servers[number].launch.ok_or(UNUSUAL)?;
    let url = was.address.url.ok_or(UNUSUAL)?;
    let key = |member: &Member| before.text.get(member.at..member.name_end).ok_or(UNUSUAL);
    let member = |name: &str| now.members().iter().find(|member| member.name == name).ok_or(UNUSUAL);
    let mut edits = Edits::default();
    edits.replace(launch.command.at..launch.command.name_end, key(url)?);
    edits.replace(launch.command.node.at..launch.command.node.end, before.source(&url.node));
    if let Some(arguments) = launch.arguments {
        edits.replace(launch.command.node.end..arguments.end, "");
    }
    if let Some(transport) = was.address.transport {
        let written = &member(&transport.name)?.node;
        edits.replace(written.at..written.end, before.source(&transport.node));
    }
    if let Some(headers) = was.address.headers {
        let variables = member(was.address.environment.0)?;
        edits.replace(variables.at..variables.name_end, key(headers)?);
        for (variable, header) in variables.node.members().iter().zip(headers.node.members()) {
            edits.replace(variable.at..variable.name_end, key(header)?);
        }
    }
    let members = now.members().iter().chain(was.node.members()).map(|member| member.name.as_str());
    let members: Vec<&str> = members.collect();
    edits.of_server(document, number, (now, &members), |entry| was.node.is_same_but(entry.node, None, &[]))
}

/// The headers of a server, each with the variable that carries its value.
///
/// # Errors
/// What would be lost.
fn carried(server: &Server<'_>, url: &Member) -> Result<Vec<(String, String)>, Why> {
    let address = url.node.text().ok_or("its url is not text")?;
    let host = address.split_once("://").map_or("", |(_, rest)| rest);
    let host = host.split(['/', '?', '#']).next().unwrap_or_default();
    if ["${", "{env:", "{file:"].iter().any(|variable| address.contains(variable)) {
        return Err("its url has variables, whose values every user of this machine could read as arguments"
            .to_owned());
    }
    if !["http://", "https://"].iter().any(|scheme| address.to_lowercase().starts_with(scheme)) {
        return Err("it is not reached over http or https".to_owned());
    }
    if address.contains('?') || host.contains('@') {
        let why = "its url may contain a secret, which every user of this machine could read as an argument";
        return Err(format!("{why}; put it into a header"));
    }
    let signs_in = server.node.members().iter().map(|member| member.name.to_lowercase());
    let signs_in = signs_in.filter(|name| name.contains("auth") || name == "headershelper").count() > 0;
    let is_local =
        ["localhost", "127.0.0.1", "[::1]"].contains(&host.rsplit_once(':').map_or(host, |(name, _)| name));
    let has_headers = server.address.headers.is_some_and(|table| !table.node.members().is_empty());
    if signs_in || (!has_headers && !is_local) {
        return Err("the host may have to sign in to it (OAuth)".to_owned());
    }
    if server.address.has_more {
        return Err("it says in several keys how it is reached".to_owned());
    }
    let Some(table) = server.address.headers else { return Ok(Vec::new()) };
    if server.address.environment.1 {
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
pub(super) fn of_program(transport: &Member) -> Option<&str> {
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
