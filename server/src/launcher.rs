//! What starts this program again: the command to write into a host's file.
//!
//! `npx` and `uvx` keep programs in caches that they clear, so a path into one does not last. They are given by name, with
//! this version.

use std::{ffi::OsStr, io, path::Path};

/// Set to `npx` by the npm package's launcher when it runs from npx's cache.
const VARIABLE: &str = "MCP_DISCLOSURE_LAUNCHER";

/// The name of the packages.
const PACKAGE: &str = "mcp-disclosure";

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The program and its first arguments: `npx -y mcp-disclosure@VERSION`, `uvx mcp-disclosure==VERSION`, or this program's
/// absolute path.
///
/// # Errors
/// If the system does not know this program's file, or its path is not Unicode, which hosts' files cannot express.
pub fn command() -> io::Result<Vec<String>> {
    let program = std::env::current_exe()?;
    let launcher = std::env::var(VARIABLE).ok();
    started_by(launcher.as_deref(), &program)
        .ok_or_else(|| io::Error::other(format!("the path {} is not Unicode", program.display())))
}

fn started_by(launcher: Option<&str>, program: &Path) -> Option<Vec<String>> {
    let words: &[&str] = match launcher {
        // npx is a batch file there, which hosts do not start by themselves.
        Some("npx") if cfg!(windows) => &["cmd", "/c", "npx", "-y"],
        Some("npx") => &["npx", "-y"],
        _ if is_cached_by_uv(program) => &["uvx"],
        _ => return Some(vec![program.to_str()?.to_owned()]),
    };
    let package = match words {
        ["uvx"] => format!("{PACKAGE}=={VERSION}"),
        _ => format!("{PACKAGE}@{VERSION}"),
    };
    Some(words.iter().map(|word| (*word).to_owned()).chain([package]).collect())
}

/// Whether this program is in one of uv's short-lived environments: in a folder of this name and a version, in a folder
/// that is tagged as a cache. `uv tool install` and `pip` install elsewhere, to stay.
fn is_cached_by_uv(program: &Path) -> bool {
    let is_versioned = |name: &str| {
        let version = BUCKETS.iter().find_map(|bucket| name.strip_prefix(bucket));
        version
            .is_some_and(|version| !version.is_empty() && version.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let is_bucket = |folder: &&Path| folder.file_name().and_then(OsStr::to_str).is_some_and(is_versioned);
    let caches = program.ancestors().skip(1).filter(is_bucket).filter_map(Path::parent);
    caches.into_iter().any(|cache| cache.join("CACHEDIR.TAG").is_file())
}

/// The folders of uv's cache that environments are in, before their version.
const BUCKETS: [&str; 2] = ["archive-v", "environments-v"];

#[cfg(test)]
mod tests {
    use super::*;

    fn started(launcher: Option<&str>, program: &str) -> String {
        started_by(launcher, Path::new(program)).unwrap().join(" ")
    }

    #[test]
    fn w1_what_lives_in_a_cache_is_started_by_name_and_version() {
        let npx = format!("npx -y mcp-disclosure@{VERSION}");
        let binary = "/home/a/.npm/_npx/1f/node_modules/@mcp-disclosure/linux-x64/bin/mcp-disclosure";
        assert!(started(Some("npx"), binary).ends_with(&npx));
        let uvx = format!("uvx mcp-disclosure=={VERSION}");
        let root = tempfile::tempdir().unwrap();
        std::fs::write(root.path().join("CACHEDIR.TAG"), "Signature: 8a477f597d28d172789f06886806bc55")
            .unwrap();
        let within = |path: &str| root.path().join(path).to_str().unwrap().to_owned();
        for binary in ["archive-v0/5Qk/bin/mcp-disclosure", "environments-v12/mcp-1/bin/mcp-disclosure"] {
            assert_eq!(started(None, &within(binary)), uvx);
        }
        // Only uv's own layout, in a folder that is a cache.
        for binary in [
            "archive-v/x/mcp-disclosure",
            "archive-v2b/x/mcp-disclosure",
            "deeper/archive-v0/x/mcp-disclosure",
        ] {
            assert_eq!(started(None, &within(binary)), within(binary));
        }
    }

    #[test]
    fn w1_what_is_installed_is_started_by_its_path() {
        for binary in [
            "/home/a/.cargo/bin/mcp-disclosure",
            "/home/a/.local/share/uv/tools/mcp-disclosure/bin/mcp-disclosure",
            "/srv/node_modules/@mcp-disclosure/linux-x64/bin/mcp-disclosure",
            "/srv/archive-v0",
            "/srv/archive-v2/bin/mcp-disclosure",
        ] {
            assert_eq!(started(None, binary), binary);
            assert_eq!(started(Some("something else"), binary), binary);
        }
        let [path] = &command().unwrap()[..] else { panic!("this test is not in a cache") };
        assert!(Path::new(path).is_absolute());
    }

    #[cfg(unix)]
    #[test]
    fn w1_a_path_that_no_file_can_express_is_refused() {
        use std::{ffi::OsStr, os::unix::ffi::OsStrExt};
        assert_eq!(started_by(None, Path::new(OsStr::from_bytes(b"/srv/\xff/mcp-disclosure"))), None);
    }
}
