//! What is measured: a program that serves MCP over stdio in front of the servers of a host's file.

use std::{ffi::OsString, path::Path, process::Command};

/// A program in front of recorded servers, and the row that it makes.
#[derive(Clone, Debug)]
pub struct Front {
    label: String,
    /// The program and its arguments but for the last, which is the host's file.
    words: Vec<OsString>,
}

impl Front {
    /// The gateway `program` with these arguments of `serve`, which are also its label.
    pub fn gateway(program: &Path, arguments: &str) -> Self {
        let mut words: Vec<OsString> = vec![program.into(), "serve".into(), "--log".into(), "error".into()];
        words.extend(arguments.split_whitespace().map(Into::into));
        words.push("--mcp-config".into());
        Self { label: arguments.to_owned(), words }
    }

    /// Any other program, as `LABEL=COMMAND`. The command is a shell's, and gets the host's file as its last argument.
    ///
    /// # Errors
    /// That one of the two is missing.
    pub fn parse(text: &str) -> Result<Self, String> {
        let missing = || "expected LABEL=COMMAND".to_owned();
        let (label, command) = text.split_once('=').ok_or_else(missing)?;
        let (label, command) = (label.trim(), command.trim());
        if label.is_empty() || command.is_empty() {
            return Err(missing());
        }
        // In place of the shell, so that the host ends the program and not the shell alone.
        let words = ["sh", "-c", &format!("exec {command} \"$1\""), "sh"].map(OsString::from);
        Ok(Self { label: label.to_owned(), words: words.into() })
    }

    /// The label of its row.
    pub fn label(&self) -> &str {
        &self.label
    }

    /// The command in front of the servers of this host's file.
    pub(super) fn command(&self, servers: &Path) -> Command {
        let mut command = Command::new(&self.words[0]);
        command.args(&self.words[1..]).arg(servers);
        command
    }
}
