//! The file of records.

use std::{
    fmt,
    fs::{File, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
};

/// A file of lines that is only appended to. Only the user can read it, if it is made here.
pub(super) struct AuditFile {
    path: PathBuf,
    file: File,
    /// The rest of a line that was cut off, as by a full disk. It comes before anything else, so that each line stays whole.
    rest: Vec<u8>,
    /// Makes the first line.
    head: Box<dyn Fn() -> Vec<u8> + Send>,
}

impl AuditFile {
    /// # Errors
    /// If it cannot be opened. That its first line cannot be written is no error here: the next one cannot be either.
    pub(super) fn open(path: &Path, head: impl Fn() -> Vec<u8> + Send + 'static) -> io::Result<Self> {
        let file = open(path)?;
        let mut opened = Self { path: path.to_owned(), file, rest: Vec::new(), head: Box::new(head) };
        opened.begin();
        Ok(opened)
    }

    /// Opens the file of this name, which may be another one by now.
    ///
    /// # Errors
    /// If that is not possible; the old file stays in use.
    pub(super) fn reopen(&mut self) -> io::Result<()> {
        let _still_full = self.write(&[]);
        self.file = open(&self.path)?;
        self.rest.clear();
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
