//! Where what an operator declares comes from, as often as it is read.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use mcp_disclosure_core::{About, Rules};
use mcp_disclosure_gateway::{Problem, catalogue::Declared, slot::Upstreams, upstream::UpstreamConfig};

use super::{Contents, Found, Servers, read_directory};
use crate::config::{AccessFlags, DisclosureFile};

/// Where what an operator declares comes from.
#[derive(Clone, Debug, Default)]
pub struct Origin {
    /// What is declared without files.
    pub base: Declared,
    /// Where upstreams are named; without it, reading changes none.
    pub servers: Option<Servers>,
    /// Whether the start waits for upstreams of files, too.
    pub waits_for_all: bool,
    /// A directory of description files, instead of those without a directory.
    pub directory: Option<PathBuf>,
    /// The configuration, over what is said of the catalogue without it.
    pub config: Option<ConfigFile>,
    /// What flags say of who may come in.
    pub access: AccessFlags,
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
        let file = self.config.as_ref().map(|config| (config, DisclosureFile::read(&config.path)));
        let file = file.and_then(|(config, read)| Some((config, keep(read, &mut problems)?)));
        // What a broken configuration says of upstreams is unknown.
        let is_readable = problems.is_empty();
        let servers = self.servers.as_ref().filter(|_| is_readable);
        let of_file = file.as_ref().map(|(config, file)| (&*config.path, file));
        let found = servers.map(|servers| servers.read(of_file));
        let found = found.and_then(|found| keep(found, &mut problems));
        let laid_over = match &file {
            Some((config, file)) => keep(config.declare(file, &self.base), &mut problems),
            None => Some((self.base.about.clone(), Rules::clone(&self.base.rules))),
        };
        let nothing = DisclosureFile::default();
        let (folder, said) = match &file {
            Some((config, file)) => (config.path.parent(), file),
            None => (None, &nothing),
        };
        // A broken configuration says nothing of it.
        let access = if is_readable {
            said.access(folder.unwrap_or(Path::new("")), &self.access)
        } else {
            Err(vec![])
        };
        let access = keep(access, &mut problems);
        let files = match &self.directory {
            Some(directory) => keep(read_directory(directory).map(Into::into), &mut problems),
            None => Some(Arc::clone(&self.base.files)),
        };
        let (Some((about, mut rules)), Some(files), Some(access), true) =
            (laid_over, files, access, problems.is_empty())
        else {
            return Err(problems);
        };
        let is_empty = file.is_some_and(|(_, file)| file == DisclosureFile::default());
        let upstreams = found.as_ref().map(|found| Upstreams::new(self.configs(found)));
        let found = found.unwrap_or_default();
        rules.switches.extend(found.switches.iter().cloned());
        let declared = Declared { upstreams, files, about, rules: Arc::new(rules) };
        Ok(Contents { declared, found, access, is_empty })
    }

    /// The gateway's configurations of upstreams.
    pub fn configs(&self, found: &Found) -> Vec<UpstreamConfig> {
        found.upstreams.iter().map(|upstream| upstream.clone().config(self.waits_for_all)).collect()
    }

    /// What people call it, with a verb.
    pub fn noun(&self) -> &'static str {
        if self.config.is_some() || self.servers.as_ref().is_some_and(|servers| !servers.hosts.is_empty()) {
            "configuration and description files were"
        } else {
            "description files were"
        }
    }

    /// The files and directories whose change is a reason to read again.
    pub fn watched(&self) -> Vec<PathBuf> {
        let hosts = self.servers.iter().flat_map(|servers| &servers.hosts);
        self.config.iter().map(|config| &config.path).chain(hosts).chain(&self.directory).cloned().collect()
    }
}

impl ConfigFile {
    /// What it says now, over what holds without it.
    fn declare(&self, now: &DisclosureFile, over: &Declared) -> Result<(About, Rules), Vec<Problem>> {
        let (about, mut rules) = now.declare(&over.about)?;
        rules.switches.extend(over.rules.switches.iter().cloned());
        for what in now.needs_restart_after(&self.first) {
            tracing::warn!("{}: {what} changed, which needs a restart", self.path.display());
        }
        Ok((about, rules))
    }
}

fn keep<T>(read: Result<T, Vec<Problem>>, problems: &mut Vec<Problem>) -> Option<T> {
    read.map_err(|found| problems.extend(found)).ok()
}
