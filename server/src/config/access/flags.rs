//! What flags say of access, and whether that goes with the file.

use mcp_disclosure_access::{Entry, Settings};
use mcp_disclosure_core::nearest::did_you_mean;
use mcp_disclosure_gateway::Problem;

use crate::operating::AdminAddress;

/// What flags say of access.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AccessFlags {
    /// The address, if HTTP clients are served.
    pub listening: Option<std::net::SocketAddr>,
    /// The address for operators.
    pub admin: Option<AdminAddress>,
    /// Whether others than this machine may come in without a token.
    pub allow_anonymous: bool,
    /// The principal of the client on stdio.
    pub principal: Option<String>,
    /// The profile of the client on stdio.
    pub profile: Option<String>,
}

/// The entry that `--principal` names.
///
/// # Errors
/// That there is none.
pub(crate) fn principal<'s>(settings: &'s Settings, wanted: &str) -> Result<&'s Entry, Problem> {
    declared("--principal", wanted, "[[principals]]", &settings.principals, |entry| &entry.name)
}

/// What a section has under the name that a flag gives.
fn declared<'s, T>(
    flag: &str,
    wanted: &str,
    section: &str,
    all: &'s [T],
    name: fn(&T) -> &str,
) -> Result<&'s T, Problem> {
    all.iter().find(|one| name(one) == wanted).ok_or_else(|| {
        let otherwise = || format!("declare it in {section} of the file that --config names");
        let hint = did_you_mean(wanted, all.iter().map(name), otherwise);
        Problem::new(format!("{flag}: there is no '{wanted}' in {section}")).hint(hint)
    })
}

impl AccessFlags {
    /// What flags and files say together that cannot be served.
    pub(super) fn problems(&self, settings: &Settings) -> Vec<Problem> {
        let mut problems = Vec::new();
        if let Some(wanted) = &self.principal {
            problems.extend(principal(settings, wanted).err());
        }
        if let Some(wanted) = &self.profile {
            let named =
                declared("--profile", wanted, "[profiles]", &settings.profiles, |profile| &profile.name);
            problems.extend(named.err());
        }
        let both = self.admin.zip(self.listening);
        problems.extend(both.and_then(|(admin, listen)| admin.refused_beside(listen)));
        // At the start, and when the files change: it is asked for credentials as clients are.
        if !settings.guarded {
            problems.extend(self.admin.and_then(|admin| admin.refused_to_all()));
        }
        let Some(listening) = self.listening.filter(|_| !settings.guarded && !self.allow_anonymous) else {
            return problems;
        };
        let hint = "add [auth] with tokens to the configuration, or accept it with --allow-anonymous";
        if !listening.ip().is_loopback() {
            let message = format!(
                "--listen {listening} is not on loopback, and without [auth] everyone who reaches it may use every tool"
            );
            problems.push(Problem::new(message).hint(hint));
        }
        if !settings.principals.is_empty() {
            let message =
                "[[principals]] restrict nobody over HTTP without [auth]: all callers are anonymous";
            problems.push(Problem::new(message).hint(hint));
        }
        problems
    }
}
