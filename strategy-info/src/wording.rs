//! Every sentence of `info` that a model reads.

use serde_json::{Number, Value};

use crate::config::OtherTools;

/// The name of the tool that explains.
pub const INFO: &str = "info";

/// The name of the tool that calls others, under `entry-only`.
pub const INVOKE: &str = "invoke";

/// The topic of the first level.
pub const OVERVIEW: &str = "overview";

/// Before a category's name, where a tool has that name, too.
pub const CATEGORY: &str = "category:";

/// Before a tool's name, where a category has that name, too.
pub const TOOL: &str = "tool:";

/// Categories are named in the description of `info` up to about so many characters.
const LONGEST_CATEGORIES: usize = 700;

/// The description of `info`: what there is, what to ask, and when.
pub fn info_description(tools: OtherTools, categories: &[(&str, usize)]) -> String {
    let total: usize = categories.iter().map(|(_, count)| count).sum();
    let when = match tools {
        OtherTools::Stubs => {
            "The list says only WHAT each tool does: ask for a tool before its first call, to learn HOW."
        }
        OtherTools::EntryOnly => {
            "No other tools are listed: find the right one here, learn how it is used, then run it with invoke."
        }
    };
    format!(
        "Discover this server's tools in three levels. \
         No topic: an overview. A category: its tools, each in a line. A tool: its parameters, what it \
         returns, examples. {when} Look here before you say that something cannot be done. {}",
        categories_named(total, categories)
    )
}

fn categories_named(total: usize, categories: &[(&str, usize)]) -> String {
    let mut named = String::new();
    for (at, (name, count)) in categories.iter().enumerate() {
        let next = format!("{}{name} ({count})", if at == 0 { "" } else { ", " });
        if named.len() + next.len() > LONGEST_CATEGORIES {
            return format!("{total} tools in {} categories: {named}, …", categories.len());
        }
        named.push_str(&next);
    }
    if named.is_empty() { "There are no tools.".to_owned() } else { format!("{total} tools: {named}.") }
}

/// The description of the argument of `info`.
pub const TOPIC: &str = "overview, a category, or a tool";

/// The description of `invoke`.
pub const INVOKE_DESCRIPTION: &str = "Run a tool that info tells of. Returns its result.";

/// The description of the first argument of `invoke`.
pub const INVOKE_TOOL: &str = "Its name";

/// The description of the second argument of `invoke`.
pub const INVOKE_ARGUMENTS: &str = "Its arguments, as info tells them";

/// The guidance for system prompts.
pub fn guidance(tools: OtherTools) -> String {
    let (known, call) = match tools {
        OtherTools::Stubs => (
            "Its tools are listed by what they do; how to use them is told by info.",
            "Call the tool with the parameters you learned.",
        ),
        OtherTools::EntryOnly => (
            "Its tools are not listed; info tells what there is and how to use it.",
            "Call invoke with {\"tool\": \"NAME\", \"arguments\": {..}} and the parameters you learned.",
        ),
    };
    format!(
        "Tools of this server are disclosed in three levels. {known}\n\
         1. OVERVIEW: info without a topic names the categories.\n\
         2. CATEGORY: info with {{\"topic\": \"CATEGORY\"}} lists its tools. Skip what you know already.\n\
         3. TOOL: info with {{\"topic\": \"TOOL\"}} gives parameters, returns and examples. Ask before a tool's \
         first call, and only for what you are about to use. {call}"
    )
}

/// The description of a category that was not declared.
pub fn tools_such_as(names: &[&str], more: bool) -> String {
    format!("{}{}", names.join(", "), if more { ", …" } else { "" })
}

/// What stands in a category's answer where a tool has its name, too.
pub fn also_a_tool(topic: &str) -> String {
    format!("A tool has this name, too: its topic is {topic}")
}

/// The answer to a topic that nobody has (004 "Implementation Pattern").
pub fn unknown_topic(topic: &str) -> String {
    format!("Unknown topic: {topic}")
}

/// The answer to a call of a tool that nobody has.
pub fn unknown_tool(name: &str) -> String {
    format!("Unknown tool: {name}")
}

/// What the topic should have been.
pub const EXPECTED_TOPIC: &str = "a string: overview, a category, or a tool";

/// What the arguments should have been.
pub const EXPECTED_OBJECT: &str = "a JSON object";

/// What is said of an argument that is not there.
pub const NOTHING: &str = "nothing";

/// What is said of an argument that `info` does not have.
pub const NO_SUCH_ARGUMENT: &str = "an argument of that name";

/// What should have been there instead.
pub const ONLY_TOPIC: &str = "topic, and nothing else";

/// What `tool` should have been.
pub const EXPECTED_TOOL: &str = "a string: the name of the tool to run";

/// What `tool` should have been, where it was `invoke`.
pub const NOT_ITSELF: &str = "the name of another tool; invoke runs others, not itself";

/// What an argument should have been that was given twice.
pub const ONE_PLACE: &str = "one value: it stands in arguments and beside them, and the two differ";

/// Said of parameters where the schema names none and keeps none out.
pub const OPEN: &str = "No parameters are described; any are accepted.";

/// Said of a value of which there is too much to say.
pub const TOO_LONG: &str = "More could be said of it than there is room for.";

/// Said instead of an array that is too long.
pub fn long_array(count: usize) -> String {
    format!("(an array of {count} items)")
}

/// Said instead of an object that is too long.
pub fn long_object(count: usize) -> String {
    format!("(an object of {count} members)")
}

/// Said of parameters that are too many.
pub fn more_parameters(count: usize) -> String {
    match count {
        0 => TOO_LONG.to_owned(),
        1 => "1 more parameter is not shown.".to_owned(),
        count => format!("{count} more parameters are not shown."),
    }
}

/// Said of a value that contains values like itself.
pub fn again(name: &str) -> String {
    format!("Like {name} around it")
}

/// Said of a value that is described where nobody looks.
pub fn elsewhere(reference: &str) -> String {
    format!("Described elsewhere: {reference}")
}

/// Said of an object whose members there is no room to describe.
pub fn members(names: &[String]) -> String {
    if names.is_empty() { TOO_LONG.to_owned() } else { format!("With members {}", names.join(", ")) }
}

/// One of these members.
pub fn member(name: &str, required: bool) -> String {
    format!("{name}{}", if required { " (required)" } else { "" })
}

/// The name under which members without a name of their own are described.
pub fn other_names(pattern: Option<String>) -> String {
    match pattern {
        Some(pattern) => format!("(names matching {pattern})"),
        None => "(any other name)".to_owned(),
    }
}

/// A meaning, and those of the alternatives under it.
pub fn meaning_and(meaning: Option<String>, alternatives: &[String]) -> Option<String> {
    let alternatives = alternatives.join("; ");
    match meaning {
        _ if alternatives.is_empty() => meaning,
        Some(meaning) => Some(format!("{meaning} ({alternatives})")),
        None => Some(alternatives),
    }
}

/// What one of several values means.
pub fn value_means(value: &Value, meaning: &str) -> String {
    format!("{}: {meaning}", value.as_str().map_or_else(|| value.to_string(), str::to_owned))
}

/// Items that must differ.
pub const UNIQUE: &str = "no two alike";

/// A range of numbers: bounds that belong to it, and bounds that do not.
pub fn range(
    least: Option<&Number>,
    above: Option<&Number>,
    most: Option<&Number>,
    below: Option<&Number>,
) -> Option<String> {
    if let (Some(least), None, Some(most), None) = (least, above, most, below) {
        return Some(format!("{least} to {most}"));
    }
    let low =
        above.map(|above| format!("more than {above}")).or(least.map(|least| format!("at least {least}")));
    let high = below.map(|below| format!("less than {below}")).or(most.map(|most| format!("at most {most}")));
    let bounds: Vec<String> = low.into_iter().chain(high).collect();
    (!bounds.is_empty()).then(|| bounds.join(" and "))
}

/// How many characters, items or members.
pub fn count(least: Option<&Number>, most: Option<&Number>, unit: &str) -> Option<String> {
    let units = |last: &Number| format!("{unit}{}", if last.as_u64() == Some(1) { "" } else { "s" });
    Some(match (least, most) {
        (Some(least), Some(most)) if least == most => format!("exactly {most} {}", units(most)),
        (Some(least), Some(most)) => format!("{least} to {most} {}", units(most)),
        (Some(least), None) => format!("at least {least} {}", units(least)),
        (None, Some(most)) => format!("at most {most} {}", units(most)),
        (None, None) => return None,
    })
}

/// A step between numbers.
pub fn multiple_of(step: &Number) -> String {
    format!("a multiple of {step}")
}

/// A regular expression.
pub fn matching(pattern: &str) -> String {
    format!("matching {pattern}")
}

/// An encoding of bytes as text.
pub fn encoded(encoding: &str) -> String {
    format!("{encoding}-encoded")
}

/// Said of a value of which nothing is known.
pub const ANYTHING: &str = "any";

/// What a value is, and what it means.
pub fn phrase(kind: &str, meaning: &str) -> String {
    format!("{kind}: {meaning}")
}

/// Values of which one holds.
pub fn one_of(values: &[String], more: bool) -> String {
    format!("one of {}{}", values.join(", "), if more { ", …" } else { "" })
}

/// Descriptions of which one holds.
pub fn either(alternatives: &[String]) -> String {
    format!("either {}", alternatives.join("; or "))
}

/// An array by its items.
pub fn array_of(items: &str) -> String {
    format!("array of {items}")
}

/// An object by its members.
pub fn object_with(names: &[&str], more: bool) -> String {
    format!("object with {}{}", names.join(", "), if more { ", …" } else { "" })
}
