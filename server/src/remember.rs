//! What upstreams of files listed last time, kept in the user's cache folder, so that it is there at once next time.
//!
//! Files are named by a keyed hash of everything that distinguishes an upstream, secrets included, and are readable by
//! the user only.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use etcetera::BaseStrategy;
use hmac::{Hmac, KeyInit, Mac};
use mcp_disclosure_core::{Era, RawText, digest::hex};
use mcp_disclosure_gateway::{
    slot::Memory,
    upstream::{Authorizer, Endpoint, Target, UpstreamConfig},
};
use serde_json::json;
use sha2::Sha256;

use crate::files::{KEY, random_key, write_newest, write_private};

/// This folder of the program's in the user's cache folder; `None` if the system has no such folder.
pub(crate) fn cache_folder(name: &str) -> Option<PathBuf> {
    Some(etcetera::choose_base_strategy().ok()?.cache_dir().join("mcp-disclosure").join(name))
}

/// The number of upstreams that are remembered; those kept longest ago are forgotten.
const MOST: usize = 256;

/// A folder of remembered upstreams.
#[derive(Debug)]
pub struct Store {
    pub(crate) folder: PathBuf,
    /// The largest file, in bytes.
    most_bytes: usize,
}

impl Store {
    pub(crate) fn new(folder: PathBuf, most_bytes: usize) -> Self {
        Self { folder, most_bytes }
    }

    /// The file of an upstream; `None` for one that is part of this program, or is signed in to.
    fn file(&self, config: &UpstreamConfig, era: Era) -> io::Result<Option<PathBuf>> {
        let target = match &config.target {
            Target::Command(program) => json!({
                "command": program.program,
                "args": program.arguments,
                "env": program.environment,
                "inherits": program.inherits,
                "cwd": program.directory,
            }),
            // What is listed to somebody who is signed in is theirs.
            Target::Url(Endpoint { authorization: Some(Authorizer(authorization)), .. })
                if authorization.is_signed_in() =>
            {
                return Ok(None);
            }
            Target::Url(endpoint) => {
                let headers = endpoint.headers.iter();
                let headers: Vec<_> =
                    headers.map(|(name, value)| (name.as_str(), value.as_bytes())).collect();
                json!({"url": endpoint.url.as_str(), "headers": headers})
            }
            _ => return Ok(None),
        };
        let identity = json!([config.name.as_deref(), target, era == Era::Session]);
        self.file_of([identity.to_string().as_bytes()], "json").map(Some)
    }

    /// The file of what these parts distinguish, named by a hash under the store's key.
    pub(crate) fn file_of<'p>(
        &self,
        parts: impl IntoIterator<Item = &'p [u8]>,
        extension: &str,
    ) -> io::Result<PathBuf> {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.key()?).map_err(io::Error::other)?;
        for part in parts {
            mac.update(&(part.len() as u64).to_be_bytes());
            mac.update(part);
        }
        Ok(self.folder.join(format!("{}.{extension}", hex(&mac.finalize().into_bytes()))))
    }

    /// The key of this store, made on first use.
    pub(crate) fn key(&self) -> io::Result<Vec<u8>> {
        let path = self.folder.join("key");
        self.check(&path)?;
        match fs::read(&path) {
            Ok(key) if key.len() >= KEY => return Ok(key),
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        write_private(&path, &random_key()?)?;
        // Another process may have made one at the same time.
        fs::read(&path)
    }

    /// Checks that a file, if it is there, and the folder are the user's alone: what is in them reaches models.
    fn check(&self, path: &Path) -> io::Result<()> {
        [self.folder.as_path(), path].into_iter().try_for_each(|path| match fs::symlink_metadata(path) {
            Ok(found) => check_owner(path, &found),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(error),
        })
    }

    fn try_keep(&self, config: &UpstreamConfig, era: Era, remembered: &RawText) -> io::Result<()> {
        let Some(path) = self.file(config, era)? else { return Ok(()) };
        let bytes = remembered.as_bytes();
        let is_kept = || fs::read(&path).is_ok_and(|before| before == bytes);
        if bytes.len() > self.most_bytes || is_kept() { Ok(()) } else { write_newest(&path, bytes, MOST) }
    }

    fn try_recall(&self, config: &UpstreamConfig, era: Era) -> io::Result<Option<RawText>> {
        let Some(path) = self.file(config, era)? else { return Ok(None) };
        self.check(&path)?;
        let text = match fs::metadata(&path) {
            Ok(found) if found.len() > self.most_bytes as u64 => return Ok(None),
            Ok(_) => fs::read_to_string(&path)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        RawText::parse(text).map(Some).map_err(io::Error::other)
    }
}

impl Memory for Store {
    fn recall(&self, config: &UpstreamConfig, era: Era) -> Option<RawText> {
        self.try_recall(config, era).unwrap_or_else(|error| {
            tracing::debug!(folder = %self.folder.display(), %error, "a remembered upstream cannot be read");
            None
        })
    }

    fn keep(&self, config: &UpstreamConfig, era: Era, remembered: &RawText) {
        if let Err(error) = self.try_keep(config, era, remembered) {
            tracing::debug!(folder = %self.folder.display(), %error, "an upstream cannot be remembered");
        }
    }
}

#[cfg(unix)]
fn check_owner(path: &Path, found: &fs::Metadata) -> io::Result<()> {
    use std::os::unix::fs::MetadataExt;
    // A folder may be read: nothing in it shows what it is of.
    let others = if found.is_dir() { 0o022 } else { 0o077 };
    let is_own = found.uid() == rustix::process::geteuid().as_raw() && found.mode() & others == 0;
    if is_own && (found.is_file() || found.is_dir()) {
        return Ok(());
    }
    Err(io::Error::other(format!("{} is not the user's alone", path.display())))
}

#[cfg(not(unix))]
fn check_owner(_: &Path, _: &fs::Metadata) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn remembered(text: &str) -> RawText {
        RawText::parse(text.to_owned()).unwrap()
    }

    fn command(token: &str) -> UpstreamConfig {
        let mut target = Target::command("server", vec!["--x".to_owned()]);
        if let Target::Command(program) = &mut target {
            program.environment.insert("TOKEN".to_owned(), token.to_owned());
        }
        UpstreamConfig::from(target)
    }

    #[test]
    fn u17_an_upstream_is_recalled_by_all_that_distinguishes_it() {
        let folder = tempfile::tempdir().unwrap();
        let store = || Store::new(folder.path().join("a").join("b"), 1000);
        let lists = remembered(r#"{"tools":[]}"#);
        store().keep(&command("one"), Era::Session, &lists);
        assert_eq!(store().recall(&command("one"), Era::Session), Some(lists));
        assert_eq!(store().recall(&command("two"), Era::Session), None);
        assert_eq!(store().recall(&command("one"), Era::Stateless), None);
        let handler = UpstreamConfig::new(None, Target::command("server", vec![]));
        assert_eq!(store().recall(&handler, Era::Session), None);
    }

    #[test]
    fn u17_nothing_in_the_folder_shows_secrets_and_only_the_user_can_read_it() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::new(folder.path().join("upstreams"), 1000);
        store.keep(&command("s3cret"), Era::Session, &remembered("{}"));
        let files: Vec<_> = fs::read_dir(&store.folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        assert_eq!(files.len(), 2);
        for file in files {
            assert!(!file.display().to_string().contains("s3cret"));
            assert!(!String::from_utf8_lossy(&fs::read(&file).unwrap()).contains("s3cret"));
            #[cfg(unix)]
            {
                use std::os::unix::fs::PermissionsExt;
                assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
            }
        }
    }

    #[test]
    fn u17_a_damaged_or_large_file_is_as_good_as_none() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::new(folder.path().to_owned(), 20);
        let path = store.file(&command("x"), Era::Session).unwrap().unwrap();
        for text in ["", "{", r#"{"a":"a text that is too long"}"#] {
            fs::write(&path, text).unwrap();
            assert_eq!(store.recall(&command("x"), Era::Session), None, "{text}");
        }
        store.keep(&command("y"), Era::Session, &remembered(r#"{"a":"a text that is too long"}"#));
        assert_eq!(store.recall(&command("y"), Era::Session), None);
    }

    #[cfg(unix)]
    #[test]
    fn u17_what_others_can_write_or_have_linked_is_not_read() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let store = Store::new(folder.path().join("upstreams"), 1000);
        store.keep(&command("x"), Era::Session, &remembered("{}"));
        let path = store.file(&command("x"), Era::Session).unwrap().unwrap();
        let mode = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        for (changed, bad, good) in [(&path, 0o666, 0o600), (&store.folder, 0o777, 0o700)] {
            mode(changed, bad);
            assert_eq!(store.recall(&command("x"), Era::Session), None);
            mode(changed, good);
            assert!(store.recall(&command("x"), Era::Session).is_some());
        }
        let elsewhere = folder.path().join("elsewhere.json");
        fs::rename(&path, &elsewhere).unwrap();
        std::os::unix::fs::symlink(&elsewhere, &path).unwrap();
        assert_eq!(store.recall(&command("x"), Era::Session), None);
    }

    #[test]
    fn u17_the_oldest_are_forgotten() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::new(folder.path().to_owned(), 100);
        for number in 0..MOST + 3 {
            fs::write(folder.path().join(format!("{number}.json")), "{}").unwrap();
        }
        store.keep(&command("new"), Era::Session, &remembered("{}"));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), MOST + 1);
    }
}
