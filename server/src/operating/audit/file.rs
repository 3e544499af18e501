//! The file of records.

use std::{
    fmt,
    fs::{File, OpenOptions},
    io::{self, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

/// A file of lines that is only appended to. Only the user can read it, if it is made here.
pub(super) struct AuditFile {
    path: PathBuf,
    file: File,
    /// The rest of a line that was cut off, as by a full disk, or its end, if it was cut off in an earlier run. It comes before
    /// anything else, so that each line stays whole.
    rest: Vec<u8>,
    /// Makes the first line.
    head: Box<dyn Fn() -> Vec<u8> + Send>,
}

impl AuditFile {
    /// # Errors
    /// If it cannot be opened. That its first line cannot be written is no error here: the next one cannot be either.
    pub(super) fn open(path: &Path, head: impl Fn() -> Vec<u8> + Send + 'static) -> io::Result<Self> {
        let file = open(path)?;
        let rest = end_of_line(path, &file);
        let mut opened = Self { path: path.to_owned(), file, rest, head: Box::new(head) };
        opened.begin();
        Ok(opened)
    }

    /// Opens the file of this name, which may be another one by now.
    ///
    /// # Errors
    /// If that is not possible; the old file stays in use.
    pub(super) fn reopen(&mut self) -> io::Result<()> {
        let _still_full = self.write(&[]);
        let file = open(&self.path)?;
        let goes_on = !self.rest.is_empty() && is_same(&self.file, &file);
        if !goes_on {
            self.rest = end_of_line(&self.path, &file);
        }
        self.file = file;
        self.begin();
        Ok(())
    }

    /// Writes whole lines. Returns how many bytes of them were written; fewer than all only with an error.
    pub(super) fn write(&mut self, lines: &[u8]) -> (usize, io::Result<()>) {
        let rest = std::mem::take(&mut self.rest);
        let (written, outcome) = write_all(&mut self.file, &rest);
        if outcome.is_err() {
            self.rest = rest[written..].to_vec();
            return (0, outcome);
        }
        let (written, outcome) = write_all(&mut self.file, lines);
        let begins_at = lines[..written].iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        if outcome.is_err() && begins_at < written {
            let left = &lines[written..];
            let end = left.iter().position(|byte| *byte == b'\n').map_or(left.len(), |end| end + 1);
            self.rest = left[..end].to_vec();
        }
        (written, outcome)
    }

    /// Waits until what was written is on the disk. What is no file has none.
    pub(super) fn sync(&self) -> io::Result<()> {
        if self.file.metadata()?.is_file() { self.file.sync_data() } else { Ok(()) }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    fn begin(&mut self) {
        let head = (self.head)();
        let (_, outcome) = self.write(&head);
        if let Err(error) = outcome {
            tracing::error!(%error, "cannot write to --audit {}", self.path.display());
        }
    }
}

impl fmt::Debug for AuditFile {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("AuditFile").field(&self.path).finish()
    }
}

fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        // A pipe that nothing reads is an error instead of a wait.
        options.mode(0o600).custom_flags(rustix::fs::OFlags::NONBLOCK.bits() as i32);
    }
    let file = options.open(path)?;
    #[cfg(unix)]
    rustix::fs::fcntl_setfl(&file, rustix::fs::fcntl_getfl(&file)? - rustix::fs::OFlags::NONBLOCK)?;
    Ok(file)
}

/// What the last line of a file lacks: its end, if the program that wrote it was killed meanwhile.
fn end_of_line(path: &Path, file: &File) -> Vec<u8> {
    // Reading from anything else may wait, or take something away.
    let is_cut = || -> io::Result<bool> {
        let metadata = file.metadata()?;
        if !metadata.is_file() || metadata.len() == 0 {
            return Ok(false);
        }
        let (mut reader, mut last) = (File::open(path)?, [0]);
        reader.seek(SeekFrom::End(-1))?;
        reader.read_exact(&mut last)?;
        Ok(last != *b"\n")
    };
    if is_cut().unwrap_or(false) { b"\n".to_vec() } else { Vec::new() }
}

#[cfg(unix)]
fn is_same(one: &File, other: &File) -> bool {
    use std::os::unix::fs::MetadataExt;
    let identity = |file: &File| file.metadata().map(|metadata| (metadata.dev(), metadata.ino())).ok();
    identity(one).is_some_and(|identity_of_one| Some(identity_of_one) == identity(other))
}

/// Where files have no identity, the line that was cut off is ended only.
#[cfg(not(unix))]
fn is_same(_one: &File, _other: &File) -> bool {
    false
}

fn write_all(file: &mut File, mut bytes: &[u8]) -> (usize, io::Result<()>) {
    let all = bytes.len();
    while !bytes.is_empty() {
        match file.write(bytes) {
            Ok(0) => return (all - bytes.len(), Err(io::ErrorKind::WriteZero.into())),
            Ok(count) => bytes = &bytes[count..],
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return (all - bytes.len(), Err(error)),
        }
    }
    (all, Ok(()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head() -> Vec<u8> {
        b"head\n".to_vec()
    }

    #[test]
    fn a7_a_line_that_was_cut_off_is_ended_before_the_next() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("audit.jsonl");
        let text = || std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, "whole\ncut").unwrap();
        drop(AuditFile::open(&path, head).unwrap());
        assert_eq!(text(), "whole\ncut\nhead\n");
        let mut file = AuditFile::open(&path, head).unwrap();
        assert_eq!(text(), "whole\ncut\nhead\nhead\n");
        // Another file of the same name.
        std::fs::rename(&path, directory.path().join("old")).unwrap();
        std::fs::write(&path, "cut").unwrap();
        file.reopen().unwrap();
        assert_eq!(text(), "cut\nhead\n");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a7_a_file_that_is_opened_again_goes_on_where_it_was_cut_off() {
        let mut file = AuditFile::open(Path::new("/dev/full"), head).unwrap();
        file.rest = b"rest\n".to_vec();
        file.reopen().unwrap();
        assert_eq!(file.rest, b"rest\n");
    }
}
