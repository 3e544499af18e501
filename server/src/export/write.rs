//! Putting files into the folder that is exported into.

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
};

use mcp_disclosure_gateway::Problem;

use super::folder::description_files;
use crate::{
    failure::Failure,
    files::{Change, text_of, write_together},
};

/// Writes files. `replaced` is the folder whose description files are replaced.
///
/// # Errors
/// [`Failure::Configuration`] for files that changed since they were read, and in `replaced` for description files of
/// other tools, which could not be served; [`Failure::Write`] where the directory cannot be written.
pub fn write(files: &[Change], replaced: Option<&Path>) -> Result<(), Failure> {
    let others = replaced.map(|folder| others(folder, files)).transpose();
    match others.map_err(Failure::Configuration)? {
        Some(problems) if !problems.is_empty() => return Err(Failure::Configuration(problems)),
        _ => {}
    }
    let changes = files.iter().cloned().map(|change| {
        // Description files that are replaced were not read.
        let before = change.before.or_else(|| replaced.and_then(|_| text_of(&change.path).ok()));
        Change { before, ..change }
    });
    write_together(&changes.collect::<Vec<_>>()).map_err(|unwritten| unwritten.failure)
}

/// Description files of tools that the source does not have.
fn others(folder: &Path, files: &[Change]) -> Result<Vec<Problem>, Vec<Problem>> {
    let ours: HashSet<&PathBuf> = files.iter().map(|file| &file.path).collect();
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
    use std::fs;

    use super::*;

    fn file(folder: &Path, name: &str, after: &str, before: Option<&str>) -> Change {
        Change { path: folder.join(name), before: before.map(str::to_owned), after: after.to_owned() }
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
        let file = |name, after, before| file(&directory, name, after, before);
        write(&[file("a.json", "a", None), file("b/c.json", "c", None)], None).unwrap();
        assert_eq!(contents(outside.path()).len(), 1, "nothing is left aside");
        // A new folder comes as a whole, or not at all; and what is said names it.
        let wrong = [file("../new/a.json", "a", None), file("../new/a.json/d.json", "d", None)];
        let failed = write(&wrong, None).unwrap_err();
        assert!(failed.to_string().contains("new/a.json"), "{failed}");
        assert_eq!(contents(outside.path()).len(), 1, "nothing is left of a new folder");
        // A file is in the place of the last one's folder.
        let before = contents(&directory);
        let files =
            [file("a.json", "A", Some("a")), file("new.json", "n", None), file("a.json/d.json", "d", None)];
        let failed = write(&files, None);
        assert!(failed.is_err());
        assert_eq!(contents(&directory), before);
        write(&files[..2], None).unwrap();
        assert_eq!(fs::read_to_string(directory.join("a.json")).unwrap(), "A");
    }

    #[test]
    fn u10_what_is_replaced_was_not_read_and_need_not_be_utf_8() {
        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join("a.json"), b"\xff").unwrap();
        write(&[file(directory.path(), "a.json", "ours", None)], Some(directory.path())).unwrap();
        assert_eq!(contents(directory.path()), [("a.json".to_owned(), "ours".to_owned())]);
    }
}
