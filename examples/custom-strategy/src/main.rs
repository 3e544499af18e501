//! The whole program with one more strategy and one more filter: every flag, address, offer and command supports them.

mod search;
mod team;

use std::process::ExitCode;

use mcp_disclosure_core::{Error, PlugIn, Registry};

fn main() -> ExitCode {
    match strategies() {
        Ok(registry) => mcp_disclosure_server::run(registry),
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// The built-in strategies, and those of this program.
fn strategies() -> Result<Registry, Error> {
    let mut registry = mcp_disclosure_server::builtin();
    registry.register(PlugIn::fallible(&search::PROFILE, search::Search::open))?;
    registry.register(PlugIn::new(&team::PROFILE, team::Team::new))?;
    Ok(registry)
}
