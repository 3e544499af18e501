//! The verbs by which descriptions and names of tools say what a tool does.
//!
//! English only: where a text is in another language, nothing is said about its verbs, and its order is kept.

/// Verbs that change nothing. Sorted.
#[rustfmt::skip]
const READING: &[&str] = &[
    "analyse", "analyze", "ask", "browse", "calculate", "check", "compare", "compute", "count", "crawl",
    "debug", "describe", "detect", "determine", "diagnose", "diff", "discover", "display", "estimate",
    "evaluate", "examine", "explain", "explore", "extract", "fetch", "find", "get", "grab", "identify",
    "inspect", "list", "load", "locate", "lookup", "measure", "monitor", "obtain", "open", "peek", "poll",
    "preview", "print", "query", "read", "recall", "report", "resolve", "retrieve", "return", "scan",
    "scrape", "search", "show", "summarise", "summarize", "tail", "test", "trace", "validate", "verify",
    "view", "wait", "watch",
];

/// All others. Sorted.
#[rustfmt::skip]
const CHANGING: &[&str] = &[
    "abort", "accept", "acknowledge", "acquire", "activate", "add", "adjust", "advance", "aggregate",
    "align", "allocate", "allow", "analyse", "annotate", "answer", "append", "apply", "approve", "archive",
    "assign", "associate", "attach", "audit", "authenticate", "authorize", "automate", "back", "backup",
    "ban", "batch", "begin", "bind", "block", "book", "boost", "branch", "broadcast", "build", "calibrate",
    "call", "cancel", "capture", "cast", "categorize", "change", "checkout", "choose", "clean", "cleanup",
    "clear", "click", "clone", "close", "collect", "combine", "comment", "commit", "compile", "complete",
    "compose", "compress", "configure", "confirm", "connect", "construct", "convert", "convolve", "copy",
    "create", "crop", "customize", "cut", "deactivate", "decode", "decompress", "decrypt", "define",
    "delegate", "delete", "deliver", "demonstrate", "deny", "deploy", "design", "destroy", "detach",
    "disable", "disassociate", "discard", "disconnect", "dismiss", "dispatch", "do", "download", "draft",
    "drag", "drain", "draw", "drop", "duplicate", "echo", "edit", "embed", "emulate", "enable", "encode",
    "encrypt", "end", "enforce", "enqueue", "enrich", "enter", "erase", "escalate", "establish", "exchange",
    "execute", "exit", "expand", "export", "extend", "favorite", "fill", "filter", "finalize", "finish",
    "fix", "flag", "flatten", "focus", "follow", "force", "forecast", "fork", "format", "forward",
    "generate", "give", "go", "grant", "group", "guide", "handle", "hide", "highlight", "hover", "import",
    "improve", "increase", "index", "initialise", "initialize", "initiate", "inject", "input", "insert",
    "install", "instantiate", "integrate", "interact", "interrupt", "invite", "invoke", "isolate", "issue",
    "join", "jump", "kill", "label", "launch", "leave", "like", "limit", "link", "lint", "lock", "log",
    "login", "logout", "make", "manage", "manipulate", "map", "mark", "match", "merge", "migrate",
    "minimize", "mock", "modify", "move", "mute", "navigate", "normalize", "notify", "optimize", "order",
    "organize", "override", "overwrite", "parse", "paste", "patch", "pause", "perform", "pin", "ping",
    "place", "plan", "play", "plot", "populate", "post", "press", "proceed", "process", "produce",
    "promote", "propose", "protect", "provide", "provision", "prune", "publish", "pull", "purge", "push",
    "put", "queue", "raise", "rank", "rate", "react", "rebase", "rebuild", "receive", "recommend",
    "reconnect", "record", "recover", "redeploy", "redirect", "reduce", "refactor", "refresh", "refund",
    "regenerate", "register", "reject", "release", "reload", "remove", "rename", "render", "reopen",
    "reorder", "repair", "repeat", "replace", "replay", "reply", "request", "rerun", "reschedule",
    "reserve", "reset", "resize", "respond", "restart", "restore", "resume", "retry", "revert", "review",
    "revoke", "rewrite", "roll", "rollback", "rollout", "rotate", "route", "run", "sanitize", "save",
    "scale", "schedule", "scroll", "seed", "select", "send", "set", "setup", "share", "sign", "simplify",
    "simulate", "skip", "solve", "sort", "spawn", "specify", "split", "stage", "star", "start", "stash",
    "stop", "store", "stream", "submit", "subscribe", "suggest", "surface", "suspend", "swap", "switch",
    "sync", "synchronize", "synthesize", "tag", "take", "tap", "terminate", "think", "toggle", "track",
    "train", "transcribe", "transfer", "transform", "transition", "translate", "trigger", "trim",
    "truncate", "turn", "type", "unarchive", "unassign", "unban", "unblock", "undo", "uninstall", "unlink",
    "unlock", "unmark", "unpublish", "unstage", "unsubscribe", "update", "upgrade", "upload", "upsert",
    "validate", "vote", "wipe", "withdraw", "write", "zoom",
];

/// Verbs that are as often nouns. Sorted.
#[rustfmt::skip]
const NOUNS: &[&str] = &[
    "answer", "archive", "audit", "backup", "batch", "block", "book", "branch", "cast", "change", "check",
    "clone", "comment", "commit", "copy", "count", "design", "diff", "draft", "echo", "email", "end",
    "export", "file", "filter", "flag", "forecast", "fork", "format", "group", "guide", "highlight",
    "import", "index", "input", "issue", "label", "like", "limit", "link", "list", "load", "lock", "log",
    "map", "mark", "match", "merge", "message", "note", "order", "patch", "pin", "place", "plan", "play",
    "plot", "post", "preview", "process", "produce", "pull", "query", "queue", "rank", "rate", "record",
    "release", "report", "request", "review", "route", "scale", "scan", "schedule", "search", "seed", "set",
    "share", "show", "sign", "stage", "star", "start", "stash", "store", "stream", "switch", "tag", "tail",
    "tap", "test", "trace", "track", "train", "transfer", "trigger", "type", "update", "upgrade", "view",
    "vote", "watch",
];

/// Those of [`NOUNS`] that are verbs in names of tools. Sorted.
#[rustfmt::skip]
const IN_NAMES: &[&str] = &[
    "check", "copy", "count", "export", "import", "list", "query", "search", "set", "show", "start",
    "update", "upgrade", "view",
];

/// What a word of a text or name says of the tool's effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verb {
    /// It only reads.
    Reads,
    /// It does something else.
    Acts,
}

impl Verb {
    /// The verb that a lower-case word is a form of: the base form, the third person, or the gerund.
    pub(crate) fn of(word: &str) -> Option<Self> {
        let form = |base: &str| {
            let is_in = |table: &[&str]| table.binary_search(&base).is_ok();
            if is_in(READING) {
                Some(Self::Reads)
            } else if is_in(CHANGING) {
                Some(Self::Acts)
            } else {
                None
            }
        };
        bases(word).iter().find_map(|base| form(base))
    }
}

/// Whether a lower-case word is a verb in the base form, and hardly ever a noun.
pub(crate) fn is_verb_only(word: &str) -> bool {
    let is_in = |table: &[&str]| table.binary_search(&word).is_ok();
    (is_in(READING) || is_in(CHANGING)) && !is_in(NOUNS)
}

/// Whether a lower-case word of a tool's name is what the tool does, wherever it stands.
pub(crate) fn is_verb_in_names(word: &str) -> bool {
    is_verb_only(word) || IN_NAMES.binary_search(&word).is_ok()
}

/// Whether two lower-case words are forms of the same word, as far as plain endings tell.
pub(crate) fn is_same(one: &str, other: &str) -> bool {
    one == other || bases(one).iter().any(|base| bases(other).contains(base))
}

/// The forms that a word may be an inflection of, itself first.
fn bases(word: &str) -> Vec<String> {
    let mut bases = vec![word.to_owned()];
    if !word.is_ascii() {
        return bases;
    }
    let mut add = |stem: &str, ending: &str| {
        if stem.len() >= 2 {
            bases.push(format!("{stem}{ending}"));
        }
    };
    if let Some(stem) = word.strip_suffix("ies") {
        add(stem, "y");
    }
    if let Some(stem) = word.strip_suffix("es") {
        add(stem, "");
    }
    if let Some(stem) = word.strip_suffix('s').filter(|stem| !stem.ends_with('s')) {
        add(stem, "");
    }
    if let Some(stem) = word.strip_suffix("ing") {
        add(stem, "");
        add(stem, "e");
        let mut letters = stem.chars().rev();
        if letters.next() == letters.next() {
            add(&stem[..stem.len().saturating_sub(1)], "");
        }
    }
    bases
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_sorted_and_forms_are_known() {
        for table in [READING, CHANGING, NOUNS, IN_NAMES] {
            assert!(table.is_sorted(), "{:?}", table.iter().zip(table.iter().skip(1)).find(|(a, b)| a > b));
        }
        for (word, verb) in [
            ("get", Some(Verb::Reads)),
            ("queries", Some(Verb::Reads)),
            ("searches", Some(Verb::Reads)),
            ("getting", Some(Verb::Reads)),
            ("creating", Some(Verb::Acts)),
            ("deletes", Some(Verb::Acts)),
            ("weather", None),
            ("liste", None),
        ] {
            assert_eq!(Verb::of(word), verb, "{word}");
        }
        assert!(is_same("issues", "issue") && is_same("entities", "entity") && !is_same("pages", "page_"));
    }
}
