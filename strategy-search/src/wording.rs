//! Every sentence of `search` that a model reads.

use mcp_disclosure_core::{Executor, Executors, brief::shorten};

/// The tool that finds tools.
pub const SEARCH: &str = "search_tools";

/// The tool that calls tools: all of them, or those that can change something.
pub const CALL: &str = "call_tool";

/// The tool that calls read-only tools, where there are two.
pub const CALL_READ_ONLY: &str = "call_read_only_tool";

/// Maximum length of a name in a message, in characters.
const LONGEST_NAME: usize = 120;

/// The description of `search_tools`, before the index of what is behind.
pub fn search_description(executors: Executors, has_pins: bool) -> String {
    let call = EXECUTOR.names(executors);
    let others = if has_pins { OTHERS } else { "Find tools by what you want to do; they are not listed." };
    format!(
        "{others} Hits have a name, a brief and, the best ones, an \
         inputSchema (with the commonParameters that it names): call it with {call}. Without a query: categories; with a category alone: its tools. If hits are weak and none \
         fits, no tool may exist."
    )
}

/// The beginning of the description where some tools are pinned.
const OTHERS: &str = "Tools that are listed with their parameters can be called at once. Find the others by what you want to do.";

/// The argument `query`.
pub const QUERY: &str = "What to do, in a few words, or a tool's name";

/// The argument `category`.
pub const CATEGORY: &str = "Only in this category";

/// The argument `detail`.
pub const DETAIL: &str = "full: all hits with inputSchema";

/// The tools that call what was found.
pub const EXECUTOR: Executor = Executor {
    describing: SEARCH,
    acting: CALL,
    reading: CALL_READ_ONLY,
    called: "a tool found by search_tools",
    arguments: "By the tool's inputSchema",
};

/// The guidance for system prompts.
pub fn guidance(executors: Executors, has_pins: bool) -> String {
    let call = EXECUTOR.usage(executors);
    format!(
        "{} of this server are found by searching.\n\
         1. SEARCH: call {SEARCH} with {{\"query\": \"rename a file\"}}.\n\
         2. CALL: {call}, by the inputSchema of the hit. A hit without one: search for its name first.\n\
         A tool that was found once needs no further search.",
        if has_pins { "Tools that are listed can be called at once. Others" } else { "Tools" },
    )
}

/// The note of an answer without strong hits.
pub fn miss(is_empty: bool) -> &'static str {
    if is_empty {
        "No tool has these words. Try others, or list a category; if nothing fits, no tool can do this."
    } else {
        "Weak matches only. If none fits, try other words or list a category; possibly no tool can do this."
    }
}

/// The note of an answer without a query.
pub const BROWSE: &str = "Search with a query, or list a category.";

/// What a hit lacks because it is too large.
#[derive(Clone, Copy, Debug)]
pub enum Missing {
    /// The schema, and everything else.
    Schema,
    /// Everything but the schema.
    Description,
}

impl Missing {
    /// The note of a hit, where another search can show it.
    pub fn too_large(self, name: &str) -> String {
        let what = match self {
            Self::Schema => "The inputSchema",
            Self::Description => "The complete description",
        };
        format!(
            "{what} is too large for this answer. For it, call {SEARCH} with {{\"query\": {}, \"limit\": 1, \
             \"detail\": \"full\"}}",
            serde_json::Value::from(name)
        )
    }

    /// The note of a hit, where no search can show it; of how many bytes it is.
    pub fn never_fits(self, bytes: usize) -> String {
        match self {
            Self::Schema => format!(
                "The inputSchema has {bytes} bytes, too many to show. Call the tool with the arguments that it probably \
                 takes: an answer to wrong ones names them."
            ),
            Self::Description => {
                format!(
                    "The complete definition has {bytes} bytes, too many to show. The inputSchema is complete."
                )
            }
        }
    }
}

/// The note of a category with more tools.
pub fn more_tools(count: usize) -> String {
    format!("{count} more tools are not shown: search with a query and this category.")
}

/// The error of an unknown category.
pub fn unknown_category(name: &str, meant: &[&str]) -> String {
    let name = shorten(name, LONGEST_NAME);
    match meant {
        [] => format!("Unknown category: {name}"),
        meant => format!("Unknown category: {name}. Did you mean: {}?", meant.join(", ")),
    }
}

/// What was given where there is no such argument.
pub const UNKNOWN_ARGUMENT: &str = "an unknown argument";

/// What was expected instead.
pub const KNOWN_ARGUMENTS: &str = "query, category, limit or detail";

/// What was expected of `query`.
pub const EXPECTED_QUERY: &str = "a string: what to do, in a few words";

/// What was expected of `category`.
pub const EXPECTED_CATEGORY: &str = "a string: the name of a category";

/// What was expected of `detail`.
pub const EXPECTED_DETAIL: &str = "\"brief\" or \"full\"";

/// What was expected of `limit`.
pub fn expected_limit(most: usize) -> String {
    format!("a number from 1 to {most}")
}
