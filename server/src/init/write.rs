//! Hosts' files as they are found, and files that only the user can read.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use mcp_disclosure_gateway::Problem;

use crate::{
    config::hosts::Document,
    failure::Failure,
    files::{give_owner, write_private},
};

/// The largest file of a host that is edited, in bytes.
pub(crate) const LARGEST: u64 = 16 * 1024 * 1024;

/// A file as it is found: its real path and its text.
///
/// # Errors
/// Why it cannot be read or edited, with a hint.
pub(crate) fn read(path: &Path) -> Result<(PathBuf, String), Problem> {
    let refused = |what: String, hint: &str| Problem::new(format!("{}: {what}", path.display())).hint(hint);
    let unreadable = |error: io::Error| refused(error.to_string(), "give a file that exists and is readable");
    let real = path.canonicalize().map_err(unreadable)?;
    let found = fs::metadata(&real).map_err(unreadable)?;
    if !found.is_file() {
        return Err(refused("is not a file".to_owned(), "give the path of a host's file"));
    }
    if found.len() > LARGEST {
        let what = format!("has {} bytes; files of at most {LARGEST} are edited", found.len());
        return Err(refused(what, "edit this file by hand"));
    }
    let text = String::from_utf8(fs::read(&real).map_err(unreadable)?);
    let text = text.map_err(|_| refused("is not UTF-8".to_owned(), "save it as UTF-8"))?;
    if found.permissions().readonly() {
        return Err(refused(
            "the file is read-only".to_owned(),
            "make it writable, or edit the file that it is made from",
        ));
    }
    if !can_keep_owner(&real, &found) {
        let hint = "give it a group of yours (chgrp), or edit this file by hand";
        return Err(refused("its owner or group would be lost".to_owned(), hint));
    }
    Ok((real, text))
}

/// The same, read as a host's file; its text is the document's.
///
/// # Errors
/// The same, and syntax errors.
pub(crate) fn opened(path: &Path, current: &Path) -> Result<(PathBuf, Document), Problem> {
    let (real, text) = read(path)?;
    Ok((real, Document::parse(path, &text, current)?))
}

/// Whether this user may give a file beside it this one's owner, as it is tried with one that is gone at once.
fn can_keep_owner(path: &Path, found: &fs::Metadata) -> bool {
    let folder = path.parent().unwrap_or(Path::new("."));
    tempfile::tempfile_in(folder).map_or(true, |file| give_owner(&file, found).is_ok())
}

/// Writes a file that only the user can read, and does not return before it is on disk.
///
/// # Errors
/// The file, and why it cannot be written.
pub(crate) fn keep(path: &Path, text: &str) -> Result<(), Failure> {
    let kept = write_private(path, text.as_bytes()).and_then(|file| file.sync_all());
    kept.map_err(|source| Failure::Write { path: path.to_owned(), source })
}

/// Removes a file, if it is there.
///
/// # Errors
/// The file, and why it cannot be removed.
pub(crate) fn remove(path: &Path) -> Result<(), Failure> {
    match fs::remove_file(path) {
        Err(source) if source.kind() != io::ErrorKind::NotFound => {
            Err(Failure::Write { path: path.to_owned(), source })
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::{Change, write_together};

    #[cfg(unix)]
    #[test]
    fn w1_modes_and_links_stay_and_what_cannot_be_edited_is_refused() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let (real, link) = (folder.path().join("real.json"), folder.path().join("link.json"));
        fs::write(&real, "1").unwrap();
        let mode = |mode| fs::set_permissions(&real, fs::Permissions::from_mode(mode)).unwrap();
        mode(0o640);
        symlink(&real, &link).unwrap();
        let (path, before) = read(&link).unwrap();
        write_together(&[Change { path, before: Some(before), after: "2".to_owned() }]).unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&link).unwrap(), "2");
        assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o640);
        mode(0o444);
        assert!(read(&link).unwrap_err().to_string().contains("the file is read-only"));
        mode(0o644);
        fs::write(&real, b"\xff").unwrap();
        assert!(read(&link).unwrap_err().to_string().contains("is not UTF-8"));
        fs::remove_file(&real).unwrap();
        assert!(read(&link).unwrap_err().to_string().contains("No such file"));
        assert!(read(folder.path()).unwrap_err().to_string().contains("is not a file"));
    }
}
