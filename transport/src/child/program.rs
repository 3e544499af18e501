//! Programs to start as child processes, and the environment that they get.

use std::{
    collections::BTreeMap,
    ffi::{OsStr, OsString},
    fmt,
    path::PathBuf,
};

use tokio::process::Command;

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
            for name in own() {
                command.env_remove(name);
            }
        } else {
            command.env_clear().envs(minimal());
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

/// The variables that programs declared in a file get: the same that the clients of the official SDKs pass on.
#[cfg(not(windows))]
const INHERITED: &[&str] = &["HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"];

#[cfg(windows)]
const INHERITED: &[&str] = &[
    "APPDATA",
    "HOMEDRIVE",
    "HOMEPATH",
    "LOCALAPPDATA",
    "PATH",
    "PROCESSOR_ARCHITECTURE",
    "PROGRAMFILES",
    "SYSTEMDRIVE",
    "SYSTEMROOT",
    "TEMP",
    "USERNAME",
    "USERPROFILE",
];

/// The variables that every program gets.
fn minimal() -> impl Iterator<Item = (&'static str, OsString)> {
    INHERITED.iter().filter_map(|name| Some((*name, std::env::var_os(name).filter(|value| is_plain(value))?)))
}

/// The beginning of the names of this program's own variables, which may be secret, such as the session store's password.
const OWN: &str = "MCP_DISCLOSURE_";

/// The variables of this process that no program inherits.
fn own() -> impl Iterator<Item = OsString> {
    std::env::vars_os().map(|(name, _)| name).filter(|name| is_own(name))
}

fn is_own(name: &OsStr) -> bool {
    let beginning = name.as_encoded_bytes().get(..OWN.len());
    // Windows does not tell cases apart.
    beginning.is_some_and(|beginning| beginning.eq_ignore_ascii_case(OWN.as_bytes()))
}

/// Shells export functions as variables whose value starts like this.
fn is_plain(value: &OsStr) -> bool {
    !value.as_encoded_bytes().starts_with(b"()")
}
