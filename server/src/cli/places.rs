//! Which files of hosts are meant on the command line, and whether the person agrees.

use std::{
    collections::HashSet,
    io::{BufRead, IsTerminal},
    path::{Path, PathBuf},
};

use clap::{Args, builder::PossibleValuesParser};
use mcp_disclosure_gateway::Problem;

use super::{print, print_folded};
use crate::{
    failure::Failure,
    init::{Folders, Place, candidates, existing, host_names, hosts},
};

/// `init`.
#[derive(Debug, Args)]
pub struct InitArguments {
    /// The files.
    #[command(flatten)]
    pub places: PlaceArguments,

    /// Serve with this strategy; auto: the one that the client requests [default: complete lists where they are small,
    /// else search]
    #[arg(long, value_name = "NAME")]
    pub strategy: Option<String>,

    /// Wrap each server where it stands, instead of gathering all servers of a file behind one entry
    #[arg(long)]
    pub each: bool,

    /// Start the servers once, to count what their tools cost a model before and after
    #[arg(long, conflicts_with = "no_count")]
    pub count: bool,

    /// Do not start the servers, nor ask whether to
    #[arg(long)]
    pub no_count: bool,
}

/// Which files of hosts are meant, and whether to ask.
#[derive(Debug, Args)]
pub struct PlaceArguments {
    /// The files of this host: claude-desktop, claude-code, cursor, vscode, windsurf, gemini, cline, roo, zed,
    /// opencode, continue or codex; may be repeated [default: all that are found; init leaves those of hosts that defer
    /// tools by themselves]
    #[arg(
        long, value_name = "NAME", help_heading = "Files",
        value_parser = PossibleValuesParser::new(host_names()), hide_possible_values = true
    )]
    pub host: Vec<String>,

    /// A host's file; may be repeated
    #[arg(long, value_name = "PATH", help_heading = "Files")]
    pub file: Vec<PathBuf>,

    /// Show what would change, and change nothing
    #[arg(long, conflicts_with = "yes")]
    pub dry_run: bool,

    /// Do not ask
    #[arg(long)]
    pub yes: bool,
}

/// The current folder.
pub(crate) fn current_folder() -> Result<PathBuf, Failure> {
    let failed = |source| Failure::Io { what: "cannot find the current folder", source };
    std::env::current_dir().map_err(failed)
}

/// The folders of the user who runs this.
pub(crate) fn user_folders(current: &Path) -> Folders {
    Folders::of_user(&|name| std::env::var(name).ok(), current.to_owned())
}

impl PlaceArguments {
    /// The current folder, and the files that are meant and exist.
    ///
    /// # Errors
    /// That there is none.
    pub(crate) fn found(&self) -> Result<(PathBuf, Vec<Place>), Failure> {
        let current = current_folder()?;
        let found = self.existing(&current);
        if found.is_empty() {
            let (hosts, folders) = (hosts(&self.host), user_folders(&current));
            let mut looked: Vec<String> = match self.host.is_empty() {
                true => hosts.iter().map(|host| host.title.to_owned()).collect(),
                false => {
                    let paths = hosts.iter().flat_map(|host| candidates(host, &folders));
                    paths.map(|path| path.display().to_string()).collect()
                }
            };
            let mut seen = HashSet::new();
            looked.retain(|name| seen.insert(name.clone()));
            let problem = Problem::new("no file of a host is found");
            let whose = if self.host.is_empty() { "those of " } else { "" };
            let hint = match &looked[..] {
                [] => "set HOME to an absolute path, below which the host's files are".to_owned(),
                _ => format!(
                    "add a server in the host first, or name its file with --file; looked for {whose}{}",
                    looked.join(", ")
                ),
            };
            return Err(Failure::Configuration(vec![problem.hint(hint)]));
        }
        Ok((current, found))
    }

    /// The files that were named, and those of hosts that exist.
    pub(crate) fn existing(&self, current: &Path) -> Vec<Place> {
        let named = self.file.iter().map(|path| Place { host: None, path: current.join(path) });
        let mut found: Vec<Place> = named.collect();
        if self.file.is_empty() || !self.host.is_empty() {
            found.extend(existing(&hosts(&self.host), &user_folders(current)));
        }
        let mut seen = HashSet::new();
        found.retain(|place| seen.insert(place.path.canonicalize().unwrap_or_else(|_| place.path.clone())));
        found
    }

    /// Whether the person agrees to what was shown, and to which of several questions: all, or one by one. `None` if to none.
    ///
    /// # Errors
    /// [`Failure::Usage`] if there is no terminal to ask on.
    pub(crate) fn chosen(&self, question: &str, each: &[String]) -> Result<Option<Vec<bool>>, Failure> {
        if self.dry_run {
            print("")?;
            print("Nothing was changed (--dry-run).")?;
            return Ok(None);
        }
        let all = vec![true; each.len()];
        if self.yes {
            return Ok(Some(all));
        }
        if !std::io::stdin().is_terminal() {
            let problem = Problem::new("nothing was changed: there is no terminal to ask on");
            return Err(Failure::usage(problem.hint("--yes writes it, --dry-run only shows it")));
        }
        let may_choose = each.len() > 1;
        let answers = if may_choose { "[y/N/each]" } else { "[y/N]" };
        print("")?;
        let chosen = match answered(&format!("{question} {answers} "))? {
            Answer::Yes => Some(all),
            Answer::Each if may_choose => {
                let one = |question: &String| Ok(answered(&format!("{question} [y/N] "))? == Answer::Yes);
                let chosen = each.iter().map(one).collect::<Result<Vec<bool>, Failure>>()?;
                chosen.contains(&true).then_some(chosen)
            }
            _ => None,
        };
        if chosen.is_none() {
            print("Nothing was changed.")?;
        }
        Ok(chosen)
    }
}

/// What a person answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    Yes,
    /// One by one.
    Each,
    /// Anything else.
    No,
}

/// Asks on the terminal.
pub(crate) fn answered(question: &str) -> Result<Answer, Failure> {
    print_folded(question)?;
    read(&mut std::io::stdin().lock())
}

fn read(input: &mut impl BufRead) -> Result<Answer, Failure> {
    let mut answer = String::new();
    let read = input.read_line(&mut answer);
    read.map_err(|source| Failure::Io { what: "cannot read the answer", source })?;
    Ok(match &*answer.trim().to_ascii_lowercase() {
        "y" | "yes" => Answer::Yes,
        "e" | "each" => Answer::Each,
        _ => Answer::No,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn w1_only_a_clear_yes_is_one() {
        for (answer, expected) in [
            ("y\n", Answer::Yes),
            ("YES\r\n", Answer::Yes),
            ("each\n", Answer::Each),
            ("\n", Answer::No),
            ("", Answer::No),
            ("yep\n", Answer::No),
            ("n\n", Answer::No),
        ] {
            assert_eq!(read(&mut answer.as_bytes()).unwrap(), expected, "{answer:?}");
        }
    }
}
