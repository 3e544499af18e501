//! Copies that a run left beside hosts' files because it was killed.

use std::{
    fs::{self, File, Metadata},
    path::Path,
    time::Duration,
};

use crate::files::ASIDE;

/// The number of letters and digits behind it.
const RANDOM: usize = 6;

/// A copy this old is of no run that goes on: copies live while files are written.
const AGE: Duration = Duration::from_secs(60);

/// Removes copies of earlier runs from the folders of these files. `own` is a file that this run made.
pub(crate) fn remove<'p>(files: impl Iterator<Item = &'p Path>, own: &File) {
    let Ok(own) = own.metadata() else { return };
    let mut folders: Vec<&Path> = files.filter_map(Path::parent).collect();
    folders.sort();
    folders.dedup();
    let entries = folders.into_iter().filter_map(|folder| fs::read_dir(folder).ok()).flatten();
    for entry in entries.filter_map(Result::ok) {
        let name = entry.file_name();
        // The metadata is that of the entry itself, so a link is never one.
        let is_stale = |found: Metadata| found.is_file() && is_of_same_user(&found, &own) && is_old(&found);
        if name.to_str().is_some_and(is_copy) && entry.metadata().is_ok_and(is_stale) {
            let path = entry.path();
            match fs::remove_file(&path) {
                Ok(()) => tracing::info!("removed a copy that an earlier run left: {}", path.display()),
                Err(error) => tracing::warn!("cannot remove {}: {error}", path.display()),
            }
        }
    }
}

fn is_copy(name: &str) -> bool {
    name.strip_prefix(ASIDE)
        .is_some_and(|rest| rest.len() == RANDOM && rest.bytes().all(|byte| byte.is_ascii_alphanumeric()))
}

fn is_old(found: &Metadata) -> bool {
    let age = found.modified().ok().and_then(|modified| modified.elapsed().ok());
    age.is_some_and(|age| age > AGE)
}

#[cfg(unix)]
fn is_of_same_user(one: &Metadata, other: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    one.uid() == other.uid()
}

#[cfg(not(unix))]
fn is_of_same_user(_: &Metadata, _: &Metadata) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use super::*;

    #[test]
    fn w1_copies_of_a_run_that_was_killed_are_removed_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let within = |name: &str| folder.path().join(name);
        let own = File::create(within("lock")).unwrap();
        let old = SystemTime::now() - 2 * AGE;
        let names = [
            ".mcp-disclosure-aZ09bc",
            ".mcp-disclosure-aZ09bcd",
            ".mcp-disclosure-a-09bc",
            ".mcp-disclosure-",
            "mcp.json",
        ];
        for name in names {
            File::create(within(name)).unwrap().set_modified(old).unwrap();
        }
        // Of a run that goes on.
        File::create(within(".mcp-disclosure-123456")).unwrap();
        fs::create_dir(within(".mcp-disclosure-folder")).unwrap();
        let files = [within("mcp.json"), within("absent/mcp.json")];
        remove(files.iter().map(AsRef::as_ref), &own);
        let mut left: Vec<String> = fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        left.sort();
        let mut expected: Vec<&str> = names[1..].to_vec();
        expected.extend(["lock", ".mcp-disclosure-123456", ".mcp-disclosure-folder"]);
        expected.sort_unstable();
        assert_eq!(left, expected);
    }
}
