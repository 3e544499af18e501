//! What exported files say to people: comments.

use mcp_disclosure_core::printable::one_line;

/// The key of a record, in sections and in description files.
pub(super) const MADE_FROM: &str = "made_from";

/// What follows the names of tools whose definitions changed.
pub(super) const DRIFTED: &str =
    "records stay as they are; once reviewed: --accept-drift, or --accept-drift=NAME";

/// What follows the names of tools that no upstream lists.
pub(super) const VANISHED: &str = "what was decided on them stays, in case they come back; remove it by hand";

/// Why a section gets no record.
pub(super) const NO_PLACE: &str = "its section is written with dotted keys; write it as [tools.NAME]";

/// Why a tool gets no section.
pub(super) const NO_NAME: &str = "its name would be read as a pattern, or has characters that are not shown";

/// The comment that shows a brief that an operator has not decided on.
pub(super) fn derived_brief(brief: &str) -> String {
    let quoted = serde_json::Value::from(brief).to_string();
    format!("{DERIVED_BRIEF}{}\n", one_line(&quoted))
}

/// Whether a line is such a comment.
pub(super) fn is_derived_brief(line: &str) -> bool {
    line.starts_with(DERIVED_BRIEF)
}

const DERIVED_BRIEF: &str = "# derived brief: ";

pub(super) const HEAD: &str = "\
# Written by mcp-disclosure export. Serve it with: mcp-disclosure serve --config disclosure.toml
# Every key is described in docs/reference.md, and in docs/disclosure.schema.json for editors.
# What you write here stays: a further export into this folder adds what is new and reports what changed.

# Description files (NAME.json) beside this file, laid over what the upstreams say of their tools.
";

pub(super) const UPSTREAMS: &str = "\
# The servers whose tools are served. ${VAR} takes from the environment.
";

pub(super) const DEMONSTRATION: &str = "\
# The embedded demonstration is served. For servers of your own, remove this key, and add a table for each:
#
# [upstreams.files]
# command = \"npx\"
# args = [\"-y\", \"@modelcontextprotocol/server-filesystem\", \"/data\"]
";

pub(super) const CATEGORIES: &str = "\
# What `info` sorts tools into. These are proposals: rename them, and say in each description what a model would
# look here for. Names may be patterns: * is any text, ? any one character.
";

pub(super) const TOOLS: &str = "\
# Decisions on single tools: brief, category, concerns, hidden. What is not decided comes from the upstream, such as a
# brief derived from its description. made_from records the definition that was decided on: check and serve report when
# the upstream's is another, and export --accept-drift records that one.
";
