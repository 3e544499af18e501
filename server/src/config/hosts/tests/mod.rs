//! What is read of hosts' files, and what is said of the rest.

pub(crate) mod each_host;
mod properties;

use std::path::PathBuf;

use mcp_disclosure_gateway::upstream::{Endpoint, EndpointKind, Target};
use tempfile::TempDir;

use super::*;

/// What the environment holds in these tests.
fn environment(name: &str) -> Option<String> {
    let value = match name {
        shape::HOME => "/home/me",
        "TOKEN" => "t0ken",
        "MODE" => "fast",
        "CONFIG" => "/etc/db.toml",
        "MCP_DISCLOSURE_INPUT_GIVEN_KEY" => "given",
        _ => return None,
    };
    Some(value.to_owned())
}

/// A project of one host's file, `.env` and `token.txt`.
struct Project {
    directory: TempDir,
    read: Result<Servers, Problem>,
}

impl Project {
    /// `text` as the file of this path in the project, seen from `/now`.
    fn of(path: &str, text: &str) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path();
        std::fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
        std::fs::create_dir_all(root.join("tools")).unwrap();
        std::fs::write(root.join(".env"), "FROM_FILE=\"${f}\"\nPORT=1\n").unwrap();
        std::fs::write(root.join("token.txt"), "from-a-file\n").unwrap();
        // A user's file has no project; then we are in it.
        let outside = PathBuf::from("/now");
        let is_of_project =
            FileContext::new(&root.join(path), outside.clone(), &environment).project.is_some();
        let current = if is_of_project || path.ends_with(".claude.json") { outside } else { root.to_owned() };
        let path = root.join(path);
        let read = parse(&path, text, &FileContext::new(&path, current, &environment));
        Self { directory, read }
    }

    fn file(&self) -> &Servers {
        self.read.as_ref().unwrap()
    }

    /// Without the names of temporary directories.
    fn tidy(&self, text: String) -> String {
        let root = self.directory.path().to_str().unwrap();
        let name = self.directory.path().file_name().unwrap().to_str().unwrap();
        text.replace(root, "PROJECT").replace(name, "PROJECT")
    }

    /// The servers that are used, in a line each, with variables filled.
    fn used(&self) -> Vec<String> {
        let line = |named: &Named| {
            let target = match &named.target {
                Target::Command(program) => {
                    let words = [std::slice::from_ref(&program.program), &program.arguments].concat();
                    let directory = program.directory.as_ref().map(|path| format!(" in {}", path.display()));
                    format!("{}{} {:?}", words.join(" "), directory.unwrap_or_default(), program.environment)
                }
                Target::Url(Endpoint { url, kind, headers, .. }) => {
                    let kind = if *kind == EndpointKind::Sse { " by SSE" } else { "" };
                    let headers =
                        headers.iter().map(|(name, value)| format!(" {name}={}", value.to_str().unwrap()));
                    format!("{url}{kind}{}", headers.collect::<String>())
                }
                other => panic!("{other}"),
            };
            self.tidy(format!("{}: {target}", named.name.as_ref().unwrap()))
        };
        self.file().upstreams.iter().map(line).collect()
    }

    /// Which tools exist: the only ones, and not these.
    fn switches(&self) -> Vec<String> {
        let texts = |patterns: &[mcp_disclosure_core::Pattern]| {
            patterns.iter().map(|pattern| pattern.text().to_owned()).collect::<Vec<_>>().join(",")
        };
        let line = |switches: &Switches| {
            let allow = switches.allow.as_deref().map(|allow| format!(" only {}", texts(allow)));
            let hidden = Some(texts(&switches.hidden)).filter(|hidden| !hidden.is_empty());
            let hidden = hidden.map(|hidden| format!(" not {hidden}"));
            format!("{}:{}{}", switches.upstream, allow.unwrap_or_default(), hidden.unwrap_or_default())
        };
        self.file().switches.iter().map(line).collect()
    }

    /// Line, message and hint of what is left out.
    fn left_out(&self) -> Vec<String> {
        let file = self.file();
        let lines = file.left_out.iter().map(|problem| {
            let line = problem.place().map_or(0, |place| place.line);
            self.tidy(format!("{line}: {} ({})", problem.message(), problem.remedy().unwrap_or_default()))
        });
        lines.collect()
    }

    fn switched_off(&self) -> Vec<&str> {
        self.file().switched_off.iter().map(Problem::message).collect()
    }
}

#[test]
fn the_documentation_names_every_key() {
    let page = include_str!("../../../../../docs/clients.md");
    let keys = SHAPES.iter().flat_map(|shape| shape.keys);
    let missing: Vec<_> = keys.filter(|(key, _)| !page.contains(&format!("`{key}`"))).collect();
    assert!(missing.is_empty(), "docs/clients.md: {missing:?}");
}
