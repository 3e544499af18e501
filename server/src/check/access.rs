//! What `[[principals]]` and `[profiles]` say of what nobody lists, and entries that nobody reaches.

use mcp_disclosure_core::{Kind, Pattern, View};
use mcp_disclosure_gateway as gateway;

use super::{Finding, Findings, Place, Rule, Severity, serving::IDLE_RULE};
use crate::config::DisclosureFile;

const SHADOWED: Rule = Rule {
    code: "shadowed-principal",
    severity: Severity::Warning,
    summary: "an entry of [[principals]] is never used",
    hint: "an earlier entry matches whoever it matches: move it up, or leave it out",
};

/// Everything that is found in what a file says of access, among all that is served.
pub fn access(file: &DisclosureFile, everything: &View) -> Findings {
    let mut findings = Vec::new();
    for (at, (place, entry)) in file.principals.iter().enumerate() {
        let what = format!("principal '{}'", entry.name);
        findings.extend(idle(&what, place, entry.tools.as_deref(), entry.prompts.as_deref(), everything));
        let is_reached = entry.token.is_none() && entry.claims.is_none();
        let mut earlier = file.principals[..at].iter().filter(|_| !is_reached);
        let hides = |(_, other): &&(gateway::Place, crate::config::PrincipalEntry)| {
            let for_everyone = other.claims.as_ref().is_some_and(serde_json::Map::is_empty);
            (other.token == entry.token && other.claims == entry.claims)
                || (for_everyone && entry.claims.is_some())
        };
        if let Some((_, other)) = earlier.find(hides) {
            findings.push(finding(SHADOWED, place, format!("{what}, by '{}'", other.name)));
        }
    }
    for (name, place, entry) in &file.profiles.0 {
        let what = format!("profiles.{name}");
        findings.extend(idle(&what, place, entry.tools.as_deref(), entry.prompts.as_deref(), everything));
    }
    Findings(findings)
}

/// The patterns that match no tool and no prompt.
fn idle(
    what: &str,
    place: &gateway::Place,
    tools: Option<&[String]>,
    prompts: Option<&[String]>,
    everything: &View,
) -> Vec<Finding> {
    let is_idle = |text: &&String, names: &[(&str, &str)]| {
        let pattern = Pattern::new(text);
        **text != "*" && !names.iter().any(|(upstream, own)| pattern.names(upstream, own))
    };
    let of_tools: Vec<(&str, &str)> =
        everything.tools().map(|tool| (&**tool.tool().upstream(), &**tool.tool().upstream_name())).collect();
    let of_prompts: Vec<(&str, &str)> =
        everything.entries(Kind::Prompts).map(|entry| (&**entry.upstream(), entry.upstream_key())).collect();
    let tools = tools.unwrap_or_default().iter().filter(|text| is_idle(text, &of_tools));
    let prompts = prompts.unwrap_or_default().iter().filter(|text| is_idle(text, &of_prompts));
    let tools = tools.map(|text| format!("{what}: tools: '{text}' matches nothing"));
    let prompts = prompts.map(|text| format!("{what}: prompts: '{text}' matches nothing"));
    tools.chain(prompts).map(|detail| finding(IDLE_RULE, place, detail)).collect()
}

fn finding(rule: Rule, place: &gateway::Place, detail: String) -> Finding {
    let place = Place {
        file: Some(place.file.to_string()),
        line: Some(place.line),
        column: Some(place.column),
        ..Place::default()
    };
    Finding { rule, place, detail, hint: None }
}
