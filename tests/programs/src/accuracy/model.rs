//! The model: any program that reads one JSON line a turn and writes one.

use std::{
    io::{BufRead, BufReader, Write},
    process::{Child, Command, Stdio},
};

use serde::Deserialize;
use serde_json::Value;

use super::Failure;

/// What the model does in one turn.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Turn {
    /// The calls that it makes, in this order.
    pub calls: Vec<Call>,
    /// The tasks that it has done, or that cannot be done, by id.
    pub finished: Vec<String>,
}

/// A call.
#[derive(Clone, Debug, Deserialize)]
pub struct Call {
    /// The task that it is for, by id.
    pub task: String,
    /// The tool's name, as listed.
    pub tool: String,
    /// The arguments.
    #[serde(default)]
    pub arguments: Value,
}

/// A model's program. Dropping it ends it.
pub struct Model {
    child: Option<Child>,
    reads: Box<dyn Write>,
    writes: Box<dyn BufRead>,
}

impl Model {
    /// The command for whatever is at the other end of this program's own stdin and stdout.
    pub const HERE: &str = "-";

    /// The command, run by a shell, or [`HERE`](Self::HERE).
    ///
    /// # Errors
    /// Why it cannot be started.
    pub fn start(command: &str) -> Result<Self, Failure> {
        if command == Self::HERE {
            let writes = Box::new(BufReader::new(std::io::stdin()));
            return Ok(Self { child: None, reads: Box::new(std::io::stdout()), writes });
        }
        let mut shell = Command::new("sh");
        let child = shell.args(["-c", command]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut child = child.map_err(|error| format!("sh: {error}"))?;
        let (Some(reads), Some(writes)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("the model's streams are not piped".into());
        };
        Ok(Self { child: Some(child), reads: Box::new(reads), writes: Box::new(BufReader::new(writes)) })
    }

    /// One turn: what the host says, and what the model does.
    ///
    /// # Errors
    /// That the model has ended. `Ok(Err(_))` says why its line cannot be used.
    pub fn turn(&mut self, said: &Value) -> Result<Result<Turn, String>, Failure> {
        self.say(said)?;
        let mut line = String::new();
        if self.writes.read_line(&mut line)? == 0 {
            return Err("the model ended before the tasks did".into());
        }
        Ok(serde_json::from_str(&line).map_err(|error| error.to_string()))
    }

    /// Says something that needs no answer.
    ///
    /// # Errors
    /// That the model has ended.
    pub fn say(&mut self, said: &Value) -> Result<(), Failure> {
        writeln!(self.reads, "{said}")?;
        Ok(self.reads.flush()?)
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        self.reads = Box::new(std::io::sink());
        if let Some(child) = &mut self.child {
            // It may have ended by itself.
            let _gone = child.kill().and_then(|()| child.wait());
        }
    }
}
