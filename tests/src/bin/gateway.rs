//! The program under test, as users run it.

use std::process::ExitCode;

fn main() -> ExitCode {
    mcp_disclosure_server::run(mcp_disclosure_server::builtin())
}
