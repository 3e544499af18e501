//! Putting files into a directory: all of them, or none.

use std::{
    collections::HashSet,
    fs, io,
    path::{Path, PathBuf},
};

use mcp_disclosure_gateway::Problem;

use super::CONFIGURATION;
use crate::failure::Failure;

/// Writes files into a directory, which is made if it is not there.
///
/// Everything is written aside first and then moved, so that what goes wrong half-way leaves nothing behind.
///
/// # Errors
/// [`Failure::Configuration`] for each file that is there already, unless they may be replaced, and for description
/// files of other tools, which could not be served; [`Failure::Io`] where the directory cannot be written.
pub fn write(directory: &Path, files: &[(String, String)], replace: bool) -> Result<(), Failure> {
    let problems = in_the_way(directory, files, replace);
    if !problems.is_empty() {
        return Err(Failure::Configuration(problems));
    }
    let was_there = directory.exists();
    let aside = directory.join(format!(".export-{}", std::process::id()));
    let written = write_aside(&aside, files).and_then(|()| {
        files.iter().try_for_each(|(name, _)| fs::rename(aside.join(name), directory.join(name)))
    });
    // It is empty, or was never made.
    let _cleared = fs::remove_dir_all(&aside);
    if written.is_err() && !was_there {
        let _cleared = fs::remove_dir(directory);
    }
    written.map_err(|source| Failure::Io { what: "cannot write the files", source })
}

fn write_aside(aside: &Path, files: &[(String, String)]) -> io::Result<()> {
    fs::create_dir_all(aside)?;
    for (name, text) in files {
        let path = aside.join(name);
        // On file systems that do not tell cases apart, two tools may want one file.
        if path.exists() {
            return Err(io::Error::other(format!("{name} is the name of two files here")));
        }
        fs::write(&path, text)?;
        if name == CONFIGURATION {
            keep_private(&path)?;
        }
    }
    Ok(())
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

fn in_the_way(directory: &Path, files: &[(String, String)], replace: bool) -> Vec<Problem> {
    let ours: HashSet<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
    let mut there: Vec<PathBuf> = match fs::read_dir(directory) {
        Ok(entries) => entries.filter_map(|entry| Some(entry.ok()?.path())).collect(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Vec::new(),
        Err(error) => {
            let message = format!("{}: {error}", directory.display());
            return vec![Problem::new(message).hint("give a directory that can be written, or a new one")];
        }
    };
    there.sort();
    let problems = there.iter().filter_map(|path| {
        let name = path.file_name()?.to_str()?;
        let message = |message: &str| Problem::new(format!("{}: {message}", path.display()));
        if ours.contains(name) {
            let is_configuration = name == CONFIGURATION;
            let hint = if is_configuration {
                "--force replaces it, with all that you wrote there"
            } else {
                "--force replaces it"
            };
            return (!replace).then(|| message("is there already").hint(hint));
        }
        let is_description = path.extension().is_some_and(|extension| extension == "json");
        is_description
            .then(|| message("describes no tool of this source").hint("remove it, or give another directory"))
    });
    problems.collect()
}
