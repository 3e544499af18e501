//! Files that a command is given: tasks, scripts, queries.

use std::{fs::File, io::Read, path::Path};

/// Maximum size of such a file, in bytes.
const MOST_BYTES: u64 = 16 << 20;

/// The text of a file.
///
/// # Errors
/// Why it cannot be read, or that it is larger than [`MOST_BYTES`].
pub(super) fn read(path: &Path) -> Result<String, String> {
    let file = File::open(path).map_err(|error| error.to_string())?;
    let mut text = String::new();
    file.take(MOST_BYTES + 1).read_to_string(&mut text).map_err(|error| error.to_string())?;
    match text.len() as u64 > MOST_BYTES {
        true => Err(format!("the file is larger than {} MiB", MOST_BYTES >> 20)),
        false => Ok(text),
    }
}
