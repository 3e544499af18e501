//! Where what an operator declares comes from, as often as it is read.

use std::{path::PathBuf, sync::Arc};

use mcp_disclosure_core::{About, Rules};
use mcp_disclosure_gateway::{Problem, catalogue::Declared};

use super::{Contents, read_directory};
use crate::config::DisclosureFile;

/// Where what an operator declares comes from.
#[derive(Clone, Debug, Default)]
pub struct Origin {
    /// Declarations that are not read from files again: hosts' switches, and those of the program's own server.
    pub base: Declared,
    /// A directory of description files, instead of those without a directory.
    pub directory: Option<PathBuf>,
    /// The configuration, over what is said of the catalogue without it.
    pub config: Option<ConfigFile>,
}

/// A configuration that may change while the program runs.
#[derive(Clone, Debug)]
pub struct ConfigFile {
    /// The file.
    pub path: PathBuf,
    /// What it said at the start.
    pub first: Arc<DisclosureFile>,
}

impl Origin {
    /// Reads all of it.
    ///
    /// # Errors
    /// Every problem there is, with its file and a hint.
    pub fn read(&self) -> Result<Contents, Vec<Problem>> {
        let mut problems = Vec::new();
        let base = &self.base;
        let config = match &self.config {
            Some(config) => config.declare(base),
            None => Ok((base.about.clone(), Rules::clone(&base.rules), false)),
        };
        let config = config.map_err(|message| problems.extend(message));
        let files = match &self.directory {
            Some(directory) => read_directory(directory).map(Into::into),
            None => Ok(Arc::clone(&base.files)),
        };
        let files = files.map_err(|message| problems.extend(message));
        match (config, files) {
            (Ok((about, rules, is_empty)), Ok(files)) => {
                Ok(Contents { declared: Declared { files, about, rules: Arc::new(rules) }, is_empty })
            }
            _ => Err(problems),
        }
    }

    /// What people call it, with a verb.
    pub fn noun(&self) -> &'static str {
        if self.config.is_some() {
            "configuration and description files were"
        } else {
            "description files were"
        }
    }

    /// The files and directories whose change is a reason to read again.
    pub fn watched(&self) -> Vec<PathBuf> {
        self.config.iter().map(|config| &config.path).chain(&self.directory).cloned().collect()
    }
}

impl ConfigFile {
    /// What it says, with the switches that hold without it; and whether that is nothing at all.
    fn declare(&self, over: &Declared) -> Result<(About, Rules, bool), Vec<Problem>> {
        let now = DisclosureFile::read(&self.path)?;
        let (about, mut rules) = now.declare(&over.about)?;
        rules.switches.extend(over.rules.switches.iter().cloned());
        for what in now.needs_restart_after(&self.first) {
            tracing::warn!("{}: {what} changed, which needs a restart", self.path.display());
        }
        Ok((about, rules, now == DisclosureFile::default()))
    }
}
