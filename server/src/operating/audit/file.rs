//! The file of records.

use std::{
    fs::{File, OpenOptions},
    io::{self, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use crate::files::warn_of_readers;

/// A file of whole lines that is only appended to. Only the user can read it, if it is made here.
pub(super) struct AuditFile {
    path: PathBuf,
    file: File,
    /// Whether its last line lacks its end: the program that wrote it was killed meanwhile, or it could not be taken back.
    is_cut: bool,
    /// Makes the first line.
    head: Box<dyn Fn() -> Vec<u8> + Send>,
}

impl AuditFile {
    /// Warns if others can read it.
    ///
    /// # Errors
    /// If it cannot be opened. That its first line cannot be written is no error here: the next one cannot be either.
    pub(super) fn open(path: &Path, head: impl Fn() -> Vec<u8> + Send + 'static) -> io::Result<Self> {
        let mut opened =
            Self { path: path.to_owned(), file: open(path)?, is_cut: false, head: Box::new(head) };
        opened.begin();
        Ok(opened)
    }

    /// Opens the file of this name, which may be another one by now.
    ///
    /// # Errors
    /// If that is not possible; the old file stays in use.
    pub(super) fn reopen(&mut self) -> io::Result<()> {
        self.file = open(&self.path)?;
        self.begin();
        Ok(())
    }

    /// Writes whole lines, and waits until they are on the disk if that `is_needed`. Returns how many bytes of them are in the
    /// file, which ends with a whole line; fewer than all only with an error.
    pub(super) fn write(&mut self, lines: &[u8], is_needed: bool) -> (usize, io::Result<()>) {
        if self.is_cut {
            let (_, outcome) = write_all(&mut self.file, b"\n");
            if outcome.is_err() {
                return (0, outcome);
            }
            self.is_cut = false;
        }
        let before = self.length();
        let (written, outcome) = write_all(&mut self.file, lines);
        let whole = lines[..written].iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        if whole < written {
            self.is_cut = !self.take_back(before, written, whole);
        }
        let kept = if is_needed && whole > 0 { self.sync() } else { Ok(()) };
        if let Err(error) = kept {
            // What the disk has of them is not known then, so they are no records.
            let _as_before = self.take_back(before, whole, 0);
            return (0, Err(error));
        }
        (whole, outcome)
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Of bytes that were just `written`, keeps only the first. Returns whether that was possible: a pipe or a device gives
    /// nothing back, and what another process wrote meanwhile stays.
    fn take_back(&self, before: Option<u64>, written: usize, kept: usize) -> bool {
        let Some(before) = before else { return false };
        self.length() == Some(before + written as u64) && self.file.set_len(before + kept as u64).is_ok()
    }

    /// The length of a file; `None` of what has none.
    fn length(&self) -> Option<u64> {
        self.file.metadata().ok().filter(|metadata| metadata.is_file()).map(|metadata| metadata.len())
    }

    /// What is no file has no disk.
    fn sync(&self) -> io::Result<()> {
        if self.file.metadata()?.is_file() { self.file.sync_data() } else { Ok(()) }
    }

    fn begin(&mut self) {
        self.is_cut = is_cut_off(&self.path, &self.file).unwrap_or(self.is_cut);
        warn_of_readers("--audit", &self.path, "the audit log");
        let head = (self.head)();
        let (_, outcome) = self.write(&head, false);
        if let Err(error) = outcome {
            tracing::error!(%error, "cannot write to --audit {}", self.path.display());
        }
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

/// Whether the last line of a file lacks its end; `None` of what is no file, where reading may wait, or take something away.
fn is_cut_off(path: &Path, file: &File) -> Option<bool> {
    let metadata = file.metadata().ok().filter(|metadata| metadata.is_file())?;
    if metadata.len() == 0 {
        return Some(false);
    }
    let last = || -> io::Result<[u8; 1]> {
        let (mut reader, mut last) = (File::open(path)?, [0]);
        reader.seek(SeekFrom::End(-1))?;
        reader.read_exact(&mut last)?;
        Ok(last)
    };
    Some(last().is_ok_and(|last| last != *b"\n"))
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

    #[test]
    fn a7_what_another_process_wrote_is_not_taken_back() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("audit.jsonl");
        let file = AuditFile::open(&path, head).unwrap();
        assert!(file.take_back(Some(0), 5, 0));
        std::fs::write(&path, "head\ntheirs\n").unwrap();
        assert!(!file.take_back(Some(0), 5, 0));
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "head\ntheirs\n");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a7_a_device_gives_nothing_back() {
        let mut file = AuditFile::open(Path::new("/dev/full"), head).unwrap();
        let (written, outcome) = file.write(b"line\n", true);
        assert_eq!((written, outcome.is_err(), file.take_back(file.length(), 5, 0)), (0, true, false));
    }
}
