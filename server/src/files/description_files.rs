//! Reading a directory of description files.

use std::path::{Path, PathBuf};

use mcp_disclosure_core::{DescriptionError, DescriptionFile};
use mcp_disclosure_gateway::Problem;

use crate::config::unreadable_file;

/// Reads every `*.json` of a directory, in the order of their names.
///
/// # Errors
/// Every problem there is, with its file and a hint.
pub fn read_directory(directory: &Path) -> Result<Vec<DescriptionFile>, Vec<Problem>> {
    let paths = description_paths(directory).map_err(|error| {
        let hint = match directory.is_file() {
            true => "give the directory that it is in",
            false => "give a directory that can be read",
        };
        vec![Problem::new(format!("{}: {error}", directory.display())).hint(hint)]
    })?;
    let mut files = Vec::with_capacity(paths.len());
    let mut problems = Vec::new();
    for path in paths {
        let shown = path.display().to_string();
        let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        match std::fs::read_to_string(&path) {
            Err(error) => problems.push(unreadable_file(&path, &error)),
            Ok(text) => match DescriptionFile::parse(&shown, stem, text.trim_start_matches('\u{feff}')) {
                Ok(file) => {
                    tracing::debug!(path = shown, "description file read");
                    files.push(file);
                }
                Err(errors) => problems.extend(errors.iter().map(problem)),
            },
        }
    }
    if problems.is_empty() { Ok(files) } else { Err(problems) }
}

/// Every `*.json` of a directory, in the order of their names.
pub(crate) fn description_paths(directory: &Path) -> std::io::Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(directory)?;
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "json") && !path.is_dir());
    paths.sort();
    Ok(paths)
}

/// The problem a person reads, with what to do about it.
fn problem(error: &DescriptionError) -> Problem {
    let hint = match error {
        DescriptionError::Syntax { .. } => "a description file is one JSON object with the name of its tool",
        DescriptionError::Missing { .. } => "name must be there, and what else is there must say something",
        DescriptionError::NotAnObject { .. } => {
            "write a JSON Schema such as {\"type\": \"object\", \"properties\": {}}"
        }
        DescriptionError::NameDiffers { .. } => "rename the file, or correct 'name' in it",
        _ => "see docs/description-files.md",
    };
    Problem::new(error.to_string()).hint(hint)
}
