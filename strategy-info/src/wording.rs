//! Every sentence of `info` that a model reads.

use serde_json::Value;

use mcp_disclosure_core::{Executor, Executors};

use crate::OtherTools;

/// The name of the tool that explains.
pub const INFO: &str = "info";

/// The name of the tool that calls others, under `entry-only`: all of them, or those that can change something.
pub const INVOKE: &str = "invoke";

/// The name of the tool that calls read-only tools, where there are two.
pub const INVOKE_READ_ONLY: &str = "invoke_read_only";

/// The topic of the first level.
pub const OVERVIEW: &str = "overview";

/// Prefix of a category's topic where a tool has the same name.
pub const CATEGORY: &str = "category:";

/// Prefix of a tool's topic where a category has the same name.
pub const TOOL: &str = "tool:";

/// What a list shows of the tools that are explained.
#[derive(Clone, Copy, Debug)]
pub struct Shown {
    /// How they are listed.
    pub tools: OtherTools,
    /// Whether cheap schemas are shown, in the list or in categories.
    pub cheap_schemas: bool,
    /// Whether any tool is pinned, and so listed completely.
    pub pins: bool,
}

/// The description of `info`, before the index: what to ask for, and when.
pub fn info_description(Shown { tools, cheap_schemas, pins }: Shown, executors: Executors) -> String {
    let shown = if cheap_schemas || pins { SOME_ARE_SHOWN } else { "Do this before a tool's first call." };
    match tools {
        OtherTools::Stubs => format!(
            "How to use this server's tools. Topic: a tool, or several separated by commas: parameters, results and \
             examples. {shown} If several tools seem to fit, ask about them together and compare. A category: its tools, \
             one line each. No topic: overview of all categories with their tools. {CHECK_HERE}"
        ),
        OtherTools::EntryOnly => format!(
            "{} of this server are not listed; find them here.\n\
             1. PICK a category below: {{\"topic\": \"CATEGORY\"}} gives its tools, one line each{}. No topic: overview of \
             all categories with the names of their tools.\n\
             2. LEARN a tool{}: {{\"topic\": \"TOOL\"}}, or several together: {{\"topic\": \"TOOL,TOOL\"}}.\n\
             3. CALL it: {}.\n{CHECK_HERE}",
            if pins { OTHERS } else { "The tools" },
            if cheap_schemas { ", simple ones with their parameters" } else { "" },
            if cheap_schemas { " whose line has no parameters" } else { "" },
            how_to_call(executors),
        ),
    }
}

/// The beginning of the sentence about tools that are not listed, where others are.
const OTHERS: &str = "Tools that are listed can be called at once by their names. The other tools";

/// Which tools need no explanation where some are listed with their schemas.
const SOME_ARE_SHOWN: &str = "Tools that are listed with parameters, or with an empty list of them (\"properties\": {}), \
     can be called at once; ask about the others, those with nothing but \"arguments\", before their first call, and give \
     their parameters as \"arguments\".";

const CHECK_HERE: &str = "Check here before you say that something cannot be done.";

/// The description of the argument of `info`.
pub const TOPIC: &str = "overview, a category, or a tool; several separated by commas";

/// How a tool that is not listed is called.
fn how_to_call(executors: Executors) -> String {
    let call = format!("{INVOKE} with {{\"tool\": \"TOOL\", \"arguments\": {{..}}}}");
    match executors {
        Executors::One => call,
        Executors::ByEffect => format!("{call}; {INVOKE_READ_ONLY} in the same way for tools that only read"),
    }
}

/// The tools that call what is not listed.
pub const EXECUTOR: Executor = Executor {
    describing: INFO,
    acting: INVOKE,
    reading: INVOKE_READ_ONLY,
    called: "a tool described by info",
    arguments: "Arguments for the tool, as described by info",
};

/// The guidance for system prompts.
pub fn guidance(Shown { tools, cheap_schemas, pins }: Shown, executors: Executors) -> String {
    let shown = match (tools, cheap_schemas || (pins && tools == OtherTools::Stubs)) {
        (_, false) => "before its first call",
        (OtherTools::Stubs, true) => "unless it is listed with parameters, or with an empty list of them",
        (OtherTools::EntryOnly, true) => "unless its category showed its parameters",
    };
    let learn = format!(
        "LEARN it {shown}: call {INFO} with {{\"topic\": \"TOOL\"}}, or with {{\"topic\": \"TOOL,TOOL\"}} if several seem to \
         fit. Once is enough."
    );
    match tools {
        OtherTools::Stubs => format!(
            "Tools of this server are listed with WHAT each does; {INFO} says HOW to use them.\n\
             1. PICK a tool by its description.\n2. {learn}\n3. CALL it with these parameters, as \"arguments\" if only that is \
             listed.\n\
             If no tool seems to fit, call {INFO} without a topic for an overview."
        ),
        OtherTools::EntryOnly => format!(
            "{} of this server are not listed; {INFO} says which exist and how to use them.\n\
             1. PICK a tool: call {INFO} with {{\"topic\": \"CATEGORY\"}}; the description of {INFO} has the categories. \
             Skip this if you know the tool's name.\n2. {learn}\n\
             3. CALL it: {}.",
            if pins { OTHERS } else { "Tools" },
            how_to_call(executors),
        ),
    }
}

/// The instruction to learn the tool of this topic.
pub fn how_to_learn(topic: &str) -> String {
    format!("call {INFO} with {}", serde_json::json!({"topic": topic}))
}

/// The maximum number of topics.
pub fn too_many_topics(most: usize) -> String {
    format!("at most {most} topics at once ([strategy.info] most_topics)")
}

/// The names of a category's first tools, and how many more it has.
pub fn tools_named(names: &[&str], more: usize) -> String {
    match more {
        0 => names.join(", "),
        more if names.is_empty() => format!("{more} tools"),
        more => format!("{} and {more} more", names.join(", ")),
    }
}

/// The note on an answer that is not complete: entries from the `first` to the `last` of `count`, and the topic of the rest.
pub fn continued(first: usize, last: usize, count: usize, topic: &str) -> String {
    format!("These are {first} to {last} of {count}. For the rest, ask for topic \"{topic}\".")
}

/// The note in a category's answer where a tool has the same name.
pub fn also_a_tool(topic: &str) -> String {
    format!("A tool has the same name; its topic is {topic}")
}

/// The answer to an unknown topic (three-level-info "Implementation Pattern").
pub fn unknown_topic(topic: &str) -> String {
    format!("Unknown topic: {topic}")
}

/// The note where nothing is like an unknown topic.
pub const NOTHING_MATCHES: &str = "No category or tool matches. Without a topic: overview of all categories.";

/// What was expected of the topic.
pub const EXPECTED_TOPIC: &str = "a string: overview, a category, or a tool; or a list of these";

/// What was given where `info` has no such argument.
pub const UNKNOWN_ARGUMENT: &str = "an unknown argument";

/// What was expected instead.
pub const ONLY_TOPIC: &str = "topic and no other argument";

/// The note on parameters where the schema names none and excludes none.
pub const OPEN: &str = "No parameters are described; any are accepted.";

/// The note on parameters that are left out.
pub fn more_parameters(count: usize) -> String {
    format!("Not shown: {count} more parameters.")
}

/// Stands for the parameters of a tool that has none.
pub const NO_PARAMETERS: &str = "none";

/// Stands for the parameters of a tool that accepts any and names none.
pub const ANY_PARAMETERS: &str = "any";

/// An example of a parameter.
pub fn for_example(value: &Value) -> String {
    format!("such as {value}")
}

/// Maximum number of values in a phrase.
const MOST_VALUES: usize = 12;

/// A choice of values.
pub fn one_of(values: &[Value]) -> String {
    let shown: Vec<String> = values.iter().take(MOST_VALUES).map(ToString::to_string).collect();
    format!("one of {}{}", shown.join(", "), if values.len() > MOST_VALUES { ", …" } else { "" })
}

/// The type of a value whose schema states none.
pub const ANYTHING: &str = "any";
