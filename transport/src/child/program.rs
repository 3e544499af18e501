//! Programs to start as child processes.

use std::{collections::BTreeMap, fmt, path::PathBuf};

use tokio::process::Command;

use super::environment;

/// A program, and how to start it.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Program {
    /// The executable, as a path or looked up on the PATH.
    pub program: String,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Environment variables, in addition to inherited ones.
    pub environment: BTreeMap<String, String>,
    /// Whether it inherits the whole environment but for this program's own variables, not only the basic ones.
    pub inherits: bool,
    /// Its working directory; `None` for that of this process.
    pub directory: Option<PathBuf>,
}

impl Program {
    /// The command that starts it.
    pub fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        if self.inherits {
            for name in environment::own() {
                command.env_remove(name);
            }
        } else {
            command.env_clear().envs(environment::minimal());
        }
        command.args(&self.arguments).envs(&self.environment);
        if let Some(directory) = &self.directory {
            command.current_dir(directory);
        }
        command
    }
}

/// Omits arguments and environment, which may be secret.
impl fmt::Debug for Program {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Program").field("program", &self.program).finish_non_exhaustive()
    }
}
