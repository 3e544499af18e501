//! Which files of hosts are meant on the command line, and whether the person agrees.

use std::{
    io::{BufRead, IsTerminal},
    path::{Path, PathBuf},
};

use mcp_disclosure_gateway::Problem;

use super::{PlaceArguments, print, print_styled};
use crate::{
    failure::Failure,
    init::places::{Folders, Place, candidates, existing, hosts},
};

/// The folders of the user who runs this.
pub(super) fn user_folders(current: &Path) -> Folders {
    Folders::of_user(&|name| std::env::var(name).ok(), current.to_owned())
}

impl PlaceArguments {
    /// The current folder, and the files that are meant and exist.
    ///
    /// # Errors
    /// Unknown hosts, and no file at all.
    pub(super) fn found(&self) -> Result<(PathBuf, Vec<Place>), Failure> {
        let failed = |source| Failure::Io { what: "cannot find the current folder", source };
        let current = std::env::current_dir().map_err(failed)?;
        let found = self.existing(&current)?;
        if found.is_empty() {
            let (hosts, folders) = (hosts(&self.host).map_err(Failure::Usage)?, user_folders(&current));
            let looked = hosts.iter().flat_map(|host| candidates(host, &folders));
            let looked: Vec<String> = looked.map(|path| path.display().to_string()).collect();
            let problem = Problem::new("no file of a host is found");
            let hint = format!("name one with --file, or make one of: {}", looked.join(", "));
            return Err(Failure::Configuration(vec![problem.hint(hint)]));
        }
        Ok((current, found))
    }

    /// The files that were named, and those of hosts that exist.
    ///
    /// # Errors
    /// Unknown hosts.
    pub(super) fn existing(&self, current: &Path) -> Result<Vec<Place>, Failure> {
        let named = self.file.iter().map(|path| Place { host: None, path: current.join(path) });
        let mut found: Vec<Place> = named.collect();
        if self.file.is_empty() || !self.host.is_empty() {
            let hosts = hosts(&self.host).map_err(Failure::Usage)?;
            found.extend(existing(&hosts, &user_folders(current)));
        }
        let real = |place: &Place| place.path.canonicalize().unwrap_or_else(|_| place.path.clone());
        let mut seen = Vec::new();
        found.retain(|place| {
            let is_new = !seen.contains(&real(place));
            seen.push(real(place));
            is_new
        });
        Ok(found)
    }

    /// Whether the person agrees to what was shown.
    ///
    /// # Errors
    /// [`Failure::Usage`] if there is no terminal to ask on.
    pub(super) fn agreed(&self, question: &str) -> Result<bool, Failure> {
        if self.dry_run {
            print("")?;
            print("Nothing was changed (--dry-run).")?;
            return Ok(false);
        }
        if self.yes {
            return Ok(true);
        }
        if !std::io::stdin().is_terminal() {
            let problem = Problem::new("nothing was changed: there is no terminal to ask on");
            return Err(Failure::Usage(vec![problem.hint("--yes writes it, --dry-run only shows it")]));
        }
        print_styled(&format!("\n{question} [y/N] "))?;
        let is_agreed = is_yes(&mut std::io::stdin().lock())?;
        if !is_agreed {
            print("Nothing was changed.")?;
        }
        Ok(is_agreed)
    }
}

fn is_yes(input: &mut impl BufRead) -> Result<bool, Failure> {
    let mut answer = String::new();
    let read = input.read_line(&mut answer);
    read.map_err(|source| Failure::Io { what: "cannot read the answer", source })?;
    Ok(matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn w1_only_a_clear_yes_is_one() {
        for (answer, expected) in
            [("y\n", true), ("YES\r\n", true), ("\n", false), ("", false), ("yep\n", false), ("n\n", false)]
        {
            assert_eq!(is_yes(&mut answer.as_bytes()).unwrap(), expected, "{answer:?}");
        }
    }
}
