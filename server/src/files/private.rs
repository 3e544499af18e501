//! Folders and files that only the user can read, and files that others can.

use std::{
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use mcp_disclosure_gateway::Problem;
use tempfile::NamedTempFile;

use crate::config::CONFIGURATION;

/// How the names of files begin that are written aside and then moved into place.
const ASIDE: &str = ".mcp-disclosure-writing-";

/// The shortest key in a file, in bytes.
pub(crate) const KEY: usize = 32;

/// What to do where there is none.
pub(crate) const NEW_KEY: &str = "head -c 32 /dev/urandom > FILE makes one";

/// Replaces a file as a whole, in a folder that is made if it is not there. Both are readable by the user only. Returns the file,
/// for who must know that it is on disk.
pub(crate) fn write_private(path: &Path, bytes: &[u8]) -> io::Result<fs::File> {
    let folder = path.parent().unwrap_or(Path::new("."));
    make_private_folder(folder)?;
    // It gets mode 0600.
    let mut file = tempfile::Builder::new().prefix(ASIDE).tempfile_in(folder)?;
    file.write_all(bytes)?;
    let file = file.persist(path)?;
    remove_left(folder);
    Ok(file)
}

/// A file beside another one, which it is to replace, with these bytes. It has the mode of the other, and its owner where that can be
/// given; where there is none, it has the usual mode, but for a configuration, whose commands and headers may contain secrets.
pub(crate) fn aside(path: &Path, bytes: &[u8]) -> io::Result<NamedTempFile> {
    let other = fs::metadata(path).ok();
    let mut builder = tempfile::Builder::new();
    builder.prefix(ASIDE);
    #[cfg(unix)]
    if other.is_none() && !path.ends_with(CONFIGURATION) {
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    }
    let mut file = builder.tempfile_in(path.parent().unwrap_or(Path::new(".")))?;
    file.write_all(bytes)?;
    if let Some(other) = other {
        file.as_file().set_permissions(other.permissions())?;
        // Hosts' files for which this fails are refused before.
        let _others = give_owner(file.as_file(), &other);
    }
    Ok(file)
}

/// Removes what was written aside in a folder and never moved into place: by a run that was killed, an hour ago or earlier.
pub(crate) fn remove_left(folder: &Path) {
    const LONGEST: Duration = Duration::from_secs(60 * 60);
    let is_aside = |entry: &fs::DirEntry| entry.file_name().as_encoded_bytes().starts_with(ASIDE.as_bytes());
    for entry in fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok).filter(is_aside) {
        let age = entry.metadata().and_then(|found| found.modified()).ok().and_then(|at| at.elapsed().ok());
        if age > Some(LONGEST) {
            let _others = fs::remove_file(entry.path());
        }
    }
}

/// Gives the file the other's owner where that is someone else, as under sudo.
#[cfg(unix)]
pub(crate) fn give_owner(file: &fs::File, old: &fs::Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, fchown};
    let new = file.metadata()?;
    if (new.uid(), new.gid()) == (old.uid(), old.gid()) {
        return Ok(());
    }
    fchown(file, Some(old.uid()), Some(old.gid()))
}

#[cfg(not(unix))]
pub(crate) fn give_owner(_: &fs::File, _: &fs::Metadata) -> io::Result<()> {
    Ok(())
}

/// Writes a private file, and removes the oldest ones of its folder with its extension beyond this number.
pub(crate) fn write_newest(path: &Path, bytes: &[u8], most: usize) -> io::Result<()> {
    write_private(path, bytes)?;
    let mut files: Vec<(SystemTime, PathBuf)> = Vec::new();
    for entry in fs::read_dir(path.parent().unwrap_or(Path::new(".")))? {
        let other = entry?.path();
        if other.extension() == path.extension() {
            files.push((fs::metadata(&other)?.modified()?, other));
        }
    }
    files.sort();
    let too_many = files.len().saturating_sub(most);
    files.iter().take(too_many).try_for_each(|(_, path)| fs::remove_file(path))
}

/// Makes a folder with those above it, of mode 0700 where there are modes; one that is there stays as it is.
pub(crate) fn make_private_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(folder)
}

/// The key in the file that a flag names, of at least 32 bytes; a warning if other users can read it.
pub(crate) fn read_key(flag: &str, path: &Path) -> Result<Vec<u8>, Problem> {
    warn_of_readers(flag, path, "the key");
    let wrong = |what: String| Problem::new(format!("{flag} {}: {what}", path.display())).hint(NEW_KEY);
    match fs::read(path) {
        Ok(key) if key.len() < KEY => Err(wrong(format!("{} bytes are no key; it needs {KEY}", key.len()))),
        key => key.map_err(|error| wrong(error.to_string())),
    }
}

/// A new key.
pub(crate) fn random_key() -> io::Result<Vec<u8>> {
    let mut key = vec![0; KEY];
    getrandom::fill(&mut key).map_err(io::Error::other)?;
    Ok(key)
}

/// Warns if other users can read the file that a flag names, where the platform says so.
#[cfg_attr(not(unix), allow(unused_variables, reason = "there are no modes"))]
pub(crate) fn warn_of_readers(flag: &str, path: &Path, what: &str) {
    #[cfg(unix)]
    if let Ok(found) = fs::metadata(path) {
        use std::os::unix::fs::MetadataExt;
        // A file of another user, such as a secret of Kubernetes, is given to this process by its group.
        let is_own = found.uid() == rustix::process::geteuid().as_raw();
        let (mode, others) = (found.mode() & 0o7777, if is_own { 0o044 } else { 0o004 });
        // A device or a pipe, as of process substitution, has a mode of its own.
        if found.is_file() && mode & others != 0 {
            let path = path.display();
            tracing::warn!("{flag} {path}: others can read {what}, mode {mode:04o} (hint: chmod 600 {path})");
        }
    }
}
