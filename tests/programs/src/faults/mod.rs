//! Faults of upstreams that take time to be seen, played in front of the shipped program, and whether it does what it
//! promises. Each starts the program with real MCP upstreams, and says what was seen.

pub mod starts;

use std::{fs, panic::AssertUnwindSafe, process::Command};

use tempfile::TempDir;

use crate::{Programs, print, said};

/// What was seen: of what held, or of what did not.
pub type Outcome = Result<String, String>;

impl Programs {
    /// Plays a fault and prints what was seen; whether it held.
    pub fn play(&self, fault: impl FnOnce(&Self) -> Outcome) -> bool {
        // What a fault takes for granted, and does not find, is a panic: it did not hold, and the others go on.
        let outcome = std::panic::catch_unwind(AssertUnwindSafe(|| fault(self)));
        let outcome = outcome.unwrap_or_else(|panic| Err(said(&*panic)));
        let (Ok(seen) | Err(seen)) = &outcome;
        print(seen);
        print(if outcome.is_ok() { "Held.\n" } else { "**NOT HELD.**\n" });
        outcome.is_ok()
    }

    /// The command that serves a configuration, in which ODD is the odd upstream and FOLDER its folder.
    fn serving(&self, configuration: &str) -> (TempDir, Command) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("disclosure.toml");
        let configuration = configuration.replace("ODD", &self.odd.display().to_string());
        fs::write(&file, configuration.replace("FOLDER", &folder.path().display().to_string())).unwrap();
        let mut command = Command::new(&self.gateway);
        command.args(["serve", "--strategy", "full", "--config"]).arg(file);
        (folder, command)
    }
}

/// What was seen, of something that must hold.
fn judged(holds: bool, seen: String) -> Outcome {
    if holds { Ok(seen) } else { Err(seen) }
}
