//! What exports say to people.

/// What follows the names of tools whose definitions changed.
pub(super) const DRIFTED: &str =
    "review them, then: mcp-disclosure accept NAME, or all with mcp-disclosure accept";

/// What follows the names of tools that are held.
pub(super) const HELD: &str = "they do not exist for clients until: mcp-disclosure accept NAME";

/// What follows the names of tools that no upstream lists.
pub(super) const VANISHED: &str = "what was decided on them stays, in case they come back; remove it by hand";

pub(super) const HEAD: &str = "\
# Written by mcp-disclosure export. Serve it with: mcp-disclosure serve --config disclosure.toml
# Every key is described in docs/reference.md, and in docs/disclosure.schema.json for editors.
# What you write here stays: a further export into this folder adds what is new and reports what changed.
#
# What you do not decide comes from the servers. A tool is decided on in a section of its own:
#
# [tools.\"UPSTREAM/TOOL\"]
# brief = \"What it does, for lists\"   # or category, concerns, hidden = true

";

pub(super) const DESCRIPTIONS: &str = "\
# Description files (NAME.json) beside this file, laid over what the upstreams say of their tools.
tool_descriptions = \".\"
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
# What `info` sorts tools into. Say in each description what a model would look here for. Names may be patterns: * is any
# text, ? any one character.
";
