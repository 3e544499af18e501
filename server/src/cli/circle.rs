//! What identifies a gateway among those above it: the files, the command and the URLs that it serves.
//!
//! On Linux, the processes above this one show a circle also where a wrapper such as `env -i` or `sudo` has cleared the environment
//! that names the gateways above.

use std::{
    fs,
    path::{Path, PathBuf},
};

use mcp_disclosure_gateway::{
    Problem,
    lineage::{Lineage, Source},
    upstream::without_secrets,
};

use crate::flags::SourceArguments;

/// Maximum number of processes of this program above one, whatever they serve.
const MOST: usize = 8;

/// Maximum number of processes that are looked at.
const LOOKED_AT: usize = 256;

impl SourceArguments {
    /// This process among the gateways that started it, with what these arguments serve.
    ///
    /// # Errors
    /// If the environment names gateways in a form that none writes.
    pub(super) fn lineage(&self) -> Result<Lineage, Problem> {
        let files = self.config.iter().chain(&self.mcp_config).map(|path| file(path));
        let command = self.command.split_first().map(|(program, arguments)| command(program, arguments));
        let urls =
            self.upstream_url.iter().map(|url| Source::new(without_secrets(url), ["url", url.as_str()]));
        let sources: Vec<Source> = files.chain(command).chain(urls).collect();
        check()?;
        Ok(Lineage::of_process()?.serving(&sources))
    }
}

/// A file, by its path without links.
fn file(path: &Path) -> Source {
    let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let path = real.to_string_lossy();
    Source::new(&*path, ["file", &path])
}

/// A command. Its arguments may be secret, and are not shown.
fn command(program: &str, arguments: &[String]) -> Source {
    // A name without separators is looked up on the PATH, not here.
    let is_path = program.contains(std::path::is_separator);
    let real = is_path.then(|| Path::new(program).canonicalize().ok()).flatten();
    let real = real.map_or_else(|| program.to_owned(), |path| path.to_string_lossy().into_owned());
    let parts = ["command", &real].into_iter().chain(arguments.iter().map(String::as_str));
    Source::new(format!("the command {program}"), parts)
}

/// A process, as far as the system shows it.
#[derive(Debug, PartialEq, Eq)]
struct Process {
    program: PathBuf,
    /// Without the name that the program was started by.
    arguments: Vec<Vec<u8>>,
    directory: PathBuf,
}

impl Process {
    fn of(id: &str) -> Option<Self> {
        let link = |name: &str| fs::read_link(format!("/proc/{id}/{name}")).ok();
        let command = fs::read(format!("/proc/{id}/cmdline")).ok()?;
        let arguments = command.split(|byte| *byte == 0).skip(1).map(<[u8]>::to_vec).collect();
        Some(Self { program: link("exe")?, arguments, directory: link("cwd")? })
    }
}

/// Checks that this process is not one that it was started by, with the same arguments in the same folder.
///
/// # Errors
/// If it is, or if too many of this program are above it.
fn check() -> Result<(), Problem> {
    let Some(own) = Process::of("self") else { return Ok(()) };
    let above: Vec<Process> = std::iter::successors(parent("self"), |id| parent(id))
        .take(LOOKED_AT)
        .filter_map(|id| Process::of(&id))
        .filter(|process| process.program == own.program)
        .collect();
    if above.contains(&own) {
        return Err(Problem::new("this program was started by itself, with the same arguments")
            .hint("remove the upstream that starts it again"));
    }
    if above.len() > MOST {
        let message =
            format!("{} processes of this program are above this one; at most {MOST} may be", above.len());
        return Err(Problem::new(message).hint("does one of their upstreams start it again?"));
    }
    Ok(())
}

/// The parent of a process, until the first one.
fn parent(id: &str) -> Option<String> {
    let stat = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    parent_in(&stat).filter(|parent| *parent != "0").map(str::to_owned)
}

/// The second field after the name, which is in parentheses and may contain anything.
fn parent_in(stat: &str) -> Option<&str> {
    stat.rsplit_once(')')?.1.split_whitespace().nth(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn u12_a_parent_is_found_whatever_its_child_is_called() {
        assert_eq!(parent_in("12 (cat) S 7 12 7"), Some("7"));
        assert_eq!(parent_in("12 (a) R 1 (b)) S 34 12"), Some("34"));
        assert_eq!(parent_in("12"), None);
        assert_eq!(parent("self"), Some(std::os::unix::process::parent_id().to_string()));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn u12_a_process_is_itself_and_not_its_parent() {
        let own = Process::of("self").unwrap();
        assert_eq!(Process::of(&std::process::id().to_string()), Some(own));
        assert!(check().is_ok());
    }
}
