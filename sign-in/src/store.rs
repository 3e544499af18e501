//! Files of tokens: one for each server and client id, in a folder that is the user's alone.
//!
//! A file is replaced as a whole. Whoever renews tokens holds the lock beside it from reading to writing, because a
//! refresh token may be good for one use only.

use std::{
    fs::{self, File, TryLockError},
    io::{self, Write},
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use etcetera::BaseStrategy;
use mcp_disclosure_core::digest::hex;
use reqwest::Url;
use sha2::{Digest, Sha256};

use crate::{Error, Settings, saved::Saved};

/// How long another process may renew tokens: a few requests, each with a time-out.
const PATIENCE: Duration = Duration::from_secs(120);

/// The time between two attempts to take the lock.
const PAUSE: Duration = Duration::from_millis(50);

/// The largest file.
const LARGEST: u64 = 4 * 1024 * 1024;

/// The folder of tokens in the user's configuration folder; `None` if the system has no such folder.
pub fn folder_of_user() -> Option<PathBuf> {
    let base = etcetera::choose_base_strategy().ok()?;
    Some(base.config_dir().join("mcp-disclosure").join("sign-in"))
}

/// The file of one server's tokens.
#[derive(Clone, Debug)]
pub(crate) struct Store {
    folder: PathBuf,
    pub(crate) file: PathBuf,
}

/// What distinguishes a file from the one that replaces it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Seen {
    modified: Option<SystemTime>,
    length: u64,
    /// The inode, and when it was last changed, in its permissions, too.
    number: (u64, i64, i64),
}

impl Store {
    pub(crate) fn new(folder: PathBuf, url: &Url, settings: &Settings) -> Self {
        let digest = hex(&Sha256::digest(settings.account(url))[..12]);
        // The host is for people who look into the folder.
        let host =
            url.host_str().unwrap_or_default().replace(|letter: char| !letter.is_ascii_alphanumeric(), "-");
        let file = folder.join(format!("{}-{digest}.json", host.get(..40).unwrap_or(&host)));
        Self { folder, file }
    }

    /// What distinguishes the file as it is now; `None` if there is none.
    pub(crate) fn seen(&self) -> Option<Seen> {
        let found = fs::metadata(&self.file).ok()?;
        #[cfg(unix)]
        let number = {
            use std::os::unix::fs::MetadataExt;
            (found.ino(), found.ctime(), found.ctime_nsec())
        };
        #[cfg(not(unix))]
        let number = (0, 0, 0);
        Some(Seen { modified: found.modified().ok(), length: found.len(), number })
    }

    /// What is kept; `None` if there is nothing.
    ///
    /// # Errors
    /// [`Error::File`] if it cannot be read, or others than the user could read or write it.
    pub(crate) fn read(&self) -> Result<Option<Saved>, Error> {
        let text = match self.read_private() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            read => read.map_err(|source| self.failed(source))?,
        };
        let saved = serde_json::from_str(&text);
        // The parser's message could quote a token.
        saved.map(Some).map_err(|_| self.failed(io::Error::other("is damaged; run logout and then login")))
    }

    /// Replaces what is kept.
    ///
    /// # Errors
    /// [`Error::File`].
    pub(crate) fn write(&self, saved: &Saved) -> Result<(), Error> {
        let write = || -> io::Result<()> {
            make_private(&self.folder)?;
            let mut file = tempfile::NamedTempFile::new_in(&self.folder)?;
            file.write_all(serde_json::to_string_pretty(saved)?.as_bytes())?;
            file.as_file().sync_all()?;
            file.persist(&self.file)?;
            // The renaming must last, too: the former refresh token may be used up.
            #[cfg(unix)]
            File::open(&self.folder)?.sync_all()?;
            Ok(())
        };
        write().map_err(|source| self.failed(source))
    }

    /// Removes what is kept. Returns whether there was anything.
    ///
    /// # Errors
    /// [`Error::File`].
    pub(crate) fn remove(&self) -> Result<bool, Error> {
        match fs::remove_file(&self.file) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(source) => Err(self.failed(source)),
        }
    }

    /// Takes the lock, across processes as well as tasks. Closing the file releases it.
    ///
    /// # Errors
    /// [`Error::Locked`] if another one holds it for too long, and [`Error::File`].
    pub(crate) async fn lock(&self) -> Result<File, Error> {
        let path = self.file.with_extension("lock");
        let open = || {
            make_private(&self.folder)?;
            let mut options = File::options();
            #[cfg(unix)]
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
            options.create(true).truncate(false).write(true).open(&path)
        };
        let file = open().map_err(|source| Error::File { path: path.clone(), source })?;
        let taking = async {
            loop {
                match file.try_lock() {
                    Ok(()) => return Ok(()),
                    Err(TryLockError::WouldBlock) => tokio::time::sleep(PAUSE).await,
                    Err(TryLockError::Error(source)) => return Err(source),
                }
            }
        };
        match tokio::time::timeout(PATIENCE, taking).await {
            Ok(Ok(())) => Ok(file),
            Ok(Err(source)) => Err(Error::File { path, source }),
            Err(_) => Err(Error::Locked(path)),
        }
    }

    fn read_private(&self) -> io::Result<String> {
        let found = fs::symlink_metadata(&self.file)?;
        check_owner(&found)?;
        check_owner(&fs::metadata(&self.folder)?)?;
        if found.len() > LARGEST {
            return Err(io::Error::other("is too large"));
        }
        fs::read_to_string(&self.file)
    }

    fn failed(&self, source: io::Error) -> Error {
        Error::File { path: self.file.clone(), source }
    }
}

#[cfg(unix)]
fn make_private(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    // One that was there is ours as well, and what is written there must be readable again.
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o700);
    fs::set_permissions(folder, mode)
}

#[cfg(not(unix))]
fn make_private(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)
}

#[cfg(unix)]
fn check_owner(found: &fs::Metadata) -> io::Result<()> {
    use std::os::unix::fs::MetadataExt;
    let is_own = found.uid() == rustix::process::geteuid().as_raw() && found.mode() & 0o077 == 0;
    if is_own && (found.is_file() || found.is_dir()) {
        return Ok(());
    }
    Err(io::Error::other(
        "is not the user's alone (file 0600, folder 0700); if nobody else has read it, run chmod",
    ))
}

#[cfg(not(unix))]
fn check_owner(_: &fs::Metadata) -> io::Result<()> {
    Ok(())
}
