//! Texts that give away where a server runs (000 §10.2).

use serde_json::Value;

use super::{Findings, Rule, Severity, Subject};

const PATH: Rule = Rule {
    code: "internal-path",
    severity: Severity::Warning,
    summary: "a text that models read reveals a path of the server's machine",
    hint: "say what is meant without the path, in the tool's description file",
};

const HOST: Rule = Rule {
    code: "internal-host",
    severity: Severity::Warning,
    summary: "a text that models read reveals a host of the server's network",
    hint: "say what is meant without the host, in the tool's description file",
};

/// Where people and services keep their own things.
const PRIVATE_ROOTS: &[&str] =
    &["/home/", "/Users/", "/root/", "/opt/", "/srv/", "/var/", "/mnt/", "/private/", "c:\\users\\"];

/// The ends of names that mean nothing outside a network.
const PRIVATE_DOMAINS: &[&str] = &[".internal", ".local", ".lan", ".corp", ".intranet", ".localdomain"];

pub(super) fn look(subject: &Subject, findings: &mut Findings) {
    for tool in subject.tools() {
        let supplement = tool.supplement().parts.as_ref();
        let texts = [Some(tool.definition()), supplement].into_iter().flatten();
        let texts = texts.filter_map(|object| serde_json::from_str::<Value>(object.text()).ok());
        let mut found: Vec<(Rule, String)> = Vec::new();
        for text in texts.flat_map(strings) {
            let words =
                text.split(|character: char| character.is_whitespace() || "\"'`()<>,;".contains(character));
            for word in words {
                let rule = if is_path(word) {
                    PATH
                } else if is_host(word) {
                    HOST
                } else {
                    continue;
                };
                let word = word.trim_end_matches(['.', ':', '!', '?']).to_owned();
                if !found.iter().any(|(_, other)| *other == word) {
                    found.push((rule, word));
                }
            }
        }
        found.into_iter().for_each(|(rule, word)| findings.of_text(rule, tool, word));
    }
}

/// Every string in a value, members' names left out.
fn strings(value: Value) -> Vec<String> {
    let (mut found, mut rest) = (Vec::new(), vec![value]);
    while let Some(value) = rest.pop() {
        match value {
            Value::String(text) => found.push(text),
            Value::Array(items) => rest.extend(items),
            Value::Object(members) => rest.extend(members.into_iter().map(|(_, value)| value)),
            _ => {}
        }
    }
    found.reverse();
    found
}

pub(super) fn is_path(word: &str) -> bool {
    let lower = word.to_lowercase();
    let path = lower.strip_prefix("file://").unwrap_or(&lower);
    PRIVATE_ROOTS.iter().any(|root| {
        // The root alone is a convention, not a secret.
        path.strip_prefix(&root.to_lowercase())
            .is_some_and(|rest| rest.starts_with(|first: char| first.is_alphanumeric()))
    })
}

fn is_host(word: &str) -> bool {
    let authority = word.split_once("://").map_or(word, |(_, rest)| rest);
    let host = authority.split(['/', ':', '?', '#']).next().unwrap_or_default();
    let host = host.rsplit('@').next().unwrap_or_default().trim_end_matches('.').to_lowercase();
    if let Ok(address) = host.parse::<std::net::Ipv4Addr>() {
        return address.is_private() || address.is_loopback() || address.is_link_local();
    }
    let is_name =
        host.chars().all(|character| character.is_ascii_alphanumeric() || "-._".contains(character));
    let is_url_of_own_machine = host == "localhost" && authority != word;
    let inside = |domain: &&str| {
        host.strip_suffix(*domain)
            .is_some_and(|name| name.starts_with(|first: char| first.is_ascii_alphanumeric()))
    };
    is_name && (is_url_of_own_machine || PRIVATE_DOMAINS.iter().any(inside))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_inside_is_told_from_what_is_not() {
        for (word, path, host) in [
            ("/home/deploy/keys", true, false),
            ("file:///Users/ann/x", true, false),
            ("C:\\Users\\ann", true, false),
            ("/home/", false, false),
            ("/repo/src", false, false),
            ("http://localhost:3000/x", false, true),
            ("localhost", false, false),
            ("10.1.2.3:8080", false, true),
            ("192.168.0.1", false, true),
            ("8.8.8.8", false, false),
            ("build.corp", false, true),
            ("https://ci.build.internal/job", false, true),
            ("settings.local.json", false, false),
            (".local", false, false),
            ("example.com", false, false),
        ] {
            assert_eq!((is_path(word), is_host(word)), (path, host), "{word}");
        }
    }
}
