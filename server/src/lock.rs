//! `disclosure.lock`: the definitions of tools that were reviewed, beside the configuration. A line is a tool, sorted by name, so
//! that what changes is a line of a diff.

use std::{
    collections::HashSet,
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
};

use mcp_disclosure_core::{
    Lock, Record, UpstreamLists, UpstreamName,
    printable::{is_active, printable},
};
use mcp_disclosure_gateway::{Place, Problem, catalogue::Accepting};
use parking_lot::Mutex;

use crate::files::aside;

/// The file's name.
pub const LOCK: &str = "disclosure.lock";

const HEAD: &str = "\
# Definitions of tools that were reviewed, by digests: of the whole, and the beginnings of those of its parts.
# Written by mcp-disclosure. When a tool changes: mcp-disclosure accept NAME
";

/// A lock file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LockFile {
    /// Where it is, or would be.
    pub path: PathBuf,
    /// Its text; `None` if it is not there.
    pub text: Option<String>,
    /// What it says.
    pub lock: Lock,
}

impl LockFile {
    /// Reads the one beside a configuration. One that is not there says nothing.
    ///
    /// # Errors
    /// That it cannot be read, or the first line that says nothing.
    pub fn beside(configuration: &Path) -> Result<Self, Problem> {
        let path = configuration.with_file_name(LOCK);
        match fs::read_to_string(&path) {
            Ok(text) => Ok(Self { lock: parse(&path, &text)?, text: Some(text), path }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self { path, ..Self::default() }),
            Err(error) => Err(Problem::new(format!("{}: {error}", path.display()))
                .hint("make it readable, or remove it and review everything anew")),
        }
    }
}

/// The lock file beside a configuration, for what is accepted the first time.
#[derive(Debug)]
pub struct First {
    /// The configuration.
    pub configuration: PathBuf,
    /// The upstreams of which that was written in this run; `None` for what only looks, and writes nothing.
    pub written: Option<Arc<WrittenFirst>>,
}

/// The upstreams that were accepted as they were in this run of the program.
pub type WrittenFirst = Mutex<HashSet<UpstreamName>>;

impl Accepting for First {
    fn accept(&self, lists: &UpstreamLists) -> Result<Lock, String> {
        let mut written = self.written.as_ref().map(|written| written.lock());
        // It may have been written since, by another process or for another client.
        let read = LockFile::beside(&self.configuration);
        let LockFile { path, mut lock, .. } = read.map_err(|problem| problem.to_string())?;
        if lock.knows(&lists.name) {
            return Ok(lock);
        }
        lock.add(&lists.name, &lists.definitions());
        if let Some(written) = &mut written {
            if !written.insert(lists.name.clone()) {
                return Err(format!("{} says nothing of it any more", path.display()));
            }
            write(&path, &lock).map_err(|error| format!("{} cannot be written: {error}", path.display()))?;
            let (name, tools, path) = (&lists.name, lists.tools.len(), path.display());
            tracing::warn!(
                "upstream '{name}': the first start under on_change = \"hold\"; its {tools} tools are accepted as they are, and written to {path}"
            );
        }
        Ok(lock)
    }
}

/// Replaces a lock file as a whole; what is a link stays one.
///
/// # Errors
/// Those of the file system.
pub fn write(path: &Path, lock: &Lock) -> io::Result<()> {
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    aside(&path, text(lock).as_bytes())?.persist(&path)?;
    Ok(())
}

/// The text of a lock.
pub fn text(lock: &Lock) -> String {
    let mut text = HEAD.to_owned();
    for (name, record) in lock.iter() {
        text.push_str(&shown(name));
        if let Some(record) = record {
            text.push_str(&format!(" {record}"));
        }
        text.push('\n');
    }
    text
}

/// A name as one word: as it is, or as a JSON string.
fn shown(name: &str) -> String {
    let is_odd = |letter: char| letter.is_whitespace() || letter == '"' || is_active(letter);
    match name.contains(is_odd) || name.starts_with('#') {
        true => printable(&serde_json::Value::from(name).to_string()).into_owned(),
        false => name.to_owned(),
    }
}

fn parse(path: &Path, text: &str) -> Result<Lock, Problem> {
    let mut lock = Lock::default();
    // Editors of Windows begin a file with a byte order mark.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    for (at, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let wrong = |message: String| {
            let place = Place { file: path.display().to_string().into(), line: at + 1, column: 1 };
            let hint = "a line is 'upstream/tool sha256:…', as export and accept write it; restore the file, or resolve what was merged";
            Problem::new(message).at(place).hint(hint)
        };
        let (name, rest) = split(line).ok_or_else(|| wrong("expected the name of a tool".to_owned()))?;
        if !name.contains('/') {
            return Err(wrong(format!("'{name}' does not name an upstream and its tool")));
        }
        let record = match rest.trim() {
            "" if name.ends_with('/') => None,
            record => Some(record.parse::<Record>().map_err(wrong)?),
        };
        if !lock.insert(name.clone(), record) {
            return Err(wrong(format!("'{name}' stands here twice")));
        }
    }
    Ok(lock)
}

fn split(line: &str) -> Option<(String, &str)> {
    if line.starts_with('"') {
        let mut words = serde_json::Deserializer::from_str(line).into_iter::<String>();
        let name = words.next()?.ok()?;
        return Some((name, &line[words.byte_offset()..]));
    }
    let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    Some((name.to_owned(), rest))
}

#[cfg(test)]
mod tests {
    use mcp_disclosure_core::RawObject;

    use super::*;

    #[test]
    fn u10_a_lock_is_read_as_it_was_written_whatever_tools_are_called() {
        let mut lock = Lock::default();
        let definition = RawObject::parse(r#"{"name":"t","description":"D","x":1}"#).unwrap();
        for name in ["a/b", "a/two words", "a/\"q\"", "#a/x", "a/line\nbreak", "a/\u{202e}x", "a/é", "b/a/c"]
        {
            lock.insert(name.to_owned(), Some(Record::of(&definition)));
        }
        lock.insert("a/".to_owned(), None);
        let written = text(&lock);
        assert_eq!(parse(Path::new("x"), &written).unwrap(), lock);
        let windows = format!("\u{feff}{}", written.replace('\n', "\r\n"));
        assert_eq!(parse(Path::new("x"), &windows).unwrap(), lock);
        assert_eq!(written.lines().count(), 2 + 9, "{written}");
        assert!(!written.contains(|letter| letter != '\n' && is_active(letter)), "{written}");
    }

    #[test]
    fn u14_what_listed_once_is_not_accepted_again_in_a_run_however_the_file_is_emptied() {
        let directory = tempfile::tempdir().unwrap();
        let first = |written| First { configuration: directory.path().join("disclosure.toml"), written };
        let lists = UpstreamLists::empty(UpstreamName::parse("kit").unwrap());
        let looking = first(None).accept(&lists).unwrap();
        assert!(looking.knows("kit") && !directory.path().join(LOCK).exists());
        let serving = first(Some(Arc::default()));
        for _ in 0..2 {
            assert!(serving.accept(&lists).unwrap().knows("kit"));
        }
        fs::write(directory.path().join(LOCK), "").unwrap();
        let unwritable =
            First { configuration: "/no/such/folder/disclosure.toml".into(), ..first(Some(Arc::default())) };
        assert!(unwritable.accept(&lists).unwrap_err().contains("cannot be written"));
        assert!(serving.accept(&lists).unwrap_err().ends_with("says nothing of it any more"));
    }

    #[test]
    fn u10_a_line_that_says_nothing_is_named() {
        let digest = "sha256:".to_owned() + &"0".repeat(64);
        for (text, expected) in [
            ("<<<<<<< HEAD\n", "f:1:1: '<<<<<<<' does not name an upstream"),
            ("\na/x\n", "f:2:1: "),
            ("a/x sha256:00", "f:1:1: "),
            (&*format!("a/x {digest}\na/x {digest}"), "f:2:1: 'a/x' stands here twice"),
            ("\"a/x\n", "f:1:1: expected the name of a tool"),
        ] {
            let problem = parse(Path::new("f"), text).unwrap_err().to_string();
            assert!(problem.contains(expected), "{problem}");
        }
    }
}
