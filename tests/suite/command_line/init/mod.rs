//! `init` and `undo`, as a person runs them, with a home of their own.

mod asking;
mod counting;
mod entry;
mod gathering;
mod rules;
mod undoing;

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use kit::process::{Ended, Process};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{ODD, program};

/// A person's folders: a home, and a project in which commands run.
struct Person {
    root: TempDir,
}

impl Person {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        for folder in ["home", "project"] {
            fs::create_dir(root.path().join(folder)).unwrap();
        }
        Self { root }
    }

    /// A person with this file.
    fn having(path: &str, text: &str) -> (Self, PathBuf) {
        let person = Self::new();
        let file = person.write(path, text);
        (person, file)
    }

    fn path(&self, path: &str) -> PathBuf {
        self.root.path().join(path)
    }

    fn write(&self, path: &str, text: &str) -> PathBuf {
        let file = self.path(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, text).unwrap();
        file
    }

    fn at_home(&self, mut command: Command) -> Command {
        command.current_dir(self.path("project")).env("HOME", self.path("home"));
        for name in ["XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "MCP_DISCLOSURE_LAUNCHER"] {
            command.env_remove(name);
        }
        command
    }

    #[track_caller]
    fn run(&self, arguments: &[&str]) -> Ended {
        Process::start(&mut self.at_home(program(arguments))).finish()
    }

    /// The file with the servers behind our entry of a user's host.
    #[track_caller]
    fn gathered(&self) -> PathBuf {
        let is_it = |file: &PathBuf| file.parent().unwrap().ends_with("gathered");
        self.kept().into_iter().find(is_it).expect("servers behind our entry")
    }

    /// The backups and other files of ours, but for the lock.
    fn kept(&self) -> Vec<PathBuf> {
        let mut files = Vec::new();
        for folder in ["home/.local/state/mcp-disclosure/init", "home/.config/mcp-disclosure/gathered"] {
            let entries = fs::read_dir(self.path(folder)).into_iter().flatten();
            let paths = entries.map(|entry| entry.unwrap().path());
            files.extend(paths.filter(|path| !path.ends_with("lock")));
        }
        files
    }

    /// The command of an entry, as a host starts it.
    #[track_caller]
    fn entry(&self, file: &str, name: &str) -> Command {
        let entry = &parsed(&self.path(file))["mcpServers"][name];
        let mut command = Command::new(entry["command"].as_str().unwrap());
        command.args(entry["args"].as_array().unwrap().iter().map(|word| word.as_str().unwrap()));
        for (name, value) in entry["env"].as_object().into_iter().flatten() {
            command.env(name, value.as_str().unwrap());
        }
        self.at_home(command)
    }

    #[track_caller]
    fn started(&self, file: &str, name: &str) -> Process {
        let mut server = Process::start(&mut self.entry(file, name));
        server.initialize();
        server
    }
}

fn servers(servers: &Value) -> String {
    format!("{:#}\n", json!({"mcpServers": servers})).replace("ODD", ODD)
}

/// A host's file with one server, `plain`, which is the odd upstream.
fn plain() -> String {
    servers(&json!({"plain": odd("ordinary")}))
}

/// The entry of the odd upstream in this mode.
fn odd(mode: &str) -> Value {
    json!({"command": "ODD", "args": [mode]})
}

/// What a file says.
#[track_caller]
fn text(file: &Path) -> String {
    fs::read_to_string(file).unwrap()
}

/// The same as JSON.
#[track_caller]
fn parsed(file: &Path) -> Value {
    serde_json::from_str(&text(file)).unwrap()
}

/// The names of its servers.
#[track_caller]
fn names(file: &Path) -> Vec<String> {
    parsed(file)["mcpServers"].as_object().unwrap().keys().cloned().collect()
}

const FILE: &str = "home/.codeium/windsurf/mcp_config.json";

/// That of another host.
const OTHER: &str = "home/.config/Claude/claude_desktop_config.json";
