//! The documentation: every block of it is compiled, parsed or run, every link leads somewhere, and its picture is what
//! `compare` measures.

mod blocks;
mod commands;
mod links;
mod picture;
mod reference;

use std::{
    fs,
    path::{Path, PathBuf},
};

/// The repository.
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// A page of Markdown.
struct Page {
    /// Its path in the repository, with `/`.
    path: String,
    text: String,
}

/// A fenced block: `` ```sh,needs-network `` is of the kind `sh` with the mark `needs-network`.
struct Block {
    /// `docs/start.md:17`.
    place: String,
    kind: String,
    mark: Option<String>,
    text: String,
}

impl Block {
    /// What is not on every machine, and so keeps this block from being run.
    fn needs(&self) -> Option<&str> {
        self.mark.as_deref()?.strip_prefix("needs-")
    }

    /// Which kind of file this is, if not the one that its kind stands for.
    fn of(&self) -> Option<&str> {
        self.mark.as_deref()?.strip_prefix("of-")
    }
}

impl Page {
    fn read(file: &Path) -> Self {
        let path = file.strip_prefix(ROOT).unwrap().to_str().unwrap().replace('\\', "/");
        Self { path, text: fs::read_to_string(file).unwrap() }
    }

    /// Its fenced blocks, which may be indented.
    fn blocks(&self) -> Vec<Block> {
        let mut blocks: Vec<Block> = Vec::new();
        let mut is_open = false;
        for (number, line) in self.text.lines().enumerate() {
            match (line.trim_start().strip_prefix("```"), blocks.last_mut()) {
                (Some(_), _) if is_open => is_open = false,
                (Some(info), _) => {
                    is_open = true;
                    let (kind, mark) = match info.trim().split_once(',') {
                        Some((kind, mark)) => (kind, Some(mark.to_owned())),
                        None => (info.trim(), None),
                    };
                    let place = format!("{}:{}", self.path, number + 1);
                    blocks.push(Block { place, kind: kind.to_owned(), mark, text: String::new() });
                }
                (None, Some(block)) if is_open => block.text += &format!("{line}\n"),
                (None, _) => {}
            }
        }
        assert!(!is_open, "{}: a block has no end", self.path);
        blocks
    }

    /// Its lines outside of blocks, with their numbers.
    fn prose(&self) -> impl Iterator<Item = (usize, &str)> {
        let mut is_open = false;
        self.text.lines().enumerate().filter_map(move |(number, line)| {
            let is_fence = line.trim_start().starts_with("```");
            is_open ^= is_fence;
            (!is_open && !is_fence).then_some((number + 1, line))
        })
    }
}

/// The texts of a page's blocks of this kind; the page is one of `docs`.
pub(crate) fn blocks_of(page: &str, kind: &str) -> Vec<String> {
    let page = Page::read(&Path::new(ROOT).join("docs").join(page));
    page.blocks().into_iter().filter(|block| block.kind == kind).map(|block| block.text).collect()
}

/// All files of a folder and of the folders in it, sorted.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut entries: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    entries.into_iter().flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

/// The pages of `docs`.
fn docs() -> Vec<Page> {
    let files = files(&Path::new(ROOT).join("docs")).into_iter();
    files
        .filter(|file| file.extension().is_some_and(|extension| extension == "md"))
        .map(|file| Page::read(&file))
        .collect()
}

/// The pages whose blocks are checked: what decisions show may be what was rejected.
fn checked() -> Vec<Page> {
    let readme = Page::read(&Path::new(ROOT).join("README.md"));
    let docs = docs().into_iter().filter(|page| !page.path.starts_with("docs/decisions/0"));
    docs.chain([readme]).collect()
}
