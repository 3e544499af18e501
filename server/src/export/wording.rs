//! What exported files say: descriptions of categories, which models read, and comments, which people do.

pub(super) fn of_upstream(upstream: &str) -> String {
    format!("The tools of {upstream}")
}

pub(super) fn of_prefix(upstream: &str, prefix: &str) -> String {
    format!("Tools of {upstream} for {prefix}")
}

pub(super) fn that_only_read(upstream: &str) -> String {
    format!("Tools of {upstream} that change nothing")
}

pub(super) fn that_change(upstream: &str) -> String {
    format!("Tools of {upstream} that may change something")
}

pub(super) const HEAD: &str = "\
# Written by mcp-disclosure export. Serve it with: mcp-disclosure serve --config disclosure.toml
# Every key is described in docs/configuration.md, and in docs/disclosure.schema.json for editors.

# Description files (NAME.json) beside this file, laid over what the upstreams say of their tools.
";

pub(super) const UPSTREAMS: &str = "\
# The servers whose tools are served. ${VAR} takes from the environment.
";

pub(super) const DEMONSTRATION: &str = "\
# There are no upstreams here, so the embedded demonstration is served. For your own:
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
# What is said of single tools: brief, category, concerns, hidden.
";
