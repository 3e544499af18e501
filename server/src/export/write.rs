//! Putting files into a directory: all of them, or none.

use std::{
    collections::HashSet,
    fs, io,
    path::{Path, PathBuf},
};

use mcp_disclosure_gateway::Problem;

use super::{CONFIGURATION, folder::description_files};
use crate::failure::Failure;

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
/// Everything is written aside first. A new directory then appears as a whole; into one that is there, files are moved one
/// by one, each as a whole, and moved back where one of them fails.
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
    let written = if directory.exists() { into_existing(directory, files) } else { as_new(directory, files) };
    written.map_err(|source| Failure::Io { what: "cannot write the files", source })
}

fn as_new(directory: &Path, files: &[File]) -> io::Result<()> {
    let name = directory.file_name().unwrap_or_default().to_string_lossy();
    let aside = directory.with_file_name(format!(".{name}.export-{}", std::process::id()));
    let written = write_aside(&aside, directory, files).and_then(|()| fs::rename(&aside, directory));
    if written.is_err() {
        let _cleared = fs::remove_dir_all(&aside);
    }
    written
}

fn into_existing(directory: &Path, files: &[File]) -> io::Result<()> {
    let aside = directory.join(format!(".export-{}", std::process::id()));
    let (new, old) = (aside.join("new"), aside.join("old"));
    let written = write_aside(&new, directory, files).and_then(|()| {
        let mut moved = Moved::default();
        let all =
            files.iter().try_for_each(|file| moved.take(&new, &old, &directory.join(&file.name), &file.name));
        if all.is_err() {
            moved.undo();
        }
        all
    });
    let _cleared = fs::remove_dir_all(&aside);
    written
}

/// Files that were moved into place, each with a copy of the one that was there.
#[derive(Default)]
struct Moved(Vec<(PathBuf, Option<PathBuf>)>);

impl Moved {
    fn take(&mut self, new: &Path, old: &Path, target: &Path, name: &str) -> io::Result<()> {
        // What is a link stays one.
        let target = fs::canonicalize(target).unwrap_or_else(|_| target.to_owned());
        let kept = target.exists().then(|| old.join(name));
        if let Some(kept) = &kept {
            make_parent(kept)?;
            fs::copy(&target, kept)?;
        }
        make_parent(&target)?;
        fs::rename(new.join(name), &target)?;
        self.0.push((target, kept));
        Ok(())
    }

    /// Puts back what was there, as far as that is possible.
    fn undo(self) {
        for (target, kept) in self.0.into_iter().rev() {
            let _undone = match kept {
                Some(kept) => fs::rename(kept, target),
                None => fs::remove_file(target),
            };
        }
    }
}

fn write_aside(aside: &Path, directory: &Path, files: &[File]) -> io::Result<()> {
    for File { name, text, .. } in files {
        let path = aside.join(name);
        // On file systems that do not tell cases apart, two tools may want one file.
        if path.exists() {
            return Err(io::Error::other(format!("{name} is the name of two files here")));
        }
        make_parent(&path)?;
        fs::write(&path, text)?;
        match fs::metadata(directory.join(name)) {
            Ok(before) => fs::set_permissions(&path, before.permissions())?,
            Err(_) if name == CONFIGURATION => keep_private(&path)?,
            Err(_) => {}
        }
    }
    Ok(())
}

fn make_parent(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), fs::create_dir_all)
}

/// Makes the file readable by its owner only, since commands and headers may contain secrets.
#[cfg(unix)]
fn keep_private(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(0o600))
}

#[cfg(not(unix))]
fn keep_private(_: &Path) -> io::Result<()> {
    Ok(())
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
