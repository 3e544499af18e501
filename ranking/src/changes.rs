//! Words of requests that ask to change something.

/// Stems of English words, sorted. Where a request has one, nothing speaks against tools that write.
const CHANGES: &[&str] = &[
    "add", "append", "archiv", "assign", "attach", "book", "build", "cancel", "chang", "clear", "clone",
    "close", "commit", "copi", "creat", "delet", "deploy", "disabl", "drop", "edit", "enabl", "eras",
    "execut", "fill", "fix", "forget", "insert", "instal", "invit", "kill", "make", "merg", "modifi", "move",
    "new", "patch", "pay", "post", "publish", "purg", "push", "put", "reboot", "remov", "renam", "replac",
    "repli", "reset", "restart", "restor", "revert", "revok", "run", "save", "schedul", "send", "set",
    "share", "start", "stop", "store", "submit", "truncat", "turn", "unassign", "undo", "uninstal", "updat",
    "upload", "write",
];

/// Whether a stem asks to change something.
pub(crate) fn contains(stem: &str) -> bool {
    CHANGES.binary_search(&stem).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::stem;

    #[test]
    fn the_stems_are_sorted_and_those_of_words() {
        assert!(CHANGES.is_sorted());
        for word in
            ["deleting", "copies", "scheduled", "installs", "modify", "renamed", "executes", "replies"]
        {
            assert!(contains(&stem(word)), "{word}");
        }
        assert!(!contains(&stem("listing")) && !contains(&stem("many")));
    }
}
