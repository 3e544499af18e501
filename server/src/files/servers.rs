//! The upstreams that flags and files name.

use std::{collections::HashSet, path::Path};

use mcp_disclosure_gateway::Problem;

use super::{Files, Origin};
use crate::{
    config::{Named, Servers, upstreams},
    launcher::quoted,
};

impl Servers {
    /// Logs the servers that are not served, and why.
    pub fn log(&self) {
        self.switched_off.iter().for_each(|off| tracing::info!("{off}"));
        self.left_out.iter().for_each(|left_out| tracing::warn!("{left_out}"));
    }

    /// The upstreams of files, of arguments and, if it is served, the program's own. A configuration has been read.
    ///
    /// # Errors
    /// Every problem, with its file, place and a hint.
    pub(super) fn of(origin: &Origin, files: &Files, own: Option<&Named>) -> Result<Self, Vec<Problem>> {
        let (mut found, mut problems) = (Self::default(), Vec::new());
        let config = files.config().and_then(|config| Some((config, config.said.as_ref().ok()?)));
        if let Some((config, file)) = config {
            match upstreams(file, config.folder()) {
                Ok(upstreams) => found.upstreams = signing_in(upstreams, "config", &config.path),
                Err(wrong) => problems.extend(wrong),
            }
        }
        for hosts in &files.hosts {
            match &hosts.said {
                Ok(file) => {
                    let Self { upstreams, switches, left_out, switched_off } = Self::clone(file);
                    found.upstreams.extend(signing_in(upstreams, "mcp-config", &hosts.path));
                    found.switches.extend(switches);
                    found.left_out.extend(left_out);
                    found.switched_off.extend(switched_off);
                }
                Err(wrong) => problems.extend(wrong.iter().cloned()),
            }
        }
        if origin.inherit {
            found.upstreams = found.upstreams.into_iter().map(Named::inheriting).collect();
        }
        let switched = origin.given.iter().filter_map(|given| {
            given.entry.as_ref()?.switches(given.name.as_deref()?, "the command line".to_owned())
        });
        found.switches.extend(switched);
        found.upstreams.extend(own.cloned());
        found.upstreams.extend(origin.given.iter().cloned());
        problems.extend(named_alike(&found.upstreams));
        let names_some =
            !files.hosts.is_empty() || config.is_some_and(|(_, file)| !file.upstreams.0.is_empty());
        // What a host switches off is named all the same, and may be switched on while the program runs.
        let is_none = found.upstreams.is_empty() && found.switched_off.is_empty();
        if is_none && problems.is_empty() && names_some {
            problems.append(&mut found.left_out);
            let hosts = files.hosts.iter().map(|hosts| &hosts.path);
            let named = config.iter().map(|(config, _)| &config.path).chain(hosts);
            let named = named.map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ");
            let problem = Problem::new(format!("{named}: no upstream is left"));
            problems.push(problem.hint("add one, or enable one"));
        }
        if problems.is_empty() { Ok(found) } else { Err(problems) }
    }
}

/// The upstreams of a file, with the command to sign in to each.
fn signing_in(upstreams: Vec<Named>, flag: &str, path: &Path) -> Vec<Named> {
    // The command may be run in another folder.
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let files = format!(" --{flag} {}", quoted(&path.to_string_lossy()));
    upstreams.into_iter().map(|upstream| upstream.signing_in(&files)).collect()
}

/// Upstreams of the same name, whose tools could not be distinguished.
fn named_alike(upstreams: &[Named]) -> Vec<Problem> {
    let mut seen = HashSet::new();
    let names = upstreams.iter().filter_map(|upstream| upstream.name.as_ref());
    let again = names.filter(|name| !seen.insert(*name));
    let problem = |name| {
        Problem::new(format!("two upstreams are named '{name}'")).hint("give one of them another name")
    };
    again.map(problem).collect()
}
