//! Writing what is planned, and what `init` did to each file, kept so that `undo` can give back the bytes that were there.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};

use etcetera::BaseStrategy;
use mcp_disclosure_core::digest::hex;
use mcp_disclosure_gateway::Problem;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{Moved, Plan, keep, key, write};
use crate::{
    failure::Failure,
    files::{Change, Unwritten, make_private_folder},
};

/// The version of this format; other ones are not read.
const VERSION: u32 = 1;

/// The edits of one file, the latest one last.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Record {
    version: u32,
    /// The file, without links.
    pub(crate) path: PathBuf,
    pub(crate) steps: Vec<Step>,
}

/// One edit of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Step {
    pub(crate) before: String,
    pub(crate) after: String,
    /// The folder in which `init` was run, on which the servers of Claude Code's projects depend.
    pub(crate) current: PathBuf,
    /// The files that servers were moved to, with the digests of their texts.
    pub(crate) gathered: Vec<(PathBuf, String)>,
}

impl Step {
    /// What is kept of an edit.
    pub(crate) fn of(change: &Change, current: &Path, moved: &[Moved]) -> Self {
        let Change { before, after, .. } = change.clone();
        let gathered = moved.iter().map(|moved| (moved.file.clone(), digest(&moved.text))).collect();
        Self { before: before.unwrap_or_default(), after, current: current.to_owned(), gathered }
    }

    /// The files that servers were moved to, with their texts, that are not as `init` wrote them.
    pub(crate) fn changed(&self) -> Vec<(&Path, io::Result<String>)> {
        let changed = self.gathered.iter().filter_map(|(file, written)| match fs::read_to_string(file) {
            Ok(text) if digest(&text) == *written => None,
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            read => Some((file.as_path(), read)),
        });
        changed.collect()
    }
}

impl Record {
    pub(crate) fn new(path: &Path) -> Self {
        Self { version: VERSION, path: path.to_owned(), steps: Vec::new() }
    }
}

/// The folder of records.
#[derive(Clone, Debug)]
pub(crate) struct Records(PathBuf);

impl Records {
    /// The records of this user.
    ///
    /// # Errors
    /// If the user has no home.
    pub(crate) fn of_user() -> Result<Self, Failure> {
        let base = folders()?;
        Ok(Self(base.state_dir().unwrap_or_else(|| base.data_dir()).join("mcp-disclosure").join("init")))
    }

    #[cfg(test)]
    pub(crate) fn within(folder: &Path) -> Self {
        Self(folder.to_owned())
    }

    /// The right to edit hosts' files, until the value is dropped: two runs at once would take each other's backups away.
    ///
    /// # Errors
    /// If another run has it, or the folder of records cannot be made.
    pub(crate) fn lock(&self) -> Result<fs::File, Failure> {
        let path = self.0.join("lock");
        let failed = |source| Failure::Write { path: path.clone(), source };
        let made = make_private_folder(&self.0).and_then(|()| fs::File::create(&path));
        let file = made.map_err(failed)?;
        match file.try_lock() {
            Ok(()) => Ok(file),
            Err(fs::TryLockError::Error(source)) => Err(failed(source)),
            Err(fs::TryLockError::WouldBlock) => {
                let problem = Problem::new("another init or undo is under way");
                Err(Failure::usage(problem.hint("run this again when it has ended")))
            }
        }
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.0
    }

    /// Where the record of a file is.
    pub(crate) fn file(&self, path: &Path) -> PathBuf {
        self.0.join(format!("{}.json", key(path)))
    }

    /// The record of a file, if there is one.
    ///
    /// # Errors
    /// A damaged record, with a hint.
    pub(crate) fn of(&self, path: &Path) -> Result<Option<Record>, Problem> {
        read(&self.file(path))
    }

    /// All records, by the files that they are in; a damaged one is a problem, with a hint.
    pub(crate) fn all(&self) -> BTreeMap<PathBuf, Result<Record, Problem>> {
        let entries = fs::read_dir(&self.0).into_iter().flatten().filter_map(Result::ok);
        let files = entries.map(|entry| entry.path());
        let files = files.filter(|path| path.extension().is_some_and(|kind| kind == "json"));
        files.filter_map(|file| read(&file).transpose().map(|record| (file, record))).collect()
    }

    /// Keeps a record, readable by the user only.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(crate) fn keep(&self, record: &Record) -> Result<(), Failure> {
        let text = serde_json::to_string(record).map_err(io::Error::other);
        let text = text.map_err(|source| Failure::Io { what: "cannot write the record", source })?;
        write::keep(&self.file(&record.path), &text)
    }

    /// Forgets the record of a file, if there is one.
    ///
    /// # Errors
    /// If it cannot be removed.
    pub(crate) fn forget(&self, path: &Path) -> Result<(), Failure> {
        write::remove(&self.file(path))
    }
}

/// Recognizes a text.
fn digest(text: &str) -> String {
    hex(&Sha256::digest(text))
}

/// The folder of the files that servers are moved to.
///
/// # Errors
/// If the user has no home.
pub(crate) fn gathered_folder() -> Result<PathBuf, Failure> {
    Ok(folders()?.config_dir().join("mcp-disclosure").join("gathered"))
}

/// The user's folders.
fn folders() -> Result<impl BaseStrategy, Failure> {
    etcetera::choose_base_strategy().map_err(|_| {
        let hint = "set HOME; backups and records are kept below it";
        Failure::Configuration(vec![Problem::new("there is no home folder").hint(hint)])
    })
}

fn read(file: &Path) -> Result<Option<Record>, Problem> {
    let refused = |what: String| {
        let message = format!("{}: {what}", file.display());
        Problem::new(message).hint("remove this record to go on without the backup in it")
    };
    let text = match fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(refused(error.to_string())),
    };
    let record: Record = serde_json::from_str(&text).map_err(|error| refused(error.to_string()))?;
    if record.version != VERSION {
        return Err(refused(format!("has version {}, and this program reads {VERSION}", record.version)));
    }
    Ok(Some(record))
}

/// Writes records first, so that `undo` knows every file of ours even if this is killed, and hosts' files last, so that no
/// entry leads to a file that is not there. `write` is `write_together`, but in a test of a disk that fails.
///
/// # Errors
/// Why files cannot be written. Then all is as it was, but for files that the error names: their records and the servers that
/// were moved out of them are kept.
pub(crate) fn apply(
    plans: &[Plan],
    current: &Path,
    records: &Records,
    write: impl FnOnce(&[Change]) -> Result<(), Unwritten>,
) -> Result<(), Failure> {
    let mut earlier: Vec<(&Plan, Option<Record>)> = Vec::new();
    let recorded = plans.iter().try_for_each(|plan| {
        let path: &Path = &plan.change.path;
        let before = records.of(path).map_err(|problem| Failure::Configuration(vec![problem]))?;
        let mut record = before.clone().unwrap_or_else(|| Record::new(path));
        earlier.push((plan, before));
        record.steps.push(Step::of(&plan.change, current, &plan.moved));
        records.keep(&record)?;
        plan.moved.iter().try_for_each(|moved| keep(&moved.file, &moved.text))
    });
    let changes: Vec<_> = plans.iter().map(|plan| plan.change.clone()).collect();
    let written = recorded.map_err(Unwritten::from).and_then(|()| write(&changes));
    written.map_err(|unwritten| {
        earlier.retain(|(plan, _)| !unwritten.changed.contains(&plan.change.path));
        withdraw(earlier, records);
        unwritten.failure
    })
}

/// Takes back what was kept for files that are as they were.
fn withdraw(earlier: Vec<(&Plan, Option<Record>)>, records: &Records) {
    for (plan, before) in earlier {
        let _restored = match before {
            Some(record) => records.keep(&record),
            None => records.forget(&plan.change.path),
        };
        for Moved { file, .. } in &plan.moved {
            let _removed = std::fs::remove_file(file);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn w1_two_runs_do_not_edit_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let records = Records::within(&folder.path().join("init"));
        let first = records.lock().unwrap();
        let refused = records.lock().unwrap_err().to_string();
        assert!(refused.contains("another init or undo is under way"), "{refused}");
        drop(first);
        records.lock().unwrap();
    }
}
