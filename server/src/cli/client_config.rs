//! `client-config`: the entry by which a host connects over HTTP.

use std::{
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    path::PathBuf,
};

use clap::Args;
use mcp_disclosure_access::{Caller, Settings, TokenSource};
use mcp_disclosure_gateway::Problem;
use reqwest::Url;
use serde_json::json;

use super::{Program, print_text};
use crate::{
    config::{principal, spoken},
    failure::Failure,
    flags::{Given, ServeArguments},
    init::host_names,
    log,
};

/// The variable that holds a token which the configuration reads from a file.
const VARIABLE: &str = "MCP_DISCLOSURE_TOKEN";

/// `client-config`.
#[derive(Debug, Args)]
pub struct ClientConfigArguments {
    /// The host
    #[arg(long, value_name = "HOST", value_parser = clap::builder::PossibleValuesParser::new(host_names()))]
    pub host: String,

    /// Whom it is for, by its name in the file; without it, requests have no token
    #[arg(long, value_name = "NAME")]
    pub principal: Option<String>,

    /// The configuration that is served, disclosure.toml
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,

    /// Where clients find it [default: what the configuration listens on]
    #[arg(long, value_name = "URL", value_parser = spoken)]
    pub url: Option<Url>,

    /// What the host calls it
    #[arg(long, value_name = "NAME", default_value = "mcp-disclosure")]
    pub name: String,
}

/// Prints the entry for a host's file.
///
/// # Errors
/// [`Failure::Usage`] for a principal that has no way in over HTTP; [`Failure::Configuration`] for a file that cannot be read.
pub fn client_config(program: &Program, arguments: ClientConfigArguments) -> Result<(), Failure> {
    let ClientConfigArguments { host, principal: whom, config, url, name } = arguments;
    let given = Given::<ServeArguments>::default().with("config", config);
    let told = given.told()?;
    let listen = told.serve.listen;
    let access = match given.first("config") {
        Some(_) => told.source(program.own.as_ref(), false)?.contents.map_err(Failure::Configuration)?.access,
        None => Settings::default(),
    };
    let url = reached(url, listen)?;
    let token = whom.map(|name| token_of(&access, &name)).transpose()?.flatten();
    let variable = token.as_ref().map(|(variable, _)| &**variable);
    print_text(&entry(&host, &name, &url, variable))?;
    if let Some((token, place)) = token {
        let where_to = match host.as_str() {
            "cline" | "zed" | "claude-desktop" => format!("put the token in place of {token}"),
            "vscode" => "the host asks for the token".to_owned(),
            "continue" => format!("the secret {token} is the token"),
            _ => format!("the host's environment needs {token}, the token"),
        };
        log::note(&format!("{where_to}{place}"));
    }
    Ok(())
}

/// Where clients find the gateway: at the URL that is given, or on this machine.
fn reached(url: Option<Url>, mut listen: SocketAddr) -> Result<String, Failure> {
    let usage = |message: String, hint| Err(Failure::usage(Problem::new(message).hint(hint)));
    match url {
        Some(url) if !url.username().is_empty() || url.password().is_some() => usage(
            "--url: it has a user or a password".to_owned(),
            "clients send a token instead: --principal",
        ),
        Some(url) => Ok(url.into()),
        None if listen.port() == 0 => {
            usage(format!("{listen} is a port that is chosen at each start"), "name it, or give --url")
        }
        None => {
            // All addresses are none that a client could use.
            if listen.ip().is_unspecified() {
                listen.set_ip(match listen.ip() {
                    IpAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
                    IpAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
                });
            }
            Ok(format!("http://{listen}/mcp"))
        }
    }
}

/// The variable for the token of a principal, and where the token is; `None` where the host signs in by itself.
fn token_of(access: &Settings, name: &str) -> Result<Option<(String, String)>, Failure> {
    let entry = principal(access, name).map_err(|problem| Failure::Configuration(vec![problem]))?;
    match &entry.caller {
        Caller::Token(token) => {
            let token = access.tokens.iter().find(|known| known.name == *token);
            Ok(Some(match token.map(|token| &token.source) {
                Some(TokenSource::Environment(variable)) => (variable.clone(), String::new()),
                Some(TokenSource::File(path)) => {
                    (VARIABLE.to_owned(), format!(", which is in {}", path.display()))
                }
                None => (VARIABLE.to_owned(), String::new()),
            }))
        }
        Caller::Claims(_) => Ok(None),
        Caller::Named => {
            let message = format!("principal '{name}' has neither token nor claims, so it is for stdio");
            Err(Failure::usage(Problem::new(message).hint("give it a token, or use serve --principal")))
        }
    }
}

/// Hosts' files of JSON: the key of servers, that of the URL, the type where one is said, and what stands for a value that the host
/// takes from a variable, whose name replaces `*`. Where that is all, the token itself is put there.
const OF_JSON: [(&str, [&str; 4]); 9] = [
    ("claude-code", ["mcpServers", "url", "http", "${*}"]),
    ("cursor", ["mcpServers", "url", "", "${env:*}"]),
    ("windsurf", ["mcpServers", "serverUrl", "", "${env:*}"]),
    ("gemini", ["mcpServers", "httpUrl", "", "$*"]),
    ("cline", ["mcpServers", "url", "streamableHttp", "*"]),
    ("roo", ["mcpServers", "url", "streamable-http", "${env:*}"]),
    ("zed", ["context_servers", "url", "", "*"]),
    ("opencode", ["mcp", "url", "remote", "{env:*}"]),
    ("vscode", ["servers", "url", "http", "${input:*}"]),
];

/// The entry for this host's file, in its syntax; the value of the token is taken from this variable, where hosts can.
fn entry(host: &str, name: &str, url: &str, token: Option<&str>) -> String {
    if let Some((_, [servers, key, kind, reference])) = OF_JSON.iter().find(|(of, _)| *of == host) {
        let mut entry = if kind.is_empty() { json!({}) } else { json!({"type": kind}) };
        entry[key] = json!(url);
        let mut file = json!({*servers: {name: entry}});
        if let Some(token) = token {
            let bearer = format!("Bearer {}", reference.replace('*', token));
            file[servers][name]["headers"] = json!({"Authorization": bearer});
        }
        if let Some(token) = token.filter(|_| host == "vscode") {
            let asks = json!({"type": "promptString", "id": token, "description": "Token", "password": true});
            file["inputs"] = json!([asks]);
        }
        return format!("{file:#}\n");
    }
    let (quoted, url_quoted) = (json!(name), json!(url));
    match host {
        "claude-desktop" => {
            let mut entry = json!({"command": "npx", "args": ["-y", "mcp-remote", url]});
            if let Some(token) = token {
                // A space in an argument is lost on Windows.
                entry["args"] =
                    json!(["-y", "mcp-remote", url, "--header", "Authorization:${AUTHORIZATION}"]);
                entry["env"] = json!({"AUTHORIZATION": format!("Bearer {token}")});
            }
            format!("{:#}\n", json!({"mcpServers": {name: entry}}))
        }
        "continue" => {
            let head = format!(
                "mcpServers:\n  - name: {quoted}\n    type: streamable-http\n    url: {url_quoted}\n"
            );
            let header = token.map(|token| {
                format!("    requestOptions:\n      headers:\n        Authorization: \"Bearer ${{{{ secrets.{token} }}}}\"\n")
            });
            head + &header.unwrap_or_default()
        }
        // codex
        _ => {
            let head = format!("[mcp_servers.{quoted}]\nurl = {url_quoted}\n");
            let variable = token.map(|token| format!("bearer_token_env_var = {}\n", json!(token)));
            head + &variable.unwrap_or_default()
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::config::hosts::read_as;

    const URL: &str = "https://tools.example.com/mcp";

    #[test]
    fn u11_each_host_reads_its_entry_and_the_page_shows_it() {
        let bare = |text: &str| text.split_whitespace().collect::<String>();
        let page = bare(include_str!("../../../docs/clients.md"));
        for host in host_names() {
            let entry = entry(host, "tools", URL, Some("TOOLS_TOKEN"));
            assert!(page.contains(&bare(&entry)), "docs/clients.md lacks this of {host}:\n{entry}");
            let file = match host {
                "codex" => "config.toml",
                "continue" => "config.yaml",
                "zed" => ".config/zed/settings.json",
                _ => "mcp.json",
            };
            let read = read_as(Path::new(file), &entry, Path::new(""))
                .unwrap_or_else(|error| panic!("{host}: {error}"));
            // One whose variable is not set is left out, and said to be.
            let said: String = read.left_out.iter().map(ToString::to_string).collect();
            assert!(read.upstreams.len() == 1 || said.contains("TOOLS_TOKEN"), "{host}: {said}");
        }
    }
}
