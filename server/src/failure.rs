//! Failures of the program: the table from failure to exit code and hint.

use std::{fmt, path::PathBuf, sync::Arc};

use mcp_disclosure_core::printable::one_line;
use mcp_disclosure_gateway::{
    Error, Problem, Revision,
    negotiation::describe,
    upstream::{UpstreamError, Why},
};

/// Why the program fails.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Failure {
    /// The command line is invalid.
    #[error("{}", list(.0))]
    Usage(Vec<Problem>),
    /// Configuration, description files or briefs are invalid; every problem is listed.
    #[error("{}", list(.0))]
    Configuration(Vec<Problem>),
    /// An upstream cannot be used.
    #[error("{}", list(.0))]
    Upstreams(Vec<Arc<UpstreamError>>),
    /// The address cannot be listened on.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// The flag that chooses another.
        flag: &'static str,
        /// The address.
        address: String,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// `check` has printed findings.
    #[error("{}", match (refused, errors) {
        (true, _) => format!("serve would not start; errors: {errors}"),
        (false, 0) => format!("--strict; findings: {found}"),
        (false, _) => format!("errors: {errors}"),
    })]
    Findings {
        /// Whether `serve` would not start.
        refused: bool,
        /// The number of errors.
        errors: usize,
        /// The number of all findings.
        found: usize,
    },
    /// What was asked for is not so: upstreams could not be signed in to, or out of, or strategies cost more tokens than
    /// `--fail-over` allows.
    #[error("{}", list(.0))]
    Unmet(Vec<Problem>),
    /// Strategies could not be compared.
    #[error("{}", line(.0))]
    Comparison(#[from] mcp_disclosure_compare::Error),
    /// A file cannot be written.
    #[error("cannot write {}: {source}", line(&path.display()))]
    Write {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// Reading or writing failed.
    #[error("{what}: {source}")]
    Io {
        /// The operation that failed.
        what: &'static str,
        /// The error of the operating system.
        source: std::io::Error,
    },
}

impl Failure {
    /// One problem with what the command line says.
    pub(crate) fn usage(problem: Problem) -> Self {
        Self::Usage(vec![problem])
    }

    /// The exit code, as documented in docs/troubleshooting.md.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Usage(_) => 2,
            Self::Configuration(_) | Self::Findings { refused: true, .. } => 64,
            _ => 1,
        }
    }

    /// What to do about it, if the message does not say so.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Upstreams(errors) => match &**errors.first()? {
                error if error.is_circle() => {
                    Some("remove the upstream that leads back, here or there".to_owned())
                }
                UpstreamError { why: Why::Start(_), target, .. } => Some(match target.split_once(' ') {
                    Some((program, _)) if !program.contains(['/', '\\']) => {
                        format!(
                            "'{program}' is the program; its arguments stand in args, or are words of their own"
                        )
                    }
                    _ => format!("is '{target}' installed, and on the PATH?"),
                }),
                UpstreamError { why: Why::Silent { .. }, .. } => {
                    Some("is it an MCP server? For a slow one, raise --connect-timeout".to_owned())
                }
                // Its message names the command.
                error if error.needs_sign_in() => None,
                UpstreamError { why: Why::Talk(_), remote: true, .. } => {
                    Some("is an MCP server running there, and is the path right? Most serve /mcp".to_owned())
                }
                UpstreamError { why: Why::Talk(_), .. } => {
                    Some("run the command directly to see why it exits".to_owned())
                }
                UpstreamError { why: Why::Foreign(_), .. } => {
                    Some(format!("supported revisions are {}", Revision::names().join(", ")))
                }
                _ => None,
            },
            Self::Listen { flag, .. } => {
                Some(format!("choose another with {flag} ADDRESS:PORT; port 0 selects a free port"))
            }
            _ => None,
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        match error {
            Error::Configuration(problems) => Self::Configuration(problems.0),
            Error::Upstreams(errors) => Self::Upstreams(errors),
            Error::Listen { address, source } => Self::Listen { flag: "--listen", address, source },
            Error::Io { what, source } => Self::Io { what, source },
            other => Self::Configuration(vec![Problem::new(describe(&other))]),
        }
    }
}

/// What may name something of others, on one line, so that it cannot begin another.
fn line(text: &impl fmt::Display) -> String {
    one_line(&text.to_string()).into_owned()
}

fn list(problems: &[impl fmt::Display]) -> String {
    problems.iter().map(line).collect::<Vec<_>>().join("\n")
}
