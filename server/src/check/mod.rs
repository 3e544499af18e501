//! `check`: what would mislead a model or a host, in everything that would be served.
//!
//! A family of findings is a file of small functions over a [`Subject`], or over each of its tools, and stands in
//! `OF_ALL` or `OF_TOOL`; what a finding is called and means is a row of `rules`.

mod access;
mod concerns;
mod findable;
mod finding;
mod internal;
mod invisible;
mod markup;
mod orders;
mod pins;
mod report;
mod rules;
mod schemas;
mod serving;
mod texts;

use std::sync::Arc;

pub use access::{access, callers};
pub use findable::findable;
pub use finding::{Finding, Findings, Place, Rule, Severity};
use mcp_disclosure_core::{Principal, RawObject, Snapshot, Tool, View};
pub use report::{Report, Seen, SignInState};
pub use rules::CODES;
pub(crate) use rules::{LEFT_OUT, NO_KEYS, NOT_SERVED};
use serde_json::{Map, Value};
pub use serving::{objections, refusals, unpassed, unreachable};

/// The number of other tools that a finding names.
const MOST_NAMED: usize = 3;

/// What is checked: everything that would be served to a caller who may use all of it.
#[derive(Debug)]
pub struct Subject {
    snapshot: Arc<Snapshot>,
    view: View,
}

/// A tool, whose texts are parsed once for all families.
struct Read<'s> {
    tool: &'s Tool,
    /// The members of its definition. What cannot be parsed, since it nests too deep, is null.
    definition: Map<String, Value>,
    /// What its description file, or its upstream beside the definition, says.
    supplement: Map<String, Value>,
}

impl<'s> Read<'s> {
    fn of(tool: &'s Tool) -> Self {
        let parsed = |object: &RawObject| -> Map<String, Value> {
            let value = |text| serde_json::from_str(text).unwrap_or_default();
            object.iter().map(|(key, text)| (key.to_owned(), value(text))).collect()
        };
        let supplement = tool.supplement().parts.as_ref().map(parsed).unwrap_or_default();
        Self { tool, definition: parsed(tool.definition()), supplement }
    }

    /// Visits every text that models read of it, with the members that lead there, and whether it is a member's name.
    fn each_text(&self, mut visit: impl FnMut(&[&str], &str, bool)) {
        for object in [&self.definition, &self.supplement] {
            each_text_of(object, &mut Vec::new(), &mut visit);
        }
    }
}

/// Visits the names and the strings of an object and of all that is in it.
fn each_text_of<'v>(
    object: &'v Map<String, Value>,
    path: &mut Vec<&'v str>,
    visit: &mut impl FnMut(&[&str], &str, bool),
) {
    for (name, value) in object {
        visit(path, name, true);
        path.push(name);
        each_string_of(value, path, visit);
        path.pop();
    }
}

fn each_string_of<'v>(
    value: &'v Value,
    path: &mut Vec<&'v str>,
    visit: &mut impl FnMut(&[&str], &str, bool),
) {
    match value {
        Value::String(text) => visit(path, text, false),
        Value::Array(items) => items.iter().for_each(|item| each_string_of(item, path, visit)),
        Value::Object(members) => each_text_of(members, path, visit),
        _ => {}
    }
}

/// What is looked for in each tool.
const OF_TOOL: [fn(&Subject, &Read<'_>, &mut Findings); 6] =
    [serving::look, texts::look, texts::names, schemas::look, internal::look, orders::in_tool];

/// What is looked for in everything.
const OF_ALL: [fn(&Subject, &mut Findings); 5] =
    [serving::oddities, texts::repeated, pins::look, orders::elsewhere, concerns::look];

impl Subject {
    /// What would be served of this snapshot.
    pub fn new(snapshot: Arc<Snapshot>) -> Self {
        let view = View::of(Arc::clone(&snapshot), &Principal::anonymous());
        Self { snapshot, view }
    }

    /// Everything that is found in it.
    pub fn look(&self) -> Findings {
        let mut findings = Findings::default();
        for tool in self.tools() {
            let read = Read::of(tool);
            OF_TOOL.iter().for_each(|look| look(self, &read, &mut findings));
        }
        OF_ALL.iter().for_each(|look| look(self, &mut findings));
        findings
    }

    fn tools(&self) -> impl Iterator<Item = &Tool> {
        self.view.tools().map(|visible| visible.tool())
    }
}
