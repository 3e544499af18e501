//! What would change in a file, for people.

use std::{collections::HashSet, fmt::Write, ops::Range, path::Path, sync::LazyLock};

use mcp_disclosure_transport::printable::one_line;
use regex_lite::{Captures, Regex};
use similar::TextDiff;

use super::{Edits, Ours, quoted};
use crate::{
    config::hosts::{Document, node::Node},
    launcher,
    secrets::{self, HIDDEN},
};

/// Lines around a change.
const CONTEXT: usize = 3;

/// From this length on, some characters of a secret are shown, by which its owner recognizes it.
const LONG: usize = 8;
const SHOWN: usize = 4;

/// A file without its secrets; nothing of one that cannot be read.
fn masked(path: &Path, text: &str) -> String {
    let Ok(document) = Document::parse(path, text, Path::new("")) else { return String::new() };
    let launcher = launcher::command().unwrap_or_default();
    let mut shown: Vec<(&Node, String)> = Vec::new();
    for server in document.servers() {
        if let Some((launch, words)) = server.launch.and_then(|launch| Some((launch, launch.words()?))) {
            let behind = Ours::of(&words, &launcher).map_or(words.len(), |ours| ours.behind.len());
            let (own, command) = words.split_at(words.len() - behind);
            let own = own.iter().map(|word| match word.contains("://") {
                true => secrets::argument(word),
                false => word.clone(),
            });
            let bare: Vec<String> = command.iter().map(|word| without_variables(word)).collect();
            let behind = secrets::command(&bare).into_iter().zip(bare).zip(command);
            let behind = behind.map(|((shown, bare), word)| if shown == bare { word.clone() } else { shown });
            shown.extend(launch.nodes().into_iter().flatten().zip(own.chain(behind)));
        } else if let Some(url) = server.address.url {
            shown.extend(url.node.scalar().map(|text| (&url.node, secrets::argument(&text))));
        }
    }
    let words: HashSet<*const Node> = shown.iter().map(|(node, _)| std::ptr::from_ref(*node)).collect();
    let secrets = document.secrets().into_iter().filter(|node| !words.contains(&std::ptr::from_ref(*node)));
    shown.extend(secrets.map(|node| (node, HIDDEN.to_owned())));
    let mut edits = Edits::default();
    for comment in comments(&document) {
        edits.replace(comment, format!(" {HIDDEN}"));
    }
    for (node, shown) in shown {
        let secret = node.scalar().unwrap_or_default();
        if shown != secret && !is_variable(&secret) {
            let shown = if shown == HIDDEN { beginning(&secret) } else { shown };
            edits.replace(node.at..node.end, quoted(&shown));
        }
    }
    edits.apply(&document.text).unwrap_or_default()
}

/// A comment, by what begins it.
static COMMENT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?s)/\*(.*?)\*/|(?://|#)([^\n]*)").expect("a valid expression, as a test shows")
});

/// The texts of a file's comments: an entry that is commented out has its secrets, too. What follows the first document of YAML
/// counts as one.
fn comments(document: &Document) -> Vec<Range<usize>> {
    let text = &*document.text;
    let mut values = Vec::new();
    values_in(&document.root, &mut values);
    values.sort_by_key(|value| value.start);
    let last = values.last().map_or(0, |value| value.end);
    let ends = ["\n---", "\n..."].map(|mark| Some(last + text.get(last..)?.find(mark)? + mark.len()));
    let others = ends.into_iter().flatten().min().map_or(text.len()..text.len(), |at| at..text.len());
    values.push(others.clone());
    let (mut comments, mut done) = (Vec::new(), 0);
    for value in values {
        // Between values there are only marks and comments.
        let found = COMMENT.captures_iter(text.get(done..value.start).unwrap_or_default());
        let said = found.filter_map(|found| found.get(1).or(found.get(2)));
        comments.extend(said.map(|said| done + said.start()..done + said.end()));
        done = done.max(value.end);
    }
    comments.extend(Some(others).filter(|others| !others.is_empty()));
    comments
}

/// Where names and values without parts stand.
fn values_in(node: &Node, found: &mut Vec<Range<usize>>) {
    if node.scalar().is_some() {
        found.push(node.at..node.end);
    }
    found.extend(node.members().iter().map(|member| member.at..member.name_end));
    node.parts().for_each(|part| values_in(part, found));
}

fn beginning(secret: &str) -> String {
    let shown = if secret.chars().count() < LONG { 0 } else { SHOWN };
    secret.chars().take(shown).chain(HIDDEN.chars()).collect()
}

/// Whether a text says where a secret is: `${TOKEN}`, `Bearer ${TOKEN}`, `{env:TOKEN}`, `$TOKEN`.
fn is_variable(text: &str) -> bool {
    let is_name = |name: &str| {
        !name.is_empty() && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
    };
    let text = text.strip_prefix("Bearer ").unwrap_or(text);
    (!text.is_empty() && without_variables(text).is_empty()) || text.strip_prefix('$').is_some_and(is_name)
}

/// Variables of hosts: `${TOKEN}`, `{env:TOKEN}`, `{file:PATH}`.
static VARIABLES: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\$\{[^{}]*\}|\{(?:env|file):[^{}]*\}").expect("a valid expression, as a test shows")
});

/// What a text says beside the names of variables. With a default, what one stands for may be in it.
fn without_variables(text: &str) -> String {
    let rest =
        |found: &Captures<'_>| if found[0].contains(":-") { found[0].to_owned() } else { String::new() };
    VARIABLES.replace_all(text, rest).into_owned()
}

/// A unified diff of a file, with tabs as spaces, other control characters escaped, and of secrets only their beginning.
pub(crate) fn unified(path: &Path, before: &str, after: &str, coloured: bool) -> String {
    let (before, after) = (masked(path, before), masked(path, after));
    let diff = TextDiff::from_lines(&before, &after);
    let name = one_line(&path.display().to_string()).into_owned();
    let mut shown = String::new();
    for line in diff.unified_diff().context_radius(CONTEXT).header(&name, &name).to_string().lines() {
        let colour = match line.as_bytes().first() {
            Some(b'+') => Some(32),
            Some(b'-') => Some(31),
            Some(b'@') => Some(36),
            _ => None,
        };
        let line = line.trim_end_matches('\r').replace('\t', "    ");
        let text = one_line(&line);
        // Writing to a string cannot fail.
        let _written = match colour.filter(|_| coloured) {
            Some(colour) => writeln!(shown, "\u{1b}[{colour}m{text}\u{1b}[0m"),
            None => writeln!(shown, "{text}"),
        };
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn w1_of_secrets_a_diff_shows_the_beginning() {
        let secrets =
            [("A", "ghp_1234567890"), ("B", "pa$$w0rd-123"), ("C", "s3cret"), ("D", "${E:-s3cretest}")];
        let variables = [("E", "${env:TOKEN}"), ("F", "Bearer ${TOKEN}"), ("G", "$TOKEN")];
        let all: serde_json::Map<_, _> = secrets
            .iter()
            .chain(&variables)
            .map(|(name, text)| ((*name).to_owned(), (*text).into()))
            .collect();
        let file = |command: &str, key: &str| {
            format!("{:#}\n", serde_json::json!({"mcpServers": {"a": {"command": command, key: all}}}))
        };
        for key in ["env", "headers"] {
            let shown = unified(Path::new("mcp.json"), &file("x", key), &file("y", key), false);
            let whole = unified(Path::new("mcp.json"), &file("x", key), "", false);
            for (_, secret) in secrets {
                assert!(!shown.contains(secret) && !whole.contains(secret), "{secret}: {whole}");
            }
            assert!(whole.contains("\"A\": \"ghp_…\"") && whole.contains("\"C\": \"…\""), "{whole}");
            assert!(variables.iter().all(|(_, variable)| whole.contains(variable)), "{whole}");
        }
        let nested = "mcpServers:\n  - name: a\n    url: https://a.example\n    requestOptions:\n      headers:\n        Authorization: Bearer abcdefgh\n";
        assert!(!unified(Path::new("config.yaml"), nested, "", false).contains("abcdefgh"));
    }

    #[test]
    fn w1_of_comments_and_of_what_may_be_secret_elsewhere_a_diff_shows_nothing() {
        for (path, text) in [
            (
                "mcp.json",
                r#"{ // "env": {"T": "ghp_1234567890"}
                /* "ghp_1234567890"
                   ghp_1234567890 */ "mcpServers": {"//": 1, "a": {"command": "x"}} // ghp_1234567890
                }"#,
            ),
            (
                "config.toml",
                "# ghp_1234567890\n[mcp_servers.'a#b'] # ghp_1234567890\ncommand = 'x#' # ghp_1234567890\n",
            ),
            ("config.toml", "[shell_environment_policy]\nset = { GH = 'ghp_1234567890' }\n"),
            (
                "config.yaml",
                "mcpServers: # ghp_1234567890\n  # ghp_1234567890\n  - name: a#b\n    command: x # ghp_1234567890\n",
            ),
            (
                "config.yaml",
                "x: &e {T: ghp_1234567890}\ny: &s ghp_1234567890\nmcpServers:\n  - name: a\n    env: *e\n",
            ),
            ("config.yaml", "mcpServers:\n  - name: a\n    command: x\n---\n- env: {T: ghp_1234567890}\n"),
            ("config.yaml", "mcpServers:\n  - name: a\n    command: x\n...\nT: ghp_1234567890\n"),
            ("mcp.json", r#"{"inputs": [{"id": "i", "default": "ghp_1234567890"}], "servers": {}}"#),
            (
                "settings.json",
                r#"{"terminal.integrated.env.linux": {"GH": "ghp_1234567890"}, "mcp": {"servers": {}}}"#,
            ),
            (
                "mcp.json",
                r#"{"mcpServers": {"token-server": {"command": "x", "args": ["--key", "ghp_1234567890"]}}}"#,
            ),
        ] {
            let shown = unified(Path::new(path), text, "", false);
            assert!(!shown.contains("1234567890"), "{shown}");
            assert!(shown.contains('…') && shown.lines().count() > 3, "{path}: {shown}");
            assert!(!text.contains("a#b") || shown.contains("a#b"), "{shown}");
        }
    }

    #[test]
    fn w1_of_secrets_in_commands_and_urls_a_diff_shows_the_beginning() {
        let token = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
        let command = |own: &str| {
            format!(
                "{own}npx -y @scope/a-package --token {token} --name=${{HOME}}/x postgres://me:pw@host/db"
            )
        };
        let file = |command: &str| {
            let words: Vec<&str> = command.split(' ').collect();
            let far = format!("https://host.example/{token}/mcp?key={token}");
            let servers =
                serde_json::json!({"a": {"command": words[0], "args": words[1..]}, "b": {"url": far}});
            format!("{:#}\n", serde_json::json!({"mcpServers": servers}))
        };
        let ours = command("mcp-disclosure serve --mcp-config /not/there/0123456789abcdef.json -- ");
        let whole = |text: &str| unified(Path::new("mcp.json"), &file(text), "", false);
        let shown = whole(&command("")) + &whole(&ours);
        assert!(!shown.contains(token) && !shown.contains("pw@"), "{shown}");
        for word in [
            "@scope/a-package",
            "ghp_…",
            "--name=${HOME}/x",
            "postgres://host/…",
            "/not/there/0123456789abcdef.json",
        ] {
            assert!(shown.contains(&format!("\"{word}\"")), "{word}: {shown}");
        }
        assert!(shown.contains("https://host.example/…?…"), "{shown}");
    }

    #[test]
    fn w1_variables_are_no_secrets_however_many_there_are() {
        for (text, bare) in [
            ("${A}", ""),
            ("a-${A}-{env:B}{file:c}", "a--"),
            ("${A:-x}", "${A:-x}"),
            ("{a}$B", "{a}$B"),
            ("${${A}", "${"),
            ("${A", "${A"),
        ] {
            assert_eq!(without_variables(text), bare, "{text}");
        }
        assert_eq!(without_variables(&"${A}".repeat(100_000)), "");
        assert_eq!(without_variables(&"${".repeat(100_000)).len(), 200_000);
    }

    #[test]
    fn w1_a_diff_shows_what_changes_and_obeys_no_control_characters() {
        let (before, after) =
            ("{\r\n\"\u{202e}\": 1,\r\n\"c\": 1}\r\n", "{\r\n\"\u{202e}\": 1,\r\n\"d\": 1}\r\n");
        let shown = unified(Path::new("f.json"), before, after, false);
        assert_eq!(
            shown,
            "--- f.json\n+++ f.json\n@@ -1,3 +1,3 @@\n {\n \"\\u202e\": 1,\n-\"c\": 1}\n+\"d\": 1}\n"
        );
        assert!(unified(Path::new("f.json"), before, after, true).contains("\u{1b}[32m+\"d\": 1}\u{1b}[0m"));
    }
}
