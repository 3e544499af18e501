//! Putting changed files into place: all of them, or none.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use mcp_disclosure_gateway::Problem;
use tempfile::NamedTempFile;

use crate::{
    failure::Failure,
    files::{self, write_private},
};

/// The largest file of a host that is edited, in bytes.
pub(crate) const LARGEST: u64 = 16 * 1024 * 1024;

/// A file to change.
#[derive(Clone, Debug, Default)]
pub(crate) struct Change {
    /// The file itself, where the path that was found is a link.
    pub(crate) path: PathBuf,
    pub(crate) before: String,
    pub(crate) after: String,
}

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

/// Why files were not written.
#[derive(Debug)]
pub(crate) struct Unwritten {
    pub(crate) failure: Failure,
    /// The files that were changed already, and could not be put back.
    pub(crate) changed: Vec<PathBuf>,
}

impl From<Failure> for Unwritten {
    fn from(failure: Failure) -> Self {
        Self { failure, changed: Vec::new() }
    }
}

/// Puts all files into place. Each is written aside in its own folder first, and moved over the other as a whole.
///
/// # Errors
/// Files that changed since they were read, and those that cannot be written. Nothing has changed then, or the error names
/// the files that could not be put back.
pub(crate) fn write(changes: &[Change]) -> Result<(), Unwritten> {
    let mut ready = Vec::new();
    for change in changes {
        let failed = |source| Failure::Write { path: change.path.clone(), source };
        let new = aside(&change.path, &change.after).map_err(failed)?;
        let old = aside(&change.path, &change.before).map_err(failed)?;
        ready.push((change, new, old));
    }
    let changed: Vec<Problem> =
        changes.iter().filter(|change| is_changed(change)).map(changed_meanwhile).collect();
    if !changed.is_empty() {
        return Err(Failure::Configuration(changed).into());
    }
    let mut done: Vec<(&Change, NamedTempFile)> = Vec::new();
    for (change, new, old) in ready {
        // Looked at once more: a host that is running may write it at any time.
        let moved = if is_changed(change) {
            Err(Failure::Configuration(vec![changed_meanwhile(change)]))
        } else {
            let failed = |error: tempfile::PersistError| Failure::Write {
                path: change.path.clone(),
                source: error.error,
            };
            new.persist(&change.path).map(drop).map_err(failed)
        };
        if let Err(failure) = moved {
            return Err(put_back(done, failure));
        }
        sync_folder(&change.path);
        done.push((change, old));
    }
    Ok(())
}

/// Puts back what was there, and adds the files for which that failed to the failure.
fn put_back(done: Vec<(&Change, NamedTempFile)>, failure: Failure) -> Unwritten {
    let lost = done.into_iter().rev().filter_map(|(change, old)| {
        let error = old.persist(&change.path).err()?.error;
        let what = format!("{}: was changed already, and cannot be put back: {error}", change.path.display());
        let problem = Problem::new(what).hint("mcp-disclosure undo --file with this path restores it");
        Some((problem, change.path.clone()))
    });
    let (lost, changed): (Vec<Problem>, Vec<PathBuf>) = lost.unzip();
    if lost.is_empty() {
        return failure.into();
    }
    let failure = Failure::Configuration([vec![Problem::new(failure.to_string())], lost].concat());
    Unwritten { failure, changed }
}

fn is_changed(change: &Change) -> bool {
    fs::read(&change.path).ok().is_none_or(|now| now != change.before.as_bytes())
}

fn changed_meanwhile(change: &Change) -> Problem {
    let what = format!("{}: changed or vanished meanwhile", change.path.display());
    Problem::new(what).hint("nothing was written; close the host that writes it, and run this again")
}

/// A file beside another one with this text and the other's mode and owner, on disk.
fn aside(path: &Path, text: &str) -> io::Result<NamedTempFile> {
    let file = files::aside(path, text.as_bytes(), true)?;
    give_owner(file.as_file(), &fs::metadata(path)?)?;
    file.as_file().sync_all()?;
    Ok(file)
}

/// Whether this user may give a file beside it this one's owner, as it is tried with one that is gone at once.
fn can_keep_owner(path: &Path, found: &fs::Metadata) -> bool {
    let folder = path.parent().unwrap_or(Path::new("."));
    tempfile::tempfile_in(folder).map_or(true, |file| give_owner(&file, found).is_ok())
}

/// Gives the file the other's owner where that is someone else, as under sudo.
#[cfg(unix)]
fn give_owner(file: &fs::File, old: &fs::Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, fchown};
    let new = file.metadata()?;
    if (new.uid(), new.gid()) == (old.uid(), old.gid()) {
        return Ok(());
    }
    fchown(file, Some(old.uid()), Some(old.gid()))
}

#[cfg(not(unix))]
fn give_owner(_: &fs::File, _: &fs::Metadata) -> io::Result<()> {
    Ok(())
}

/// Makes the rename last. File systems without it make it last on their own.
fn sync_folder(path: &Path) {
    if let Some(folder) = path.parent().filter(|_| cfg!(unix)) {
        let _unsupported = fs::File::open(folder).and_then(|folder| folder.sync_all());
    }
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

    fn change(path: &Path, before: &str, after: &str) -> Change {
        Change { path: path.to_owned(), before: before.to_owned(), after: after.to_owned() }
    }

    #[test]
    fn w1_files_are_changed_all_together_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let (one, two) = (folder.path().join("one"), folder.path().join("two"));
        fs::write(&one, "1").unwrap();
        fs::write(&two, "2").unwrap();
        let failed =
            write(&[change(&one, "1", "A"), change(&two, "other", "B")]).unwrap_err().failure.to_string();
        assert!(failed.contains("two: changed or vanished meanwhile"), "{failed}");
        let gone = folder.path().join("gone");
        write(&[change(&one, "1", "A"), change(&gone, "", "B")]).unwrap_err();
        assert_eq!(fs::read_to_string(&one).unwrap(), "1");
        write(&[change(&one, "1", "A"), change(&two, "2", "B")]).unwrap();
        assert_eq!(
            (fs::read_to_string(&one).unwrap(), fs::read_to_string(&two).unwrap()),
            ("A".into(), "B".into())
        );
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "nothing is left aside");
    }

    #[test]
    fn w1_what_was_moved_is_put_back_if_a_later_file_fails() {
        let folder = tempfile::tempdir().unwrap();
        let one = folder.path().join("one");
        fs::write(&one, "A").unwrap();
        let done = change(&one, "1", "A");
        let old = aside(&one, "1").unwrap();
        let failure = put_back(vec![(&done, old)], Failure::Configuration(vec![Problem::new("the reason")]));
        assert_eq!((failure.failure.to_string().as_str(), failure.changed), ("the reason", vec![]));
        assert_eq!(fs::read_to_string(&one).unwrap(), "1");
    }

    #[test]
    fn w1_a_file_that_cannot_be_put_back_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let (one, two) = (folder.path().join("one"), folder.path().join("two"));
        fs::write(&one, "A").unwrap();
        fs::write(&two, "B").unwrap();
        let (first, second) = (change(&one, "1", "A"), change(&two, "2", "B"));
        let done = vec![(&first, aside(&one, "1").unwrap()), (&second, aside(&two, "2").unwrap())];
        // No file can be moved over a folder.
        fs::remove_file(&one).unwrap();
        fs::create_dir(&one).unwrap();
        let unwritten = put_back(done, Failure::Configuration(vec![Problem::new("the reason")]));
        assert_eq!((unwritten.changed, fs::read_to_string(&two).unwrap()), (vec![one], "2".to_owned()));
        assert!(unwritten.failure.to_string().contains("one: was changed already, and cannot be put back"));
    }

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
        write(&[change(&path, &before, "2")]).unwrap();
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
