//! Folders that only the user can read.

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
