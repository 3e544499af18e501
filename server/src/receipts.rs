//! What processes of the same user and command line know of each other's clients, where a host starts one for each session: the key of
//! receipts, and which clients need them (docs/CONTRACT.md R8, decision 0023).
//!
//! Files are in the user's cache folder, readable by the user only, and named by a keyed hash.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, SystemTime},
};

use hmac::{Hmac, KeyInit, Mac};
use mcp_disclosure_core::{ReceiptKey, SessionReceipts, digest::hex};
use mcp_disclosure_gateway::{Assembly, KeptMarks, Problem};
use sha2::Sha256;

use crate::{
    files::{keep_newest, others_can_read, write_private},
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
    let hint = "head -c 32 /dev/urandom > FILE makes one";
    let Some(path) = file else {
        return ReceiptKey::random()
            .map_err(|error| Problem::new(format!("no receipt key: {error}")).hint(hint));
    };
    if others_can_read(path) {
        let path = path.display();
        tracing::warn!(
            "--receipt-key-file {path}: others can read the key, and make receipts (hint: chmod 600 {path})"
        );
    }
    let least = ReceiptKey::LEAST_BYTES;
    let key = fs::read(path).map_err(|error| error.to_string()).and_then(|bytes| {
        ReceiptKey::new(&bytes).ok_or_else(|| format!("{} bytes are no key; it needs {least}", bytes.len()))
    });
    key.map_err(|message| {
        Problem::new(format!("--receipt-key-file {}: {message}", path.display())).hint(hint)
    })
}

#[derive(Debug)]
struct Marks(Store);

impl Marks {
    /// The file of a mark: of this command line, in this folder.
    fn file(&self, mark: &str) -> io::Result<PathBuf> {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0.key()?).map_err(io::Error::other)?;
        let folder = std::env::current_dir()?.into_os_string();
        for part in std::env::args_os().chain([folder, mark.into()]) {
            mac.update(&(part.len() as u64).to_be_bytes());
            mac.update(part.as_encoded_bytes());
        }
        Ok(self.0.folder.join(format!("{}.mark", hex(&mac.finalize().into_bytes()))))
    }

    fn try_keep(&self, mark: &str) -> io::Result<()> {
        write_private(&self.file(mark)?, b"")?;
        keep_newest(&self.0.folder, "mark", MOST)
    }
}

impl KeptMarks for Marks {
    fn has(&self, mark: &str) -> bool {
        let kept = || fs::symlink_metadata(self.file(mark).ok()?).ok()?.modified().ok();
        let is_recent = |kept| SystemTime::now().duration_since(kept).is_ok_and(|age| age < LIFETIME);
        kept().is_some_and(is_recent)
    }

    fn keep(&self, mark: &str) {
        if let Err(error) = self.try_keep(mark) {
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
