//! Commands that start this program: which words are its own, and which start the server behind it.

use std::path::Path;

/// The words of a command that starts this program in front of something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ours<'w> {
    /// The arguments of `serve`.
    pub(crate) arguments: &'w [String],
    /// The command of the server behind it; empty for other sources.
    pub(crate) behind: &'w [String],
}

/// The name of the program and of its packages.
const NAME: &str = "mcp-disclosure";

/// The most words before the program's own name: `cmd /c npx -y`, and a flag.
const LAUNCHER: usize = 5;

impl<'w> Ours<'w> {
    /// Recognizes a command. `launcher` is the command that starts this very program.
    pub(crate) fn of(words: &'w [String], launcher: &[String]) -> Option<Self> {
        let rest = if words.starts_with(launcher) {
            &words[launcher.len()..]
        } else {
            let named = words.iter().take(LAUNCHER).position(|word| is_program(word))?;
            let is_launcher =
                |word: &String| word.starts_with(['-', '/']) || LAUNCHERS.contains(&&*stem(word));
            words[..named].iter().all(is_launcher).then(|| &words[named + 1..])?
        };
        let end = rest.iter().position(|word| word == "--").unwrap_or(rest.len());
        let serve = rest[..end].iter().position(|word| word == "serve")?;
        let behind = rest.get(end + 1..).unwrap_or_default();
        Some(Self { arguments: &rest[serve + 1..end], behind })
    }

    /// The values of a flag, which may be repeated.
    pub(crate) fn values(&self, flag: &str) -> Vec<&'w str> {
        let pairs = self.arguments.windows(2).filter(|pair| pair[0] == flag);
        pairs.map(|pair| pair[1].as_str()).collect()
    }
}

/// What starts packages.
const LAUNCHERS: &[&str] = &["npx", "uvx", "cmd", "bunx", "pnpx"];

fn stem(word: &str) -> String {
    let name = word.rsplit(['/', '\\']).next().unwrap_or(word);
    Path::new(name).file_stem().unwrap_or_default().to_string_lossy().to_ascii_lowercase()
}

fn is_program(word: &str) -> bool {
    let versioned = word.split_once("==").or_else(|| word.split_once('@')).map_or(word, |(name, _)| name);
    let name = word.rsplit(['/', '\\']).next().unwrap_or(word);
    versioned == NAME || name.trim_end_matches(".exe") == NAME
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn w1_commands_that_start_this_program_are_recognized() {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let own = words("/opt/own serve-it");
        for (text, behind) in [
            ("mcp-disclosure serve -- npx -y x", Some("npx -y x")),
            ("/usr/bin/mcp-disclosure --log debug serve --strategy info -- x -- y", Some("x -- y")),
            (r"C:\bin\mcp-disclosure.exe serve -- x", Some("x")),
            ("npx -y mcp-disclosure@0.1.0 serve -- x", Some("x")),
            ("cmd /c npx -y mcp-disclosure@0.1.0 serve -- x", Some("x")),
            ("uvx mcp-disclosure==0.1.0 serve -- x", Some("x")),
            ("/opt/own serve-it serve -- x", Some("x")),
            ("mcp-disclosure serve --upstream-url https://a.example/mcp", Some("")),
            ("mcp-disclosure compare -- x", None),
            ("mcp-disclosure check -- serve", None),
            ("npx -y other mcp-disclosure serve -- x", None),
            ("docker run mcp-disclosure serve -- x", None),
            ("npx -y x", None),
        ] {
            let words = words(text);
            let found = Ours::of(&words, &own).map(|ours| ours.behind.join(" "));
            assert_eq!(found.as_deref(), behind, "{text}");
        }
    }
}
