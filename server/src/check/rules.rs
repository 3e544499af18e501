//! Every kind of finding that there can be, by its code.

use super::{Rule, Severity};

/// Declares rules, in the order of their codes: name and severity, code, what it means, and what to do about it.
macro_rules! rules {
    ($($name:ident $severity:ident $code:literal: $summary:literal, $hint:literal;)*) => {
        $(pub(crate) const $name: Rule =
            Rule { code: $code, severity: Severity::$severity, summary: $summary, hint: $hint };)*

        /// Every code of a finding.
        pub const CODES: &[&str] = &[$($code),*];
    };
}

rules! {
    NO_ADDRESS Warning "audience-no-url":
        "audience is no URL, so clients without a token look for the metadata at the host that they asked, over http",
        "make audience the URL of this server as clients use it, such as \"https://tools.example.com/mcp\"";
    LONG_BRIEF Note "brief-over-60":
        "a brief of yours is over 60 characters, which `describe` does not list",
        "write a shorter one, or serve with --set describe.long_briefs=shorten";
    BRIEF_SAYS_HOW Warning "brief-says-how":
        "the brief has details that belong in the description, or is too long for a list",
        "write a brief that says what the tool does, in at most 160 characters";
    REPEATS_NAME Warning "description-repeats-name":
        "the description says no more than the name",
        "say what the tool does, to what, and what comes back";
    DRIFTED Warning "drifted-definition":
        "the upstream's definition is not the one that was reviewed",
        "see what the tool is now, and accept it: mcp-disclosure accept --dry-run NAME, then without --dry-run";
    WRONG_EXAMPLE Warning "example-does-not-fit":
        "an example does not fit the schema, so a model that follows it is refused",
        "correct the example, or the schema";
    FOUND_LATER Note "found-later":
        "a query finds other tools before its own",
        "say in the tool's description or `keywords` what it does that the others do not";
    FOUND_WRONGLY Note "found-wrongly":
        "a query that should find nothing has strong hits",
        "say in the description of these tools what they do not do, or accept it";
    INSTRUCTS Warning "instructs-the-model":
        "a text that models read gives them orders or hides something, instead of saying what it is for",
        "read it as the model does; do not serve it (hidden), or write your own in a description file, unless it is meant";
    HOST Warning "internal-host":
        "a text that models read reveals a host of the server's network",
        "say what is meant without the host, in the tool's description file";
    PATH Warning "internal-path":
        "a text that models read reveals a path of the server's machine",
        "say what is meant without the path, in the tool's description file";
    LEFT_OUT Warning "left-out":
        "a server of a host's file cannot be used as it is, and is left out",
        "correct it in the host's file, or declare it in disclosure.toml";
    MANY Warning "many-pins":
        "more than 5 tools are pinned, and each is listed completely to every client",
        "pin what nearly every task needs, and leave the rest to the strategy";
    IDLE Warning "matches-nothing":
        "a file has a rule for something that no upstream lists, or a member that is not known",
        "correct the name or pattern, or leave it out";
    CLASH Note "name-clash":
        "another tool has the same name, so it is served under its upstream's",
        "give one of the upstreams a prefix in disclosure.toml, or hide what is not wanted with hidden = true";
    OVER_48 Note "name-over-48":
        "names of over 48 characters pass the usual bound of 64 once a host puts a server's name before them",
        "give the server a short name in the host's configuration";
    OVER_60 Warning "name-over-60":
        "names of over 60 characters are cut or refused by many hosts",
        "give it a shorter name with rename, in [upstreams.NAME] of disclosure.toml; where names clash, give the upstream one";
    REVEALING Warning "name-reveals-tool":
        "from a tool's name, callers can infer another one that they may not use",
        "give one of the two upstreams a prefix";
    NEEDS_TASKS Note "needs-tasks":
        "a tool runs as a task only, and is not listed to clients that run none: those of revisions up to 2025-06-18, and of 2026-07-28 without the extension",
        "see whether your hosts run tasks (2025-11-25, or io.modelcontextprotocol/tasks)";
    NEVER_SHOWN Warning "never-shown":
        "whichever value of a concern a host chooses, this is not listed",
        "map it to values that the concern has";
    NO_DESCRIPTION Warning "no-description":
        "there is no description, so a model has only the name to go by",
        "write a description in the tool's description file";
    NO_EXAMPLE Note "no-example":
        "no example of a call",
        "add examples to the tool's description file: [{\"description\": …, \"input\": {…}, \"output\": …}]";
    NO_RELATED Note "no-related":
        "no related tools are named",
        "add related to the tool's description file: the names of tools that are used before, after or instead";
    NO_RETURNS Note "no-returns":
        "nothing says what a call returns",
        "add returns, or an outputSchema, to the tool's description file";
    NOT_FOUND Warning "not-found":
        "a query does not find its tool among the first five hits",
        "put the words that the tool lacks into its description, brief or `keywords`, or add them as synonyms ([strategy.search.synonyms])";
    NOT_PASSED Note "not-passed":
        "an upstream has capabilities beyond MCP, which its clients do not see",
        "name the methods that they need with pass, in [upstreams.NAME] of disclosure.toml";
    NOT_SERVED Error "not-served":
        "a tool is not served, since its name is taken",
        "give its upstream another name or a prefix";
    ODD_LIST Warning "odd-list":
        "an upstream lists something that cannot be served as it is",
        "correct it in the server";
    ODD Warning "odd-name":
        "names with anything but letters, digits, '_' and '-' are refused by many models' interfaces",
        "give it another name with rename, in [upstreams.NAME] of disclosure.toml";
    LOOK_ALIKE Warning "pin-look-alike":
        "a pinned tool has nearly the name of others, and a model takes the one that is listed completely",
        "pin both or neither, or give one another name with rename, in [upstreams.NAME] of disclosure.toml";
    POOR_BRIEF Warning "poor-brief":
        "the description has no sentence outside of sections, so lists show the tool's title or name",
        "begin the description with a sentence that says what the tool does, or write a brief";
    REFUSED Error "refused":
        "serve would not start",
        "correct this first; the rest is checked afterwards";
    REPEATED Warning "repeated-description":
        "several tools have the same description, so a model cannot choose between them",
        "say in each what it does that the others do not";
    UNCHECKED Warning "schema-not-checked":
        "arguments are not checked against these parts of a schema: keywords that are not supported or in a wrong form, references to other documents",
        "correct or simplify it in the tool's description file; the tool's server has its own check";
    UNTYPED Warning "schema-not-object":
        "the inputSchema is not of type object, for which hosts refuse the tool",
        "give it \"type\": \"object\" in the tool's description file";
    SHADOWED Warning "shadowed-principal":
        "an entry of [[principals]] is never used",
        "an earlier entry matches all callers that it matches: move it up, or leave it out";
    NOT_OFFERED Note "strategy-not-offered":
        "a strategy cannot serve these tools, so clients cannot choose it",
        "correct what it objects to, or leave it out with --offer";
    OBJECTS Error "strategy-objects":
        "the strategy that serves clients cannot serve these tools as it should",
        "correct what it objects to, or serve with another strategy";
    UNDECLARED Warning "undeclared-concern":
        "it is mapped to an undeclared concern, so no host can choose it",
        "declare it with [[concerns]] in disclosure.toml";
    UNDESCRIBED Warning "undescribed-parameter":
        "parameters without a description, so a model guesses what to pass",
        "add a description to each in the inputSchema of the tool's description file";
    UNKNOWN_LABEL Warning "unknown-label":
        "a query names a tool that is not served",
        "correct the name in the file of queries";
    UNKNOWN_RELATED Warning "unknown-related":
        "a related tool does not exist",
        "correct the name, or leave it out";
    UNMATCHED Warning "unmatched-principal":
        "an entry of [[principals]] matches no HTTP client",
        "add token = \"…\" or claims = { … }; without them it is for --principal on stdio only";
    UNREACHABLE Error "unreachable-upstream":
        "an upstream cannot be used, and its tools are not served",
        "start its command, or open its URL, by itself to see why, or leave it out";
    NO_KEYS Error "unreadable-keys":
        "the issuer's keys cannot be read, and no JWT is accepted until they are",
        "see [auth.jwt]: jwks_url or jwks_file names a JSON Web Key Set with a key for signatures";
    UNUSED Warning "unused-concern":
        "nothing is mapped to this concern, so choosing it has no effect",
        "map tools to its values in disclosure.toml or in description files, or leave it out";
}

#[cfg(test)]
mod tests {
    use super::CODES;

    #[test]
    fn w5_the_codes_are_those_of_all_rules() {
        assert!(CODES.is_sorted_by(|one, two| one < two), "each once, in the order of the reference");
    }
}
