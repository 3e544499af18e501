//! Putting files into a directory: all of them, or none.

use std::{
    collections::HashSet,
    fs, io,
    path::{Path, PathBuf},
};

use mcp_disclosure_gateway::Problem;
use tempfile::TempPath;

use super::{CONFIGURATION, folder::description_files};
use crate::{failure::Failure, files::aside};

/// A file to write.
#[derive(Debug)]
pub struct File {
    /// Its name within the directory; folders are separated by `/`.
    pub name: String,
    /// What it will hold.
    pub text: String,
    /// What it holds, where that was read.
    pub before: Option<String>,
}

/// Writes files into a directory, which is made if it is not there. `replaced` is the folder whose description files are
/// replaced.
///
/// Everything is written aside first; files are then moved into place one by one, each as a whole, and moved back where one of
/// them fails.
///
/// # Errors
/// [`Failure::Configuration`] for files that changed since they were read, and in `replaced` for description files of
/// other tools, which could not be served; [`Failure::Io`] where the directory cannot be written.
pub fn write(directory: &Path, files: &[File], replaced: Option<&Path>) -> Result<(), Failure> {
    let mut problems = changed(directory, files, replaced.is_some());
    if let Some(folder) = replaced {
        problems.extend(others(folder, directory, files).map_err(Failure::Configuration)?);
    }
    if !problems.is_empty() {
        return Err(Failure::Configuration(problems));
    }
    replace(directory, files).map_err(|source| Failure::Io { what: "cannot write the files", source })
}

fn replace(directory: &Path, files: &[File]) -> io::Result<()> {
    // On file systems that do not tell cases apart, two tools may want one file.
    let two = |name: &str| io::Error::other(format!("{name} is the name of two files here"));
    let (mut ready, mut targets) = (Vec::new(), HashSet::new());
    for File { name, text, .. } in files {
        let target = directory.join(name);
        // What is a link stays one.
        let target = fs::canonicalize(&target).unwrap_or(target);
        if !targets.insert(target.clone()) {
            return Err(two(name));
        }
        target.parent().map_or(Ok(()), fs::create_dir_all)?;
        // Commands and headers of a configuration may contain secrets.
        let is_private = name == CONFIGURATION;
        // None stays open: there may be more files than a program may open.
        let aside = |bytes: &[u8]| Ok::<_, io::Error>(aside(&target, bytes, is_private)?.into_temp_path());
        let old = target.exists().then(|| fs::read(&target)).transpose()?;
        let old = old.map(|old| aside(&old)).transpose()?;
        let new = aside(text.as_bytes())?;
        ready.push((new, old, target, name));
    }
    let mut done: Vec<(Option<TempPath>, PathBuf)> = Vec::new();
    for (new, old, target, name) in ready {
        let moved = match old.is_none() && target.exists() {
            true => Err(two(name)),
            false => new.persist(&target).map_err(io::Error::from),
        };
        if let Err(error) = moved {
            done.into_iter().rev().for_each(|(old, target)| put_back(old, &target));
            return Err(error);
        }
        done.push((old, target));
    }
    Ok(())
}

/// Puts back what was there, as far as that is possible.
fn put_back(old: Option<TempPath>, target: &Path) {
    let _undone = match old {
        Some(old) => old.persist(target).map_err(io::Error::from),
        None => fs::remove_file(target),
    };
}

/// Files that are not what they were when they were read: someone is writing them.
fn changed(directory: &Path, files: &[File], replaces: bool) -> Vec<Problem> {
    let is_changed = |file: &&File| {
        let is_read = !replaces || file.before.is_some();
        is_read && fs::read_to_string(directory.join(&file.name)).ok() != file.before
    };
    let problem = |file: &File| {
        let message = format!("{}: changed meanwhile", directory.join(&file.name).display());
        Problem::new(message).hint("nothing was written; export again")
    };
    files.iter().filter(is_changed).map(problem).collect()
}

/// Description files of tools that the source does not have.
fn others(folder: &Path, directory: &Path, files: &[File]) -> Result<Vec<Problem>, Vec<Problem>> {
    let ours: HashSet<PathBuf> = files.iter().map(|file| directory.join(&file.name)).collect();
    let mut there = description_files(folder)?;
    there.retain(|path| !ours.contains(path));
    let problem = |path: &PathBuf| {
        let message = format!("{}: is no file of this export", path.display());
        Problem::new(message).hint("remove it, or leave --replace out, which keeps it")
    };
    Ok(there.iter().map(problem).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str, text: &str, before: Option<&str>) -> File {
        File { name: name.to_owned(), text: text.to_owned(), before: before.map(str::to_owned) }
    }

    fn contents(directory: &Path) -> Vec<(String, String)> {
        let entries = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap());
        let mut found: Vec<_> = entries
            .map(|entry| {
                let text = fs::read_to_string(entry.path()).unwrap_or_default();
                (entry.file_name().into_string().unwrap(), text)
            })
            .collect();
        found.sort();
        found
    }

    #[test]
    fn u10_where_one_file_cannot_be_written_all_are_as_they_were() {
        let outside = tempfile::tempdir().unwrap();
        let directory = outside.path().join("out");
        write(&directory, &[file("a.json", "a", None), file("b/c.json", "c", None)], None).unwrap();
        assert_eq!(contents(outside.path()).len(), 1, "nothing is left aside");
        // A directory is in the place of the last file.
        fs::create_dir_all(directory.join("d.json/inside")).unwrap();
        let before = contents(&directory);
        let files = [file("a.json", "A", Some("a")), file("new.json", "n", None), file("d.json", "d", None)];
        let failed = write(&directory, &files, None);
        assert!(matches!(failed, Err(Failure::Io { .. })), "{failed:?}");
        assert_eq!(contents(&directory), before);
        write(&directory, &files[..2], None).unwrap();
        assert_eq!(fs::read_to_string(directory.join("a.json")).unwrap(), "A");
    }

    #[test]
    fn u10_a_file_that_changed_since_it_was_read_is_not_overwritten() {
        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join("a.json"), "theirs").unwrap();
        for before in [None, Some("older")] {
            let failed = write(directory.path(), &[file("a.json", "ours", before)], None).unwrap_err();
            assert!(failed.to_string().contains("a.json: changed meanwhile (hint: nothing"), "{failed}");
        }
        assert_eq!(contents(directory.path()), [("a.json".to_owned(), "theirs".to_owned())]);
    }

    #[cfg(unix)]
    #[test]
    fn u10_links_and_permissions_stay() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let (directory, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (link, real) = (directory.path().join(CONFIGURATION), elsewhere.path().join("real.toml"));
        fs::write(&real, "old").unwrap();
        fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
        symlink(&real, &link).unwrap();
        write(directory.path(), &[file(CONFIGURATION, "new", Some("old"))], None).unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&real).unwrap(), "new");
        assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o640);
    }
}
