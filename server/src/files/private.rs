//! Folders that only the user can read, and files that others can.

use std::{fs, io, path::Path};

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
