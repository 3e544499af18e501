//! What identifies a gateway among those above it: the files, the command and the URLs that it serves.

use std::path::Path;

use mcp_disclosure_gateway::{
    Problem,
    lineage::{Lineage, Source},
    upstream::without_secrets,
};

use crate::flags::SourceArguments;

#[cfg(target_os = "linux")]
mod ancestors;

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
        #[cfg(target_os = "linux")]
        ancestors::check()?;
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
