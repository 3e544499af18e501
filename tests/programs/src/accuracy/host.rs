//! An ordinary host of a gateway, or of any other front: what a model sees of it, and its calls.

use std::{
    fs,
    io::{Read, Seek, SeekFrom},
    path::{Path, PathBuf},
};

use serde::Serialize;
use serde_json::{Map, Value, json};
use tempfile::TempDir;

use super::{
    Failure, Front, Task,
    replay::ROLE,
    task::{Reached, upstreams},
};
use kit::process::Process;

/// What a host puts before a model, once.
#[derive(Clone, Debug, Serialize)]
pub struct Seen {
    /// The server's instructions.
    pub instructions: String,
    /// Its tools: `name`, `description` and `inputSchema`, as model APIs take them.
    pub tools: Vec<Value>,
}

/// A front of replays of recorded lists, and a client of it.
#[derive(Debug)]
pub struct Host {
    front: Process,
    journal: fs::File,
    instructions: String,
    _folder: TempDir,
}

impl Host {
    /// Starts the front, in front of every recording in `recordings`.
    ///
    /// # Errors
    /// Why it cannot be started; an upstream that tasks name and that is not recorded.
    pub fn start(front: &Front, recordings: &Path, tasks: &[Task]) -> Result<Self, Failure> {
        let folder = tempfile::tempdir()?;
        let journal = folder.path().join("journal");
        let config = folder.path().join("servers.json");
        fs::write(&config, servers(recordings, &journal, tasks)?.to_string())?;
        let mut front = Process::start(&mut front.command(&config));
        let hello = front.initialize();
        let instructions = hello["instructions"].as_str().unwrap_or_default().to_owned();
        let journal = fs::OpenOptions::new().read(true).append(true).create(true).open(journal)?;
        Ok(Self { front, journal, instructions, _folder: folder })
    }

    /// What the model sees.
    pub fn seen(&mut self) -> Seen {
        let shown = |tool: Value| {
            let Value::Object(tool) = tool else { return tool };
            let kept = ["name", "description", "inputSchema"];
            tool.into_iter().filter(|(key, _)| kept.contains(&&**key)).collect::<Map<_, _>>().into()
        };
        Seen {
            instructions: self.instructions.clone(),
            tools: self.front.tools().into_iter().map(shown).collect(),
        }
    }

    /// Sends the model's call: the text that the model reads, and what reached upstreams.
    ///
    /// # Errors
    /// Why the journal cannot be read.
    pub fn call(&mut self, tool: &str, arguments: Value) -> Result<(String, Vec<Reached>), Failure> {
        let end = self.journal.seek(SeekFrom::End(0))?;
        let answer = self.front.call(tool, arguments);
        let text = match &answer["result"]["content"] {
            Value::Array(parts) => {
                parts.iter().filter_map(|part| part["text"].as_str()).collect::<Vec<_>>().join("\n")
            }
            _ => format!("Error: {}", answer["error"]["message"].as_str().unwrap_or_default()),
        };
        let mut written = String::new();
        self.journal.seek(SeekFrom::Start(end))?;
        self.journal.read_to_string(&mut written)?;
        let reached = written.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
        Ok((text, reached))
    }
}

/// A host's file in which every upstream is a replay by this program.
fn servers(recordings: &Path, journal: &Path, tasks: &[Task]) -> Result<Value, Failure> {
    let this = std::env::current_exe()?;
    let files = fs::read_dir(recordings).map_err(|error| format!("{}: {error}", recordings.display()))?;
    let files = files.filter_map(|file| Some(file.ok()?.path()));
    let mut files: Vec<PathBuf> =
        files.filter(|file| file.extension().is_some_and(|it| it == "json")).collect();
    files.sort();
    let mut servers = Map::new();
    for file in &files {
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let file = file.canonicalize()?;
        let entry = json!({"command": this, "args": [ROLE, name, file, journal]});
        servers.insert(name, entry);
    }
    match upstreams(tasks).into_iter().find(|name| !servers.contains_key(*name)) {
        Some(missing) => Err(format!("{} has no {missing}.json", recordings.display()).into()),
        None => Ok(json!({ "mcpServers": servers })),
    }
}
