//! What processes of the same user and command line know of each other's clients, where a host starts one for each session: the key of
//! receipts, and which clients need them (docs/CONTRACT.md R8, decision 0023).
//!
//! Files are in the user's cache folder, readable by the user only, and named by a keyed hash.

use std::{
    ffi::OsString,
    fmt::Display,
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, SystemTime},
};

use mcp_disclosure_core::{ReceiptKey, SessionReceipts};
use mcp_disclosure_gateway::{Assembly, KeptMarks, Problem};

use crate::{
    files::{NEW_KEY, read_key, write_newest},
    remember::{Store, cache_folder},
};

/// The number of marks that are kept.
const MOST: usize = 256;

/// A mark counts for so long: a client that opens a session for each call opens the next one soon.
const LIFETIME: Duration = Duration::from_secs(24 * 60 * 60);

/// An assembly whose receipts the next process of the user knows, if its strategies have such: with the user's key, but for one that is the
/// operator's. Nothing is kept where nothing is to be `remembered`.
pub(crate) fn of_user(mut assembly: Assembly, has_key: bool, remembers: bool) -> Assembly {
    let most = assembly.strategies.all().map(|strategy| strategy.profile().receipts).max();
    let most = most.unwrap_or(SessionReceipts::Session);
    if most == SessionReceipts::Session {
        return assembly;
    }
    let key = || {
        let store = Store::new(cache_folder("receipts").filter(|_| remembers)?, 0);
        let key = store.key().inspect_err(|error| tracing::debug!(%error, "no key of receipts is kept"));
        Some((ReceiptKey::new(&key.ok()?)?, store))
    };
    match key() {
        Some((key, store)) => {
            assembly.kept_marks = Some(Arc::new(Marks(store)));
            if !has_key {
                assembly.receipt_key = key;
            }
        }
        None if most == SessionReceipts::Signed && !has_key => tracing::warn!(
            "signed receipts over stdio without a key that is kept: a host that starts this program for each call gets receipts that the next one cannot check (hint: --receipt-key-file FILE; head -c 32 /dev/urandom > FILE makes a key)"
        ),
        None => {}
    }
    assembly
}

/// The operator's key, which is in the file, or a new one.
pub(crate) fn receipt_key(file: Option<&Path>) -> Result<ReceiptKey, Problem> {
    let none = |error: &dyn Display| Problem::new(format!("no receipt key: {error}")).hint(NEW_KEY);
    let Some(path) = file else { return ReceiptKey::random().map_err(|error| none(&error)) };
    let key = read_key("--receipt-key-file", path)?;
    ReceiptKey::new(&key).ok_or_else(|| none(&"it is too short"))
}

#[derive(Debug)]
struct Marks(Store);

impl Marks {
    /// The file of a mark: of this command line, in this folder.
    fn file(&self, mark: &str) -> io::Result<PathBuf> {
        let folder = std::env::current_dir()?.into_os_string();
        let parts: Vec<OsString> = std::env::args_os().chain([folder, mark.into()]).collect();
        self.0.file_of(parts.iter().map(|part| part.as_encoded_bytes()), "mark")
    }
}

impl KeptMarks for Marks {
    fn has(&self, mark: &str) -> bool {
        let kept = || fs::symlink_metadata(self.file(mark).ok()?).ok()?.modified().ok();
        let is_recent = |kept| SystemTime::now().duration_since(kept).is_ok_and(|age| age < LIFETIME);
        kept().is_some_and(is_recent)
    }

    fn keep(&self, mark: &str) {
        if let Err(error) = self.file(mark).and_then(|file| write_newest(&file, b"", MOST)) {
            tracing::debug!(folder = %self.0.folder.display(), %error, "what a client read cannot be kept");
        }
    }

    fn forget(&self, mark: &str) {
        // It may have been removed by another process.
        drop(self.file(mark).and_then(fs::remove_file));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r8_marks_are_known_to_the_next_process_and_readable_by_the_user_only() {
        let folder = tempfile::tempdir().unwrap();
        let marks = || Marks(Store::new(folder.path().join("receipts"), 0));
        assert!(!marks().has("a"));
        marks().keep("a");
        assert!(marks().has("a") && !marks().has("b"));
        for file in fs::read_dir(folder.path().join("receipts")).unwrap() {
            #[cfg(unix)]
            {
                use std::os::unix::fs::PermissionsExt;
                assert_eq!(file.unwrap().metadata().unwrap().permissions().mode() & 0o777, 0o600);
            }
        }
        marks().forget("a");
        assert!(!marks().has("a"));
    }
}
