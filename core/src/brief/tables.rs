//! The tables by which briefs are made. All texts are in lower case.

/// A tool, as descriptions call it at the beginning of a sentence. With `true` it is dropped also before a plain verb
/// ("This tool reads…").
pub(super) const SUBJECTS: &[(&str, bool)] = &[
    ("this tool", true),
    ("this function", true),
    ("this endpoint", true),
    ("this method", true),
    ("this command", true),
    ("this action", true),
    ("this operation", true),
    ("this mcp tool", true),
    ("this api", true),
    ("this is a tool", false),
    ("this is the tool", false),
    ("the tool", false),
    ("the function", false),
    ("the endpoint", false),
    ("a tool", false),
    ("a function", false),
    ("a utility", false),
    ("an endpoint", false),
    ("tool", false),
    ("function", false),
    ("endpoint", false),
    ("utility", false),
    ("it", false),
    ("this", true),
];

/// What stands between a subject and the verb that says what the tool does.
#[rustfmt::skip]
pub(super) const PREDICATES: &[&str] = &[
    "is designed to", "is intended to", "is meant to", "is useful for", "is used to", "is used for",
    "is for", "can be used to", "can be used for", "can", "allows you to", "allows users to",
    "allows the user to", "allows to", "enables you to", "enables users to", "lets you", "lets users",
    "helps you to", "helps you", "helps users", "helps to", "provides the ability to", "provides a way to",
    "makes it possible to", "will", "that allows you to", "that lets you", "that can", "that", "which",
    "to", "for",
];

/// Openings of sentences that say nothing about the tool. What follows is kept.
#[rustfmt::skip]
pub(super) const OPENINGS: &[&str] = &[
    "always use this tool to", "call this tool to", "call this to", "invoke this tool to",
    "please use this tool to", "use this endpoint to", "use this function to", "use this tool for",
    "use this tool if you need to", "use this tool if you want to", "use this tool to",
    "use this tool when you need to", "use this tool when you want to",
    "use this tool whenever you need to", "use this to", "use this when you need to",
    "use this when you want to", "use it to", "used for", "used to", "useful for", "useful to",
    "allows you to", "allows users to", "enables you to", "lets you", "helps you to", "helps you",
    "provides the ability to", "provides a way to", "you can use this tool to",
];

/// Openings of sentences that say when to use the tool, or how good it is.
#[rustfmt::skip]
pub(super) const ADVICE: &[&str] = &[
    "always use this", "always use when", "best for", "best used", "call this", "commonly used",
    "essential", "excellent for", "great for", "helpful", "ideal for", "if ", "important for", "in case ",
    "invoke this", "it is useful", "perfect for", "primary tool", "recommended", "run this when",
    "should be used", "suitable for", "this function is", "this is", "this tool is", "this tool should",
    "typically used", "use before", "use case", "use for", "use if", "use in ", "use it", "use only",
    "use the ", "use this", "use to ", "use when", "use whenever", "use with", "useful", "you can ",
    "you may ", "you should ", "when ", "whenever ",
];

/// Openings of sentences that only order or warn.
#[rustfmt::skip]
pub(super) const ORDERS: &[&str] = &[
    "always ", "ask the user before", "ask the user first", "avoid ", "be careful", "be sure", "before ", "beware", "cannot be undone", "do not ",
    "don't ", "ensure that you", "ensure you", "execute this only", "first call", "first, call", "first, use", "keep in mind", "make sure", "must ", "needs confirmation", "never ", "no ", "not ", "only ",
    "please ", "prefer ", "proceed with caution", "remember ", "required", "requires ", "the user must",
    "this action ", "this cannot ", "this operation cannot", "this operation is", "this requires ",
    "to use this tool", "you must ", "you need to ", "you have to ", "your must ",
];

/// Labels before a sentence (`WARNING: …`), and whether they say that there is a danger.
pub(super) const LABELS: &[(&str, bool)] = &[
    ("warning", true),
    ("caution", true),
    ("danger", true),
    ("dangerous", true),
    ("unsafe", true),
    ("destructive", true),
    ("irreversible", true),
    ("cost warning", true),
    ("security warning", true),
    ("security", false),
    ("critical", false),
    ("attention", false),
    ("important", false),
    ("important note", false),
    ("note", false),
    ("notes", false),
    ("notice", false),
    ("hint", false),
    ("tip", false),
    ("prerequisite", false),
    ("prerequisites", false),
    ("requirement", false),
    ("requirements", false),
    ("required", false),
    ("mandatory", false),
    ("limitation", false),
    ("limitations", false),
    ("best for", false),
    ("not recommended for", false),
    ("use case", false),
    ("use cases", false),
    ("when to use", false),
    ("common mistakes", false),
    ("experimental", false),
    ("deprecated", false),
    ("example", false),
    ("usage", false),
];

/// Characters that say that there is a danger.
pub(super) const DANGER_SIGNS: &[char] = &['⚠', '🚨', '❗', '🛑', '☠', '⛔', '‼', '☢', '💀'];

/// Verbs, in these forms, that say how a tool works rather than what it does.
#[rustfmt::skip]
pub(super) const HOW: &[&str] = &[
    "accepts", "allows", "assumes", "avoids", "consider", "contains", "defaults", "ensures", "equivalent",
    "expects", "handles", "has", "helps", "includes", "is", "needs", "note", "operates", "prefer",
    "provide", "requires", "results", "see", "specify", "supports", "takes", "use", "used", "uses", "works",
];

/// Verbs that say what comes back.
pub(super) const RETURNS: &[&str] = &["outputs", "respond", "responds", "return", "returning", "returns"];

/// Openings of lines that end the part about WHAT; the rest is about HOW.
#[rustfmt::skip]
pub(super) const SECTIONS: &[&str] = &[
    "arg:", "args:", "argument:", "arguments:", "parameter:", "parameters:", "params:", "param:", "@param",
    ":param", "inputs:", "input:", "returns:", "return:", "@returns", "raises:", "throws:", "example:",
    "examples:", "example usage", "usage:", "usage example", "output:", "outputs:", "output format:",
    "response:", "responses:", "instructions:", "workflow:", "steps:",
];

/// Openings of lines that bring a description back from HOW to what must be known.
pub(super) const WARNING_LINES: &[&str] =
    &["warning", "caution", "danger", "important", "deprecated", "⚠", "🚨", "note:", "notes:", "critical"];

/// After these a full stop does not end a sentence unless a capital letter follows; after the first ones it never does.
#[rustfmt::skip]
pub(super) const ABBREVIATIONS: &[(&str, bool)] = &[
    ("e.g", true), ("i.e", true), ("vs", true), ("etc", false), ("cf", false), ("approx", false), ("incl", false),
    ("resp", false), ("no", false), ("max", false), ("min", false), ("inc", false), ("ltd", false),
];

/// Titles before names. A full stop after one ends no sentence.
pub(super) const TITLES: &[&str] = &["Dr", "Mr", "Mrs", "Ms", "Prof", "St"];

/// Words that begin a sentence also after initials (`… point A. Returns …`).
#[rustfmt::skip]
pub(super) const STARTERS: &[&str] = &[
    "a", "all", "call", "can", "do", "for", "if", "in", "it", "no", "note", "only", "requires", "returns",
    "supports", "the", "this", "to", "use", "uses", "when", "you",
];

/// HTML elements within a sentence: their text stays.
#[rustfmt::skip]
pub(super) const INLINE: &[&str] = &[
    "a", "b", "em", "i", "code", "kbd", "mark", "s", "small", "span", "strong", "sub", "sup", "u",
];

/// HTML elements around sentences: their text stays, as paragraphs.
#[rustfmt::skip]
pub(super) const LAID_OUT: &[&str] = &[
    "p", "div", "pre", "ul", "ol", "li", "h1", "h2", "h3", "h4", "h5", "h6",
];

/// Ends of sentences in scripts that put no space after them, and in those that have signs of their own.
pub(super) const UNSPACED_ENDS: &[char] = &['。', '！', '？', '｡', '．'];
pub(super) const SPACED_ENDS: &[char] = &['!', '?', '।', '॥', '؟', '۔', '…', '።', '։'];

/// Words that need a following word. They are dropped at the end of a shortened text.
#[rustfmt::skip]
pub(super) const CONNECTIVES: &[&str] = &[
    "a", "an", "the", "this", "its", "their", "your", "of", "to", "in", "on", "at", "by", "for", "from",
    "with", "into", "onto", "via", "per", "and", "or", "but", "as", "if", "than", "that", "which", "whose",
    "when", "where", "while", "since", "until", "is", "are", "be", "not", "e.g.", "i.e.", "such",
    "including", "using", "&", "|", "both", "all", "any", "each", "every", "specific", "single", "given",
    "other", "without", "no", "more",
];

/// Words that do not go on after a name and a colon.
#[rustfmt::skip]
pub(super) const PREPOSITIONS: &[&str] = &[
    "at", "back", "by", "for", "from", "if", "in", "into", "of", "on", "out", "over", "through", "to", "up",
    "via", "with",
];

/// Words that are frequent in English and rare elsewhere, by which a sentence is known to be English.
#[rustfmt::skip]
pub(super) const ENGLISH: &[&str] = &[
    "the", "of", "with", "for", "and", "from", "your", "to", "by", "an", "are", "is", "using", "tool",
];

/// Words by which a text says that it is about deprecation, in several languages.
#[rustfmt::skip]
pub(super) const DEPRECATED: &[&str] = &[
    "deprecated", "obsolete", "obsoleto", "obsoleta", "deprecado", "obsolète", "déprécié", "veraltet",
    "устарел", "已弃用", "已废弃", "已棄用", "非推奨", "廃止予定", "사용 중단",
];

/// What a deprecated tool is replaced by stands after these.
pub(super) const REPLACED_BY: &[&str] = &[
    "please use ",
    "use ",
    "replaced by ",
    "superseded by ",
    "in favor of ",
    "in favour of ",
    "migrate to ",
    "switch to ",
    "prefer ",
    "see ",
];

/// Reasons for calling a tool unsafe: what a text holds, and what the mark says.
pub(super) const UNSAFE: &[(&str, &str)] = &[
    ("rce-equivalent", "RCE-equivalent"),
    ("remote code execution", "remote code execution"),
    ("arbitrary code", "arbitrary code"),
    ("arbitrary javascript", "arbitrary JavaScript"),
    ("arbitrary python", "arbitrary Python"),
    ("arbitrary shell", "arbitrary shell commands"),
    ("arbitrary command", "arbitrary commands"),
    ("arbitrary sql", "arbitrary SQL"),
];

/// What cannot be undone.
#[rustfmt::skip]
pub(super) const IRREVERSIBLE: &[&str] = &[
    "irreversible", "irreversibly", "cannot be undone", "can't be undone", "can not be undone",
    "cannot be reversed", "cannot be reverted", "cannot be recovered", "can't be recovered",
    "not reversible", "permanently", "is permanent", "unrecoverable",
];

/// What destroys something. Only where a sentence warns.
#[rustfmt::skip]
pub(super) const DESTRUCTIVE: &[&str] = &[
    "destructive", "destroys", "overwrite", "overwrites", "overwritten", "data loss", "lose data",
    "loss of data", "wipes", "erases", "deletes", "delete", "removes",
];

/// Words that say as much as the mark `[destructive]`.
#[rustfmt::skip]
pub(super) const SAYS_DESTRUCTIVE: &[&str] = &[
    "clear", "delete", "destroy", "destructive", "discard", "drop", "erase", "irreversible", "kill",
    "overwrite", "overwriting", "permanently", "purge", "remove", "terminate", "truncate", "uninstall",
    "wipe",
];

/// What must be confirmed by a person.
#[rustfmt::skip]
pub(super) const CONFIRMATION: &[&str] = &[
    "requires confirmation", "require confirmation", "needs confirmation", "user confirmation",
    "explicit confirmation", "confirmation required", "confirmation is required", "confirm with the user",
    "ask the user to confirm", "ask for confirmation", "must be confirmed", "requires approval",
    "user approval", "explicit approval", "user consent", "explicit permission", "ask for permission",
    "ask the user before", "ask the user first", "check with the user", "without asking the user",
];

/// What is lost, wherever it is said.
pub(super) const LOSS: &[&str] = &[
    "data will be lost",
    "data is lost",
    "will be wiped",
    "will be erased",
    "[destructive",
    "(destructive)",
];

/// What is no tool of everyone's.
pub(super) const INTERNAL: &[&str] = &["internal use only", "for internal use", "internal only"];

/// What may change, where a sentence says it of the tool.
pub(super) const EXPERIMENTAL: &[&str] = &["[experimental", "(experimental)", "this tool is experimental"];

/// What is for trials only.
#[rustfmt::skip]
pub(super) const NOT_IN_PRODUCTION: &[&str] = &[
    "not use in production", "never use in production", "not use this in production", "not for production",
    "not use this tool in production", "not for use in production",
];

/// What is said of a tool that goes, at the beginning or after a word for the tool.
#[rustfmt::skip]
pub(super) const GOES: &[&str] = &[
    "has been replaced by", "was replaced by", "is replaced by", "replaced by", "has been superseded by",
    "is superseded by", "superseded by", "will be removed in", "no longer maintained", "no longer supported",
];

/// What is a property of operations, rather than what the tool does, after [`REPORTS`].
pub(super) const ADJECTIVES: &[&str] = &["irreversible", "not reversible", "unrecoverable", "destructive"];

/// Verbs of tools that say how something else is. Sorted.
#[rustfmt::skip]
pub(super) const REPORTS: &[&str] = &[
    "analyse", "analyze", "assess", "check", "classify", "detect", "determine", "explain", "find", "flag",
    "identify", "inspect", "list", "predict", "preview", "report", "review", "scan", "search", "show", "tell",
    "validate", "verify",
];

/// What is to be done only if a person asks for it.
pub(super) const ON_REQUEST: &[&str] = &[
    "only when explicitly requested",
    "only if explicitly requested",
    "only when explicitly asked",
    "only use when explicitly",
    "only if the user explicitly",
    "only when the user explicitly",
    "only use this tool if the user explicitly",
    "only use this tool when the user explicitly",
];

/// What costs money.
pub(super) const COSTS: &[&str] = &[
    "incur cost",
    "incurs cost",
    "incur charge",
    "incurs charge",
    "incur a cost",
    "costs money",
    "cost warning",
    "consumes credits",
    "consume credits",
    "will be charged",
    "will be billed",
];

/// What is not to be called at all, where nothing follows: exceptions (`… unless`, `… for`) are advice.
pub(super) const NOT_TO_BE_USED: &[&str] =
    &["do not use this tool", "do not call this tool", "don't use this tool", "don't call this tool"];

/// Words that turn a phrase into its opposite when they stand before it.
pub(super) const NEGATIONS: &[&str] = &["no", "non", "not", "never", "without", "isn't", "doesn't", "don't"];

/// Verbs by which a sentence names a tool that is to be called first.
pub(super) const CALLS: &[&str] =
    &["call", "calling", "run", "running", "use", "using", "invoke", "invoking", "execute"];

/// Words of a server's name that only say that it is a server.
#[rustfmt::skip]
pub(super) const SERVER_WORDS: &[&str] = &[
    "a", "ai", "an", "api", "bridge", "client", "connector", "fastmcp", "for", "gateway", "integration",
    "mcp", "mcp-server", "mcpserver", "model", "context", "protocol", "my", "official", "plugin",
    "reference", "remote", "rmcp", "secure", "server", "servers", "service", "the", "tool", "tools",
    "toolkit", "toolset", "upstream",
];
