//! `check`: what would mislead a model or a host, in everything that would be served.
//!
//! A family of findings is a file; a finding is a [`Rule`] and a small function over a [`Subject`]. A new one is
//! both, and a line in `FAMILIES`.

mod access;
mod concerns;
mod drift;
mod examples;
mod findable;
mod finding;
mod instructions;
mod invisible;
mod leaks;
mod names;
mod orders;
mod pins;
mod report;
mod schemas;
mod seen;
mod serving;
mod texts;

use std::sync::Arc;

pub use access::{access, callers};
pub use findable::findable;
pub use finding::{Finding, Findings, Place, Rule, Severity};
use mcp_disclosure_core::{Principal, Snapshot, Tool, View};
pub use report::{Report, SignInState};
pub use seen::Seen;
use serde_json::Value;
pub use serving::{left_out, objections, refusals, unpassed, unreachable, unserved};

/// Every code of a finding.
pub const CODES: [&str; 45] = [
    "audience-no-url",
    "brief-over-60",
    "brief-says-how",
    "description-repeats-name",
    "drifted-definition",
    "example-does-not-fit",
    "found-later",
    "found-wrongly",
    "instructs-the-model",
    "internal-host",
    "internal-path",
    "left-out",
    "many-pins",
    "matches-nothing",
    "name-clash",
    "name-over-48",
    "name-over-60",
    "name-reveals-tool",
    "needs-tasks",
    "never-shown",
    "no-description",
    "no-example",
    "no-related",
    "no-returns",
    "not-found",
    "not-passed",
    "not-served",
    "odd-list",
    "odd-name",
    "pin-look-alike",
    "poor-brief",
    "refused",
    "repeated-description",
    "schema-not-checked",
    "schema-not-object",
    "shadowed-principal",
    "strategy-not-offered",
    "strategy-objects",
    "undeclared-concern",
    "undescribed-parameter",
    "unknown-label",
    "unknown-related",
    "unmatched-principal",
    "unreachable-upstream",
    "unused-concern",
];

/// What is checked: everything that would be served to a caller who may use all of it.
#[derive(Debug)]
pub struct Subject {
    snapshot: Arc<Snapshot>,
    view: View,
}

type Family = fn(&Subject, &mut Findings);

/// Everything that is looked for.
const FAMILIES: &[Family] = &[
    serving::oddities,
    drift::look,
    texts::look,
    names::look,
    pins::look,
    schemas::look,
    examples::look,
    leaks::look,
    instructions::look,
    concerns::look,
];

impl Subject {
    /// What would be served of this snapshot.
    pub fn new(snapshot: Arc<Snapshot>) -> Self {
        let view = View::of(Arc::clone(&snapshot), &Principal::anonymous());
        Self { snapshot, view }
    }

    /// Everything that is found in it.
    pub fn look(&self) -> Findings {
        let mut findings = Findings::default();
        FAMILIES.iter().for_each(|family| family(self, &mut findings));
        findings
    }

    /// What exists.
    pub fn view(&self) -> &View {
        &self.view
    }

    fn tools(&self) -> impl Iterator<Item = &Tool> {
        self.view.tools().map(|visible| visible.tool())
    }
}

/// A tool's schema, where it can be read.
fn schema(tool: &Tool, member: &str) -> Option<Value> {
    serde_json::from_str(tool.definition().member(member)?).ok()
}

#[cfg(test)]
mod tests {
    use super::CODES;

    #[test]
    fn w5_the_codes_are_those_of_all_rules() {
        let folder = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/src/check")).unwrap();
        let sources: Vec<String> =
            folder.map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap()).collect();
        let of_rules = sources.iter().flat_map(|source| source.split("\n    code: \"").skip(1));
        let mut codes: Vec<&str> = of_rules.filter_map(|rest| Some(rest.split_once('"')?.0)).collect();
        codes.sort_unstable();
        assert_eq!(codes, CODES);
    }
}
