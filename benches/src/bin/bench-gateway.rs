//! The `mcp-disclosure` program itself, so that it stands beside the benches.

use std::process::ExitCode;

fn main() -> ExitCode {
    mcp_disclosure_server::run(mcp_disclosure_server::builtin())
}
