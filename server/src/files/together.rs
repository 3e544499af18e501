//! Putting files into place: all of them, or none.

use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
};

use mcp_disclosure_gateway::Problem;
use tempfile::TempPath;

use super::private::{aside, remove_left};
use crate::failure::Failure;

/// A file to write.
#[derive(Clone, Debug, Default)]
pub struct Change {
    /// The file; what is a link stays one.
    pub path: PathBuf,
    /// What it held when it was read; `None` if it was not there.
    pub before: Option<String>,
    /// What it will hold.
    pub after: String,
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

impl Change {
    /// Whether there is anything to write.
    pub(crate) fn changes(&self) -> bool {
        self.before.as_ref() != Some(&self.after)
    }

    /// Why it cannot be written any more, if the file is not what it was.
    fn overtaken(&self) -> Option<Problem> {
        let what = match (text_of(&self.path), &self.before) {
            (Ok(now), Some(before)) if now == *before => return None,
            (Err(error), None) if error.kind() == io::ErrorKind::NotFound => return None,
            (Err(error), _) if error.kind() != io::ErrorKind::NotFound => error.to_string(),
            _ => "changed or vanished meanwhile".to_owned(),
        };
        let problem = Problem::new(format!("{}: {what}", self.path.display()));
        Some(problem.hint("nothing was written; close what writes it, and run this again"))
    }

    fn failed(&self, source: io::Error) -> Failure {
        Failure::Write { path: self.path.clone(), source }
    }
}

/// What is compared to see whether a file changed. It need not be UTF-8 to be replaced.
pub(crate) fn text_of(path: &Path) -> io::Result<String> {
    Ok(String::from_utf8_lossy(&fs::read(path)?).into_owned())
}

/// Puts all files into place, in folders that are made if they are not there. Each is written aside in its own folder first, and
/// moved over the other as a whole.
///
/// # Errors
/// Files that changed since they were read, and those that cannot be written. Nothing has changed then, or the error names
/// the files that could not be put back.
pub(crate) fn write_together(changes: &[Change]) -> Result<(), Unwritten> {
    let mut made = Vec::new();
    let written = written(changes, &mut made);
    if written.is_err() {
        // Where something is in it, it stays.
        made.iter().rev().for_each(|folder| drop(fs::remove_dir(folder)));
    }
    written
}

/// The same; `made` gets the folders that were not there.
fn written(changes: &[Change], made: &mut Vec<PathBuf>) -> Result<(), Unwritten> {
    let overtaken: Vec<Problem> = changes.iter().filter_map(Change::overtaken).collect();
    if !overtaken.is_empty() {
        return Err(Failure::Configuration(overtaken).into());
    }
    let mut ready = Vec::new();
    for change in changes {
        let path = fs::canonicalize(&change.path).unwrap_or_else(|_| change.path.clone());
        let folders = path.ancestors().skip(1).take_while(|folder| !folder.exists());
        made.extend(folders.collect::<Vec<_>>().into_iter().rev().map(Path::to_owned));
        // None stays open: there may be more files than a program may open.
        let aside = |bytes: &[u8]| {
            let file = aside(&path, bytes)?;
            file.as_file().sync_all()?;
            Ok::<_, io::Error>(file.into_temp_path())
        };
        let both = || {
            path.parent().map_or(Ok(()), fs::create_dir_all)?;
            let old = change.before.as_ref().map(|_| aside(&fs::read(&path)?)).transpose()?;
            Ok((old, aside(change.after.as_bytes())?))
        };
        let (old, new) = both().map_err(|source| change.failed(source))?;
        ready.push((change, path.clone(), new, old));
    }
    let mut done: Vec<(&Change, PathBuf, Option<TempPath>)> = Vec::new();
    for (change, path, new, old) in ready {
        // Looked at once more: a host that is running may write it at any time.
        let moved = match change.overtaken() {
            Some(problem) => Err(Failure::Configuration(vec![problem])),
            None => new.persist(&path).map_err(|error| change.failed(error.error)),
        };
        if let Err(failure) = moved {
            return Err(put_back(done, failure));
        }
        sync_folder(&path);
        done.push((change, path, old));
    }
    let folders: BTreeSet<&Path> = done.iter().filter_map(|(_, path, _)| path.parent()).collect();
    folders.into_iter().for_each(remove_left);
    Ok(())
}

/// Puts back what was there, and adds the files for which that failed to the failure.
fn put_back(done: Vec<(&Change, PathBuf, Option<TempPath>)>, failure: Failure) -> Unwritten {
    let lost = done.into_iter().rev().filter_map(|(change, path, old)| {
        let back = match old {
            Some(old) => old.persist(&path).map_err(io::Error::from),
            None => fs::remove_file(&path),
        };
        let (error, shown) = (back.err()?, change.path.display());
        let problem = Problem::new(format!("{shown}: was changed already, and cannot be put back: {error}"));
        Some((
            problem.hint("mcp-disclosure undo --file with this path restores a host's file"),
            change.path.clone(),
        ))
    });
    let (lost, changed): (Vec<Problem>, Vec<PathBuf>) = lost.unzip();
    if lost.is_empty() {
        return failure.into();
    }
    let failure = Failure::Configuration([vec![Problem::new(failure.to_string())], lost].concat());
    Unwritten { failure, changed }
}

/// Whether two paths lead to one file.
pub(crate) fn is_same(one: &Path, other: &Path) -> bool {
    fs::canonicalize(one).is_ok_and(|one| fs::canonicalize(other).is_ok_and(|other| one == other))
}

/// Makes the rename last. File systems without it make it last on their own.
fn sync_folder(path: &Path) {
    if let Some(folder) = path.parent().filter(|_| cfg!(unix)) {
        let _unsupported = fs::File::open(folder).and_then(|folder| folder.sync_all());
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use super::*;
    use crate::files::write_private;

    fn change(path: &Path, before: &str, after: &str) -> Change {
        Change { path: path.to_owned(), before: Some(before.to_owned()), after: after.to_owned() }
    }

    #[test]
    fn w1_files_are_changed_all_together_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let (one, two) = (folder.path().join("one"), folder.path().join("two"));
        fs::write(&one, "1").unwrap();
        fs::write(&two, "2").unwrap();
        let failed = write_together(&[change(&one, "1", "A"), change(&two, "other", "B")]).unwrap_err();
        assert!(failed.failure.to_string().contains("two: changed or vanished meanwhile"), "{failed:?}");
        let gone = folder.path().join("gone");
        write_together(&[change(&one, "1", "A"), change(&gone, "", "B")]).unwrap_err();
        // The second one finds the first.
        let new = Change { before: None, ..change(&gone, "", "B") };
        write_together(&[change(&one, "1", "A"), new.clone(), new]).unwrap_err();
        assert_eq!((fs::read_to_string(&one).unwrap().as_str(), gone.exists()), ("1", false));
        // What a run left that was killed yesterday goes, and what another one writes just now stays.
        let left = |name: &str| fs::File::create_new(folder.path().join(name)).unwrap();
        let yesterday = SystemTime::now() - Duration::from_secs(24 * 60 * 60);
        left(".mcp-disclosure-writing-a").set_modified(yesterday).unwrap();
        let _other = left(".mcp-disclosure-writing-b");
        write_together(&[change(&one, "1", "A"), change(&two, "2", "B")]).unwrap();
        fs::remove_file(folder.path().join(".mcp-disclosure-writing-b")).unwrap();
        left(".mcp-disclosure-writing-c").set_modified(yesterday).unwrap();
        write_private(&two, b"B").unwrap();
        let texts = [one, two].map(|path| fs::read_to_string(path).unwrap());
        assert_eq!(texts, ["A", "B"]);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "nothing is left aside");
    }

    #[test]
    fn w1_a_file_that_cannot_be_put_back_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let (one, two) = (folder.path().join("one"), folder.path().join("two"));
        fs::write(&two, "B").unwrap();
        let (first, second) = (change(&one, "1", "A"), change(&two, "2", "B"));
        let old = |path: &Path, text: &str| Some(aside(path, text.as_bytes()).unwrap().into_temp_path());
        let done = vec![(&first, one.clone(), old(&one, "1")), (&second, two.clone(), old(&two, "2"))];
        // No file can be moved over a folder.
        fs::create_dir(&one).unwrap();
        let unwritten = put_back(done, Failure::Configuration(vec![Problem::new("the reason")]));
        assert_eq!((unwritten.changed, fs::read_to_string(&two).unwrap()), (vec![one], "2".to_owned()));
        assert!(unwritten.failure.to_string().contains("one: was changed already, and cannot be put back"));
    }
}
