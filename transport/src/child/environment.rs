//! The environment variables passed to programs declared in a file: the same that the clients of the official
//! SDKs pass on.

use std::ffi::{OsStr, OsString};

#[cfg(not(windows))]
const INHERITED: &[&str] = &["HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"];

#[cfg(windows)]
const INHERITED: &[&str] = &[
    "APPDATA",
    "HOMEDRIVE",
    "HOMEPATH",
    "LOCALAPPDATA",
    "PATH",
    "PROCESSOR_ARCHITECTURE",
    "PROGRAMFILES",
    "SYSTEMDRIVE",
    "SYSTEMROOT",
    "TEMP",
    "USERNAME",
    "USERPROFILE",
];

/// The variables that every program gets.
pub(super) fn minimal() -> impl Iterator<Item = (&'static str, OsString)> {
    INHERITED.iter().filter_map(|name| Some((*name, std::env::var_os(name).filter(|value| is_plain(value))?)))
}

/// The beginning of the names of this program's own variables, which may be secret, such as the session store's password.
const OWN: &str = "MCP_DISCLOSURE_";

/// The variables of this process that no program inherits.
pub(super) fn own() -> impl Iterator<Item = OsString> {
    std::env::vars_os().map(|(name, _)| name).filter(|name| is_own(name))
}

fn is_own(name: &OsStr) -> bool {
    let beginning = name.as_encoded_bytes().get(..OWN.len());
    // Windows does not tell cases apart.
    beginning.is_some_and(|beginning| beginning.eq_ignore_ascii_case(OWN.as_bytes()))
}

/// Shells export functions as variables whose value starts like this.
fn is_plain(value: &OsStr) -> bool {
    !value.as_encoded_bytes().starts_with(b"()")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_needed_is_inherited_p10() {
        assert!(minimal().any(|(name, _)| name == "PATH"));
        assert!(minimal().all(|(name, _)| INHERITED.contains(&name)));
        for (name, expected) in
            [("MCP_DISCLOSURE_SESSION_STORE", true), ("mcp_disclosure_x", true), ("MCP_DISCLOSURES", false)]
        {
            assert_eq!(is_own(OsStr::new(name)), expected, "{name}");
        }
        assert!(is_plain(OsStr::new("/bin")) && !is_plain(OsStr::new("() { :; }; rm")));
    }
}
