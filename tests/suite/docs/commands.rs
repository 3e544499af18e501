//! Blocks of commands: our program's are run in front of a server of ours, those that need what is not here are parsed.

use std::{
    collections::{HashMap, HashSet},
    fs,
    path::Path,
    process::Stdio,
};

use clap::{CommandFactory, Parser};
use kit::{process::Process, scenario::Scenario};
use mcp_disclosure_server::cli::Arguments;
use serde_json::json;

use super::{Block, ROOT, blocks::of_kind, checked};
use crate::{UPSTREAM, command_line::program};

/// Pages that name flags of other programs, or of what the contract has decided but is not built yet.
const OTHER_FLAGS: [&str; 3] = ["docs/BENCHMARKS.md", "docs/CONTRACT.md", "docs/accuracy.md"];

/// A line that starts our program.
struct Line {
    /// The program's arguments.
    arguments: Vec<String>,
    /// The file that is its standard input.
    input: Option<String>,
}

/// The words of a line of a shell, without its comment. Quotes are understood; nothing is substituted.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for letter in line.chars() {
        match (quote, letter) {
            (Some(open), _) if letter == open => quote = None,
            (None, '\'' | '"') => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (None, '#') if word.is_none() => break,
            (None, ' ') => words.extend(word.take()),
            _ => word.get_or_insert_default().push(letter),
        }
    }
    words.into_iter().chain(word).collect()
}

impl Line {
    /// `None` if our program is not started by it.
    fn parse(line: &str) -> Option<Self> {
        let words = words(line);
        let mut words = words
            .iter()
            .map(String::as_str)
            .skip_while(|word| !word.ends_with("mcp-disclosure") && *word != "cargo");
        let mut arguments: Vec<String> = match (words.next()?, words.clone().next(), words.clone().nth(1)) {
            ("cargo", Some("run"), Some("--")) => words.skip(2).map(str::to_owned).collect(),
            ("cargo", ..) => return None,
            _ => words.map(str::to_owned).collect(),
        };
        let end = arguments.iter().position(|word| ["<", ">", "|", "&&"].contains(&&**word));
        let rest = arguments.split_off(end.unwrap_or(arguments.len()));
        let input = rest.iter().position(|word| word == "<").map(|at| rest[at + 1].clone());
        Some(Self { arguments, input })
    }

    fn is_http(&self) -> bool {
        self.arguments.windows(2).any(|pair| pair == ["--transport", "http"])
    }

    /// The arguments with our server in place of the one that is named, and any port in place of the usual one.
    fn here<'a>(&'a self, scenario: &'a str) -> Vec<&'a str> {
        let mut words = self.arguments.iter().map(String::as_str);
        let mut here: Vec<&str> = words.by_ref().take_while(|word| *word != "--").collect();
        let has_server = words.next().is_some();
        if let Some(at) = here.iter().position(|word| *word == "--listen") {
            here.drain(at..=at + 1);
        }
        if let Some(at) = here.iter().position(|word| *word == "--admin") {
            here[at + 1] = "127.0.0.1:0";
        }
        if self.is_http() {
            here.extend(["--listen", "127.0.0.1:0"]);
        }
        if has_server {
            here.extend(["--", UPSTREAM, scenario]);
        }
        here
    }

    /// Runs it to its end in this folder. What listens is ended once it does.
    fn run(&self, folder: &Path, place: &str) {
        let scenario = folder.join("server.json");
        let mut command = program(&self.here(scenario.to_str().unwrap()));
        command.current_dir(folder);
        let input = match &self.input {
            Some(file) => fs::File::open(folder.join(file)).unwrap().into(),
            None => Stdio::null(),
        };
        let process = Process::start_with(&mut command, input);
        if self.is_http() {
            process.address();
            process.terminate();
        }
        let ended = process.ended();
        assert_eq!(ended.code, Some(0), "{place}: {:?}\n{}", self.arguments, ended.stderr);
    }
}

fn lines(block: &Block) -> Vec<String> {
    let whole = block.text.replace("\\\n", " ");
    whole
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(str::to_owned)
        .collect()
}

#[test]
fn w4_flags_of_pages_are_those_of_the_program() {
    for block in of_kind("sh") {
        for line in lines(&block).iter().filter_map(|line| Line::parse(line)) {
            let all = ["mcp-disclosure".to_owned()].into_iter().chain(line.arguments);
            Arguments::try_parse_from(all).unwrap_or_else(|error| panic!("{}: {error}", block.place));
        }
    }
}

#[test]
fn w4_flags_in_sentences_are_those_of_the_program() {
    let command = Arguments::command();
    let commands = command.get_subcommands().chain([&command]);
    let arguments = commands.flat_map(clap::Command::get_arguments);
    let known: HashSet<&str> = arguments.flat_map(clap::Arg::get_long).chain(["help", "version"]).collect();
    let mut count = 0;
    for page in checked().iter().filter(|page| !OTHER_FLAGS.contains(&&*page.path)) {
        for (number, line) in page.prose() {
            for flag in line.split("`--").skip(1) {
                let flag =
                    flag.split(|letter: char| !letter.is_alphanumeric() && letter != '-').next().unwrap();
                // `--` alone stands before a server's command.
                assert!(
                    flag.is_empty() || known.contains(flag),
                    "{}:{number}: --{flag} is no flag of the program",
                    page.path
                );
                count += 1;
            }
        }
    }
    assert!(count > 100, "{count}");
}

/// The files that pages name.
fn prepare(folder: &Path) {
    let write = |name: &str, text: String| fs::write(folder.join(name), text).unwrap();
    Scenario::named(["read_file", "search_issues"]).write(&folder.join("server.json"));
    let server = json!({"command": UPSTREAM, "args": [folder.join("server.json")]});
    write("mcp.json", json!({"mcpServers": {"files": server}}).to_string());
    write("disclosure.toml", "demo = true\n[tools.convolve]\nbrief = \"Convolve two signals\"\n".to_owned());
    write(
        "task.json",
        json!({"calls": [{"tool": "read_file", "arguments": {}, "answer": "text"}]}).to_string(),
    );
    write("queries.jsonl", json!({"query": "read a file", "tools": ["read_file"]}).to_string());
    write("receipts.key", "k".repeat(32));
    for name in ["tool_descriptions", "docs"] {
        fs::create_dir(folder.join(name)).unwrap();
    }
    let conversation = Path::new(ROOT).join("docs/conversation.jsonl");
    fs::copy(conversation, folder.join("docs/conversation.jsonl")).unwrap();
}

/// In the order of a page, since a command may need what the one before has written.
#[test]
fn w4_commands_of_pages_run() {
    let mut folders = HashMap::new();
    let mut count = 0;
    for block in of_kind("sh").iter().filter(|block| block.needs().is_none()) {
        let page = block.place.split(':').next().unwrap().to_owned();
        let folder = folders.entry(page).or_insert_with(|| {
            let folder = tempfile::tempdir().unwrap();
            prepare(folder.path());
            folder
        });
        for text in lines(block) {
            let line = Line::parse(&text);
            let line = line.unwrap_or_else(|| {
                panic!("{}: mark what needs-WHAT, or show our program: {text}", block.place)
            });
            line.run(folder.path(), &block.place);
            count += 1;
        }
    }
    assert!(count > 15, "{count}");
}
