//! What starts this program again: the command to write into a host's file.
//!
//! `npx` and `uvx` keep programs in caches that they clear, so a path into one does not last. They are given by name, with
//! this version.

use std::{
    env,
    ffi::OsStr,
    io,
    path::{self, Component, Path, PathBuf},
};

use crate::failure::Failure;

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
pub fn command() -> Result<Vec<String>, Failure> {
    let failed = |source| Failure::Io { what: "cannot name this program", source };
    let program = env::current_exe().map_err(failed)?;
    let launcher = env::var(VARIABLE).ok();
    let link = || lasting_link(&env::args_os().next()?, &env::var_os("PATH")?, &program, &env::temp_dir());
    let odd = || failed(io::Error::other(format!("the path {} is not Unicode", program.display())));
    started_by(launcher.as_deref(), &program, link).ok_or_else(odd)
}

/// The command for files that people share: by the program's name where the search path leads to this program, or by that of
/// the package. `None` where only a path into this machine's folders starts it.
pub fn shared() -> Option<Vec<String>> {
    let command = command().ok()?;
    let program = env::current_exe().ok()?.canonicalize().ok()?;
    let name = format!("{PACKAGE}{}", env::consts::EXE_SUFFIX);
    let found =
        env::split_paths(&env::var_os("PATH")?).map(|folder| folder.join(&name)).find(|path| path.is_file());
    match &command[..] {
        [_] => {
            found.filter(|path| path.canonicalize().ok() == Some(program)).map(|_| vec![PACKAGE.to_owned()])
        }
        _ => Some(command),
    }
}

fn started_by(
    launcher: Option<&str>,
    program: &Path,
    link: impl FnOnce() -> Option<PathBuf>,
) -> Option<Vec<String>> {
    let words: &[&str] = match launcher {
        // npx is a batch file there, which hosts do not start by themselves.
        Some("npx") if cfg!(windows) => &["cmd", "/c", "npx", "-y"],
        Some("npx") => &["npx", "-y"],
        _ if is_cached_by_uv(program) => &["uvx"],
        _ => {
            let link = link().and_then(|link| link.to_str().map(str::to_owned));
            return Some(vec![link.or_else(|| program.to_str().map(str::to_owned))?]);
        }
    };
    let package = format!("{PACKAGE}{}{VERSION}", if words == ["uvx"] { "==" } else { "@" });
    Some(words.iter().map(|word| (*word).to_owned()).chain([package]).collect())
}

/// The path of links by which the program was started, where that is another one: package managers keep it when they
/// replace what it leads to. `first` is the first word of the command line; a link in a temporary folder does not last.
fn lasting_link(first: &OsStr, search: &OsStr, program: &Path, temporary: &Path) -> Option<PathBuf> {
    let first = Path::new(first);
    let leads_here = |path: &PathBuf| {
        // Programs are recognized by their names, when they are taken out again.
        path.file_name() == program.file_name() && path.canonicalize().ok() == program.canonicalize().ok()
    };
    let path = if first.components().count() > 1 {
        path::absolute(first).ok().filter(leads_here)?
    } else {
        let name = first.to_str()?.trim_end_matches(env::consts::EXE_SUFFIX);
        let name = format!("{name}{}", env::consts::EXE_SUFFIX);
        let found = env::split_paths(search).map(|folder| folder.join(&name));
        found.filter(|path| path.is_absolute()).find(|path| path.is_file()).filter(leads_here)?
    };
    let is_in = |folder: &Path| path.starts_with(folder);
    let is_temporary = is_in(temporary) || temporary.canonicalize().is_ok_and(|folder| is_in(&folder));
    let is_plain = path.components().all(|part| part != Component::ParentDir);
    (is_plain && !is_temporary && path != program).then_some(path)
}

/// Whether this program is in one of uv's short-lived environments: in a folder of this name and a version, in a folder
/// that is tagged as a cache. `uv tool install` and `pip` install elsewhere, to stay.
fn is_cached_by_uv(program: &Path) -> bool {
    let is_versioned = |name: &str| {
        let version = name.strip_prefix("archive-v").or_else(|| name.strip_prefix("environments-v"));
        version.is_some_and(|version| version.parse::<u32>().is_ok())
    };
    let is_bucket = |folder: &&Path| folder.file_name().and_then(OsStr::to_str).is_some_and(is_versioned);
    let caches = program.ancestors().skip(1).filter(is_bucket).filter_map(Path::parent);
    caches.into_iter().any(|cache| cache.join("CACHEDIR.TAG").is_file())
}

/// A word of a command line, quoted for a shell if it has to be.
pub(crate) fn quoted(word: &str) -> String {
    let is_plain = |character: char| character.is_alphanumeric() || "@%+=:,./-_…".contains(character);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn started(launcher: Option<&str>, program: &str) -> String {
        started_by(launcher, Path::new(program), || None).unwrap().join(" ")
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
        let path = Path::new(OsStr::from_bytes(b"/srv/\xff/mcp-disclosure"));
        assert_eq!(started_by(None, path, || None), None);
    }

    #[cfg(unix)]
    #[test]
    fn w1_a_program_that_is_found_by_a_link_is_started_by_the_link() {
        use std::os::unix::fs::symlink;
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        let program = root.join("cellar/1.2/mcp-disclosure");
        let (bin, named) = (root.join("bin"), root.join("bin/another-name"));
        std::fs::create_dir_all(program.parent().unwrap()).unwrap();
        std::fs::create_dir(&bin).unwrap();
        std::fs::write(&program, "").unwrap();
        let link = bin.join("mcp-disclosure");
        symlink(&program, &link).unwrap();
        symlink(&program, &named).unwrap();
        let other = root.join("other");
        let search = env::join_paths([Path::new("relative"), &root.join("absent"), &bin]).unwrap();
        let found =
            |first: &Path, temporary: &Path| lasting_link(first.as_ref(), &search, &program, temporary);
        let by_name = Path::new("mcp-disclosure");
        assert_eq!(found(by_name, &other), Some(link.clone()));
        assert_eq!(found(&link, &other), Some(link.clone()));
        let started = started_by(None, &program, || Some(link.clone())).unwrap();
        assert_eq!(started, [link.to_str().unwrap()]);
        for (first, temporary) in [
            (by_name, &*bin),
            (&*link, &*root),
            (&*program, &*other),
            (&*named, &*other),
            (Path::new("/bin/sh"), &*other),
            (Path::new("absent"), &*other),
            (&*bin.join("../bin/mcp-disclosure"), &*other),
        ] {
            assert_eq!(found(first, temporary), None, "{first:?}");
        }
    }
}
