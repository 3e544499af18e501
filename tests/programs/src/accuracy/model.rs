//! The model: any program that reads one JSON line a turn and writes one.

use std::{
    io::{BufRead, BufReader, Write},
    process::{Command, Stdio},
};

use kit::Apart;
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
    _child: Option<Apart>,
    reads: Box<dyn Write>,
    writes: Box<dyn BufRead>,
}

impl Model {
    /// The command for whatever is at the other end of this program's own stdin and stdout.
    pub const HERE: &str = "-";

    /// The command, run by a shell, or [`HERE`](Self::HERE).
    pub fn start(command: &str) -> Self {
        if command == Self::HERE {
            let writes = Box::new(BufReader::new(std::io::stdin()));
            return Self { _child: None, reads: Box::new(std::io::stdout()), writes };
        }
        let mut shell = Command::new("sh");
        let (child, reads, writes) = Apart::start(shell.args(["-c", command]), Stdio::inherit());
        Self { _child: Some(child), reads: Box::new(reads), writes: Box::new(writes) }
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
