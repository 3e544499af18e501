//! Flags of `serve` for operators.

use std::path::PathBuf;

use clap::Args;

use super::AdminAddress;

/// What operators see.
#[derive(Clone, Debug, Default, Args)]
pub struct OperatingArguments {
    /// Where operators find /healthz, /metrics and more
    ///
    /// Also /readyz and /status. A port of this machine, or ADDRESS:PORT
    #[arg(long, value_name = "ADDRESS", help_heading = "Operating")]
    pub admin: Option<AdminAddress>,

    /// Append a JSON line for each call to this file
    ///
    /// And for each decision on one; SIGHUP opens it again
    #[arg(long, value_name = "FILE", help_heading = "Operating")]
    pub audit: Option<PathBuf>,

    /// The key of the fingerprints that stand for arguments in the audit log, at least 32 bytes [default: a new key at
    /// each start]
    #[arg(long, value_name = "FILE", help_heading = "Operating")]
    pub audit_key_file: Option<PathBuf>,

    /// Refuse calls whose decision cannot be written to the audit log before they are forwarded
    #[arg(long, help_heading = "Operating")]
    pub audit_strict: bool,
}
