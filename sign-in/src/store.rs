//! Files of tokens: one for each server and client id, in a folder that is the user's alone.
//!
//! A file is replaced as a whole. Whoever renews tokens holds the lock beside it from reading to writing, because a
//! refresh token may be good for one use only.

use std::{
    fs::{self, File, TryLockError},
    io::{self, Write},
    path::{Path, PathBuf},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use etcetera::BaseStrategy;
use mcp_disclosure_core::digest::hex;
use mcp_disclosure_transport::http::Zone;
use oauth2::TokenResponse;
use reqwest::{Url, header::HeaderValue};
use rmcp::transport::auth::{OAuthTokenResponse, StoredCredentials};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::{Error, Secret, Settings};

/// How long another process may renew tokens: a few requests, each with a time-out.
const PATIENCE: Duration = Duration::from_secs(120);

/// The time between two attempts to take the lock.
const PAUSE: Duration = Duration::from_millis(50);

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
        check_owner(&fs::symlink_metadata(&self.file)?)?;
        check_owner(&fs::metadata(&self.folder)?)?;
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

/// Tokens are renewed this long before they expire, or for a quarter of their life where that is less.
const EARLY: Duration = Duration::from_secs(30);

/// The content of a file of tokens.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct Saved {
    /// The server, for people who look into the file.
    pub(crate) url: String,
    /// The issuer of the tokens; they are sent to no other.
    pub(crate) issuer: String,
    /// The secret that belongs to the client's id, if it got one when it was registered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) client_secret: Option<Secret>,
    /// The challenge that led to the issuer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) challenge: Option<String>,
    /// Where the server was when it sent that. It cannot move closer later, to reach what is there.
    #[serde(default)]
    pub(crate) zone: Zone,
    pub(crate) credentials: StoredCredentials,
}

/// What is known of a sign-in, without its secrets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedIn {
    /// The issuer of the tokens.
    pub issuer: String,
    /// What was granted.
    pub scopes: Vec<String>,
    /// When the access token expires, if its issuer said so.
    pub until: Option<SystemTime>,
    /// Whether it is renewed without a person.
    pub renews: bool,
    /// The file.
    pub file: PathBuf,
}

impl Saved {
    /// The access token, as a header.
    ///
    /// # Errors
    /// [`Error::OtherTokens`] if it cannot be one.
    pub(crate) fn header(&self) -> Result<HeaderValue, Error> {
        let token = self.tokens()?.access_token().secret();
        let mut header = HeaderValue::try_from(format!("Bearer {token}")).map_err(|_| Error::OtherTokens)?;
        header.set_sensitive(true);
        Ok(header)
    }

    pub(crate) fn has_refresh_token(&self) -> bool {
        self.tokens().is_ok_and(|tokens| tokens.refresh_token().is_some())
    }

    /// Whether the access token is good for a while.
    pub(crate) fn is_fresh(&self) -> bool {
        let early = self.life().map_or(EARLY, |life| EARLY.min(life / 4));
        self.is_valid_in(early)
    }

    /// Whether the access token has not expired.
    pub(crate) fn is_valid(&self) -> bool {
        self.is_valid_in(Duration::ZERO)
    }

    pub(crate) fn summary(&self, file: &Path) -> SignedIn {
        SignedIn {
            issuer: self.issuer.clone(),
            scopes: self.credentials.granted_scopes.clone(),
            until: self.until(),
            renews: self.has_refresh_token(),
            file: file.to_owned(),
        }
    }

    fn tokens(&self) -> Result<&OAuthTokenResponse, Error> {
        self.credentials.token_response.as_ref().ok_or(Error::NotSignedIn)
    }

    fn life(&self) -> Option<Duration> {
        self.tokens().ok()?.expires_in()
    }

    fn until(&self) -> Option<SystemTime> {
        let received = UNIX_EPOCH.checked_add(Duration::from_secs(self.credentials.token_received_at?))?;
        received.checked_add(self.life()?)
    }

    fn is_valid_in(&self, early: Duration) -> bool {
        self.until().is_none_or(|until| SystemTime::now().checked_add(early).is_some_and(|then| then < until))
    }
}
