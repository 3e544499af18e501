//! The `mcp-disclosure` program.

use std::process::ExitCode;

fn main() -> ExitCode {
    mcp_disclosure_server::run(mcp_disclosure_server::builtin())
}
