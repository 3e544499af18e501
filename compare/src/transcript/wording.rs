//! What happens in a step, as a sentence after the speaker's name.

use mcp_disclosure_client::Concerns;

use super::{Behavior, gist};
use crate::{
    agent::Task,
    baseline::{Baseline, Listed},
    text::of,
};

/// The server's instructions.
pub(super) const INTRODUCED: &str = "says how its tools are used";

/// What a list of tools shows of the source's tools, and what it adds.
pub(super) fn listed(list: &Listed, source: &Baseline) -> String {
    let names = list.tools().iter().filter_map(|tool| tool.string("name"));
    let (tools, own): (Vec<String>, Vec<String>) = names.partition(|name| source.serves(name, list));
    let (count, listed) = (source.len(), tools.len());
    let complete = tools.iter().filter(|name| list.shows_use(name)).count();
    let is_alike = complete == 0 || complete == listed;
    let some = if is_alike && listed < count {
        format!("{listed} of {}", of(count, "tool"))
    } else {
        of(listed, "tool")
    };
    let shown = match complete {
        _ if listed == 0 => format!("lists none of the {}", of(count, "tool")),
        0 => format!("lists {some}, without parameters"),
        _ if is_alike => format!("lists {some}, with parameters"),
        _ => format!("lists {some}, {complete} of them with parameters"),
    };
    match own.as_slice() {
        [] => shown,
        own => format!("{shown}; adds {}", own.join(" and ")),
    }
}

/// A list of resources that the strategy adds.
pub(super) fn listed_resources(count: usize) -> String {
    format!("lists {}, for descriptions", of(count, "resource"))
}

/// A model that finds no tool for its task.
pub(super) const MISSED: &str = "finds no tool that does this";

/// The host's choices.
pub(super) fn chose(choices: &Concerns) -> String {
    let each = choices.iter().map(|(name, value)| format!("{name} = {}", value.to_string().replace('"', "")));
    format!("chooses {}", each.collect::<Vec<_>>().join(", "))
}

/// The model's choice of a tool.
pub(super) fn picked(tool: &str, list: &Listed) -> String {
    match list.tool(tool) {
        None => "looks for a tool, since none of the list does this".to_owned(),
        Some(_) if list.shows_use(tool) => format!("picks {tool}, and knows its parameters from the list"),
        Some(_) => format!("picks {tool} by its short description"),
    }
}

/// A request to find or to learn, as written; `searches` where it is that of finding tools by words.
pub(super) fn asked(text: &str, task: &Task, mistake: Option<&Task>, searches: bool) -> String {
    match mistake.filter(|wrong| wrong.tool != task.tool && names(text, &wrong.tool)) {
        Some(wrong) => format!("asks how to use {}, which does not exist", wrong.tool),
        None if names(text, &task.tool) => format!("asks how to use {}", task.tool),
        None if searches => "searches by words of the task".to_owned(),
        None => "asks what there is".to_owned(),
    }
}

/// The answer to it.
pub(super) const EXPLAINED: &str = "explains";

/// A call, right or mistaken; `attempt` is from 1.
pub(super) fn called(task: &Task, mistake: Option<&Task>, behavior: Behavior, attempt: usize) -> String {
    match (mistake, behavior) {
        (Some(wrong), Behavior::UnknownName) => format!("calls {}, which does not exist", wrong.tool),
        (Some(wrong), Behavior::WrongArgument) => format!("calls {}, with a wrong argument", wrong.tool),
        (Some(wrong), _) => format!("calls {}, guessing its parameters", wrong.tool),
        (None, _) if attempt == 1 => format!("calls {}", task.tool),
        (None, _) => format!("calls {} again", task.tool),
    }
}

/// Whether a request has this name, whole, in a string or as a URI's last parameter.
fn names(text: &str, name: &str) -> bool {
    text.contains(&format!("\"{name}\"")) || text.contains(&format!("={name}\""))
}

/// An error in answer to a request or a call.
pub(super) fn refused(text: &str) -> String {
    match gist::code(text) {
        Some(code) => format!("refuses: {code}"),
        None => "refuses".to_owned(),
    }
}

/// The result of a call.
pub(super) const RETURNED: &str = "answers";
