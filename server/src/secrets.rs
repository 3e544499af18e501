//! Commands and URLs of upstreams without what may be a secret.
//!
//! What is shown is recognized, not what is hidden: the program, its package, files that exist, flags, and short words.

use std::path::Path;

use reqwest::Url;

/// Stands for what is not shown.
pub(crate) const HIDDEN: &str = "…";

/// Arguments with this many letters and digits may be keys or tokens.
const LONG: usize = 20;

/// Parts of names of flags, variables and headers whose values are not shown.
const SECRET: [&str; 12] = [
    "token",
    "key",
    "secret",
    "pass",
    "pwd",
    "auth",
    "header",
    "credential",
    "cookie",
    "bearer",
    "dsn",
    "connection",
];

/// Programs that start others, by the name of a package, an image or a module.
const LAUNCHERS: [&str; 13] = [
    "npx", "bunx", "bun", "pnpm", "yarn", "uvx", "uv", "pipx", "deno", "docker", "podman", "python",
    "python3",
];

/// What may stand between a launcher and the package.
const VERBS: [&str; 5] = ["run", "exec", "dlx", "x", "tool"];

/// Flags of launchers without a value, or whose value is the package.
const SWITCHES: [&str; 11] =
    ["-y", "--yes", "-q", "--quiet", "-i", "-t", "-it", "--interactive", "--rm", "--init", "-m"];

/// Paths of MCP endpoints that are no secret.
const ENDPOINTS: [&str; 4] = ["", "/", "/mcp", "/sse"];

/// The words of a command.
pub(crate) fn command(command: &[String]) -> Vec<String> {
    let launcher = command.first().and_then(|first| Path::new(first).file_stem()?.to_str());
    // Of a launcher, what stands before the package is its own.
    let mut is_before_package = launcher.is_some_and(|launcher| LAUNCHERS.contains(&launcher));
    // After a flag that takes a value: whether that may be a secret.
    let mut flag = None;
    let shown = command.iter().enumerate().map(|(at, word)| {
        let is_switch = is_before_package && SWITCHES.contains(&word.as_str());
        let takes_value = word.starts_with('-') && !is_switch && !word.contains('=');
        let before = std::mem::replace(&mut flag, takes_value.then(|| takes_secret(word)));
        let is_own = before.is_some() || word.starts_with('-') || VERBS.contains(&word.as_str());
        if at == 0 || is_switch {
            return word.clone();
        }
        let is_package_here = is_before_package && !is_own;
        is_before_package &= is_own;
        match before {
            _ if is_package_here && is_package(word) => word.clone(),
            Some(true) => HIDDEN.to_owned(),
            _ => argument(word),
        }
    });
    shown.collect()
}

/// A URL: without user info, query and fragment, and without a path that is not usual.
pub(crate) fn url(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    let port = url.port().map_or_else(String::new, |port| format!(":{port}"));
    let path = if ENDPOINTS.contains(&url.path()) { url.path().to_owned() } else { format!("/{HIDDEN}") };
    let query = if url.query().is_some() { format!("?{HIDDEN}") } else { String::new() };
    format!("{}://{host}{port}{path}{query}", url.scheme())
}

pub(crate) fn argument(word: &str) -> String {
    if let Some((name, value)) = word.split_once('=').filter(|(name, _)| is_name(name)) {
        let value = if is_secret(name) { HIDDEN.to_owned() } else { argument(value) };
        return format!("{name}={value}");
    }
    if word.contains("://") {
        return Url::parse(word).map_or_else(|_| HIDDEN.to_owned(), |parsed| url(&parsed));
    }
    match word.split_once(':') {
        Some((name, _)) if is_secret(name) && letters(name) < LONG => format!("{name}:{HIDDEN}"),
        // Some flags have their value attached, as in -kVALUE.
        _ if word.starts_with('-') && !word.starts_with("--") && word.chars().count() > 2 => {
            word.chars().take(2).chain(HIDDEN.chars()).collect()
        }
        _ if letters(word) >= LONG && !is_flag(word) && !Path::new(word).exists() => HIDDEN.to_owned(),
        _ => word.to_owned(),
    }
}

/// Whether the next word may be a secret: after a flag of one letter, which does not say what it is for, and after those
/// that do.
fn takes_secret(word: &str) -> bool {
    let is_short = word.starts_with('-') && !word.starts_with("--") && word.chars().count() == 2;
    is_short || (word.starts_with("--") && !word.contains('=') && is_secret(word))
}

fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    SECRET.iter().any(|secret| name.contains(secret))
}

/// Whether this is the name of a flag or a variable.
fn is_name(name: &str) -> bool {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || "_-.".contains(letter);
    !name.is_empty() && name.chars().all(is_part) && (is_flag(name) || letters(name) < LONG)
}

fn is_flag(word: &str) -> bool {
    let is_part = |letter: char| letter.is_ascii_lowercase() || letter == '-';
    word.strip_prefix("--").is_some_and(|name| name.chars().all(is_part))
}

fn letters(word: &str) -> usize {
    word.chars().filter(|letter| letter.is_alphanumeric()).count()
}

/// Whether this consists of lowercase words, as names of packages do, and keys do not.
fn is_package(word: &str) -> bool {
    let is_part =
        |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || "@/._-:".contains(letter);
    let is_word = |part: &str| part.len() >= 3 && part.chars().all(|letter| letter.is_ascii_alphabetic());
    let mut parts = word.split(|letter: char| !letter.is_ascii_alphanumeric());
    let all_short = parts.clone().all(|part| part.len() < LONG || (is_word(part) && part.len() < 2 * LONG));
    word.chars().all(is_part) && all_short && parts.any(is_word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn shows(words: &str, expected: &str) {
        let words: Vec<String> = words.split(' ').map(str::to_owned).collect();
        assert_eq!(command(&words).join(" "), expected);
    }

    #[test]
    fn q3_programs_packages_flags_and_short_words_are_shown() {
        for kept in [
            "npx -y @modelcontextprotocol/server-everything stdio",
            "uvx mcp-server-with-a-long-name --local-timezone=UTC",
            "python3 -m some_server --port 80",
            "server --enable-experimental-features on",
        ] {
            shows(kept, kept);
        }
        shows(
            "docker run -i --rm -e GITHUB_TOKEN ghcr.io/github/github-mcp-server",
            "docker run -i --rm -e … ghcr.io/github/github-mcp-server",
        );
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
        shows(&format!("server {file} {file}x"), &format!("server {file} …"));
    }

    #[test]
    fn q3_what_may_be_a_secret_is_not_shown() {
        let token = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
        for (words, expected) in [
            (format!("server {token}"), "server …"),
            (format!("npx {token}"), "npx …"),
            (format!("npx -y pack {token}"), "npx -y pack …"),
            (format!("server --project={token}"), "server --project=…"),
            (format!("server {token}="), "server …"),
            (format!("server /{token}/{token}"), "server …"),
            ("server -k abc -t abc".to_owned(), "server -k … -t …"),
            ("npx pack -y abc".to_owned(), "npx pack -y …"),
            ("server -kabc".to_owned(), "server -k…"),
            ("uvx 123e4567-e89b-12d3-a456-426614174000".to_owned(), "uvx …"),
            (
                "server --api-key abc --token=def GH_TOKEN=ghi".to_owned(),
                "server --api-key … --token=… GH_TOKEN=…",
            ),
            ("server Authorization:abc".to_owned(), "server Authorization:…"),
            ("server --url=https://me:abc@host/abc".to_owned(), "server --url=https://host/…"),
            ("server postgres://me:abc@host:1/db".to_owned(), "server postgres://host:1/…"),
        ] {
            shows(&words, expected);
        }
    }

    #[test]
    fn q3_urls_keep_their_host_and_usual_paths() {
        for (given, shown) in [
            ("https://me:abc@host:8/mcp?key=abc#abc", "https://host:8/mcp?…"),
            ("https://host/s/abc/mcp", "https://host/…"),
            ("http://host", "http://host/"),
        ] {
            assert_eq!(url(&given.parse().unwrap()), shown);
        }
    }
}
