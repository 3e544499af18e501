//! Folders and files that only the user can read, and files that others can.

use std::{
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
    time::SystemTime,
};

use tempfile::NamedTempFile;

/// How the names of files begin that are written aside and then moved into place.
const ASIDE: &str = ".mcp-disclosure-";

/// Replaces a file as a whole, in a folder that is made if it is not there. Both are readable by the user only. Returns the file,
/// for who must know that it is on disk.
pub(crate) fn write_private(path: &Path, bytes: &[u8]) -> io::Result<fs::File> {
    let folder = path.parent().unwrap_or(Path::new("."));
    make_private_folder(folder)?;
    // It gets mode 0600.
    let mut file = tempfile::Builder::new().prefix(ASIDE).tempfile_in(folder)?;
    file.write_all(bytes)?;
    Ok(file.persist(path)?)
}

/// A file beside another one, which it is to replace, with these bytes. It has the mode of the other; where there is none, it is
/// private, or has the usual one.
#[cfg_attr(not(unix), allow(unused_variables, reason = "there are no modes"))]
pub(crate) fn aside(path: &Path, bytes: &[u8], is_private: bool) -> io::Result<NamedTempFile> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(ASIDE);
    #[cfg(unix)]
    if !is_private {
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    }
    let mut file = builder.tempfile_in(folder)?;
    file.write_all(bytes)?;
    if let Ok(other) = fs::metadata(path) {
        file.as_file().set_permissions(other.permissions())?;
    }
    Ok(file)
}

/// Removes the oldest files with this extension, and keeps the newest ones up to this number.
pub(crate) fn keep_newest(folder: &Path, extension: &str, most: usize) -> io::Result<()> {
    let mut files: Vec<(SystemTime, PathBuf)> = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|found| found == extension) {
            files.push((fs::metadata(&path)?.modified()?, path));
        }
    }
    files.sort();
    let too_many = files.len().saturating_sub(most);
    files.iter().take(too_many).try_for_each(|(_, path)| fs::remove_file(path))
}

/// Makes a folder of mode 0700 with those above it; one that is there stays as it is.
#[cfg(unix)]
pub(crate) fn make_private_folder(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

/// Makes a folder with those above it; one that is there stays as it is.
#[cfg(not(unix))]
pub(crate) fn make_private_folder(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)
}

/// Whether other users can read a file.
#[cfg(unix)]
pub(crate) fn others_can_read(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    // A file of another user, such as a secret of Kubernetes, is given to this process by its group.
    let is_own = |found: &fs::Metadata| found.uid() == rustix::process::geteuid().as_raw();
    let others = |found: &fs::Metadata| if is_own(found) { 0o044 } else { 0o004 };
    // A device or a pipe, as of process substitution, has a mode of its own.
    fs::metadata(path).is_ok_and(|found| found.is_file() && found.mode() & others(&found) != 0)
}

/// Whether other users can read a file, which is unknown on this platform.
#[cfg(not(unix))]
pub(crate) fn others_can_read(_: &Path) -> bool {
    false
}
