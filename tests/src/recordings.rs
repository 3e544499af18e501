//! What real servers listed: one file for each, `NAME.json`, made by `tests/recordings/run.sh`.
//!
//! Their texts are other people's, so they are not part of the repository.

use std::{env, fs, path::Path};

use mcp_disclosure_core::{RawObject, UpstreamLists, UpstreamName};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// The variable that names the folder of recordings.
pub const FOLDER: &str = "RECORDINGS";

/// What a server listed.
#[derive(Debug, Deserialize, Serialize)]
pub struct Recorded {
    /// Its `serverInfo`.
    pub server: Box<RawValue>,
    /// Its `instructions`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions: Option<String>,
    /// Its tools, as sent.
    pub tools: Vec<Box<RawValue>>,
}

impl Recorded {
    /// Reads a recording.
    ///
    /// # Errors
    /// Why it cannot be read, with the path.
    pub fn read(path: &Path) -> Result<Self, String> {
        let place = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
        let text = fs::read_to_string(path).map_err(|error| place(&error))?;
        serde_json::from_str(&text).map_err(|error| place(&error))
    }
}

impl Recorded {
    /// The lists of an upstream of this name.
    pub fn lists(self, name: &str) -> UpstreamLists {
        UpstreamLists {
            server_info: RawObject::parse(self.server.get()).unwrap(),
            tools: self.tools.into_iter().map(Into::into).collect(),
            instructions: self.instructions,
            ..UpstreamLists::empty(UpstreamName::parse(name).unwrap())
        }
    }
}

/// The servers in the folder that [`FOLDER`] names, by name; `None` if it names none. Tests over real servers run where
/// they are recorded, as in `.ci/full recordings`.
pub fn recorded() -> Option<Vec<(String, Recorded)>> {
    let folder = env::var_os(FOLDER)?;
    let files = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let name = |path: &Path| path.file_stem().unwrap().to_str().unwrap().to_owned();
    let mut servers: Vec<_> = files
        .map(|path| (name(&path), Recorded::read(&path).unwrap_or_else(|error| panic!("{error}"))))
        .collect();
    servers.sort_by(|(one, _), (other, _)| one.cmp(other));
    Some(servers)
}
