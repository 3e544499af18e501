//! Texts that give away where a server runs (000 §10.2): paths of its machine, and hosts of its network.

use super::{Findings, Read, Rule, Subject, rules};

/// Where people and services keep their own things, in lower case.
const PRIVATE_ROOTS: &[&str] =
    &["/home/", "/users/", "/root/", "/opt/", "/srv/", "/var/", "/mnt/", "/private/", "c:\\users\\"];

/// The ends of names that mean nothing outside a network.
const PRIVATE_DOMAINS: &[&str] = &[".internal", ".local", ".lan", ".corp", ".intranet", ".localdomain"];

pub(super) fn look(_: &Subject, read: &Read<'_>, findings: &mut Findings) {
    let mut found: Vec<(Rule, String)> = Vec::new();
    read.each_text(|_, text, is_name| {
        let apart = |character: char| character.is_whitespace() || "\"'`()<>,;".contains(character);
        for word in text.split(apart).filter(|_| !is_name) {
            let rule = if is_path(word) {
                rules::PATH
            } else if is_host(word) {
                rules::HOST
            } else {
                continue;
            };
            let word = word.trim_end_matches(['.', ':', '!', '?']).to_owned();
            if !found.iter().any(|(_, other)| *other == word) {
                found.push((rule, word));
            }
        }
    });
    found.into_iter().for_each(|(rule, word)| findings.of_text(rule, read.tool, word));
}

pub(super) fn is_path(word: &str) -> bool {
    if !word.contains(['/', '\\']) {
        return false;
    }
    let lower = word.to_lowercase();
    let path = lower.strip_prefix("file://").unwrap_or(&lower);
    // The root alone is a convention, not a secret.
    let is_inside = |rest: &str| rest.starts_with(char::is_alphanumeric);
    PRIVATE_ROOTS.iter().any(|root| path.strip_prefix(root).is_some_and(is_inside))
}

fn is_host(word: &str) -> bool {
    let authority = word.split_once("://").map_or(word, |(_, rest)| rest);
    let is_url = authority != word;
    // Every other name has a dot.
    if !is_url && !word.contains('.') {
        return false;
    }
    let host = authority.split(['/', ':', '?', '#']).next().unwrap_or_default();
    let host = host.rsplit('@').next().unwrap_or_default().trim_end_matches('.').to_lowercase();
    if let Ok(address) = host.parse::<std::net::Ipv4Addr>() {
        return address.is_private() || address.is_loopback() || address.is_link_local();
    }
    let is_name =
        host.chars().all(|character| character.is_ascii_alphanumeric() || "-._".contains(character));
    let inside = |domain: &&str| {
        host.strip_suffix(*domain)
            .is_some_and(|name| name.starts_with(|first: char| first.is_ascii_alphanumeric()))
    };
    is_name && (is_url && host == "localhost" || PRIVATE_DOMAINS.iter().any(inside))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn internal_paths_and_hosts_are_recognized() {
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
