//! What `[auth]`, `[[principals]]` and `[profiles]` say of what no upstream lists, entries that match no caller, and what clients
//! could learn by the names that they are served.

use std::sync::Arc;

use mcp_disclosure_core::{Kind, ListedResources, Pattern, Principal, Snapshot, View, VisibleTool, Warning};
use mcp_disclosure_gateway as gateway;
use serde_json::{Map, Value};

use super::{Findings, rules};
use crate::config::{DisclosureFile, PrincipalEntry, Written};

/// What is found in what a file says of who may use what, among all that is served.
pub fn access(file: &DisclosureFile, snapshot: &Arc<Snapshot>, findings: &mut Findings) {
    shadowed(file, findings);
    let everything = View::of(Arc::clone(snapshot), &Principal::anonymous());
    let names = Names::of(&everything, snapshot);
    for grant in file.grants() {
        names.idle(&grant, findings);
        let someone = Principal::anonymous().permitted(grant.permits());
        revealing(&grant, &everything, &View::of(Arc::clone(snapshot), &someone), findings);
    }
}

/// What no HTTP client can find or match.
pub fn callers(file: &DisclosureFile, findings: &mut Findings) {
    let Some((place, auth)) = &file.auth else { return };
    if let Some(jwt) = auth.jwt.as_ref().filter(|jwt| !jwt.names_a_url()) {
        findings.add(
            rules::NO_ADDRESS,
            place.into(),
            format!("auth.jwt.audience: '{}' is no URL", jwt.audience),
        );
    }
    for (place, entry) in &file.principals {
        let is_empty = |value: &Value| value.as_array().is_some_and(Vec::is_empty);
        let fits_none = |claims: &Map<String, Value>| claims.values().any(is_empty);
        if entry.token.is_none() && entry.claims.as_ref().is_none_or(fits_none) {
            findings.add(rules::UNMATCHED, place.into(), format!("principal '{}'", entry.name));
        }
    }
}

fn shadowed(file: &DisclosureFile, findings: &mut Findings) {
    for (at, (place, entry)) in file.principals.iter().enumerate() {
        let is_reached = entry.token.is_none() && entry.claims.is_none();
        let mut earlier = file.principals[..at].iter().filter(|_| !is_reached);
        let hides = |(_, other): &&(gateway::Place, PrincipalEntry)| match (&other.claims, &entry.claims) {
            (Some(other), Some(claims)) => cover(other, claims),
            (other_claims, claims) => other.token == entry.token && other_claims == claims,
        };
        if let Some((_, other)) = earlier.find(hides) {
            let detail = format!("principal '{}', by '{}'", entry.name, other.name);
            findings.add(rules::SHADOWED, place.into(), detail);
        }
    }
}

/// Whether every token with these claims has the others, too.
fn cover(others: &Map<String, Value>, claims: &Map<String, Value>) -> bool {
    let values = |value: &Value| value.as_array().cloned().unwrap_or_else(|| vec![value.clone()]);
    others.iter().all(|(name, other)| {
        let other = values(other);
        claims.get(name).is_some_and(|value| values(value).iter().all(|value| other.contains(value)))
    })
}

/// The tools that a grant permits and that have the name of their upstream because of one that it does not permit.
fn revealing(grant: &Written<'_>, everything: &View, seen: &View, findings: &mut Findings) {
    let is_qualified = |tool: &VisibleTool<'_>| tool.tool().key() == tool.tool().qualified();
    let is_permitted = |tool: &VisibleTool<'_>| seen.tool(tool.tool().key().as_str()).is_some();
    let (seen_ones, others): (Vec<_>, Vec<_>) =
        everything.tools().filter(is_qualified).partition(is_permitted);
    for tool in seen_ones {
        let is_twin = |other: &&VisibleTool<'_>| other.tool().upstream_name() == tool.tool().upstream_name();
        let Some(other) = others.iter().find(is_twin) else { continue };
        let (what, name, upstream) = (&grant.what, tool.tool().key(), other.tool().upstream());
        let detail = format!("{what}: '{name}' is served so because {upstream} has a tool of that name, too");
        findings.add(rules::REVEALING, grant.place.into(), detail);
    }
}

/// What there is, by upstream and own name.
struct Names<'a> {
    tools: Vec<(&'a str, &'a str)>,
    prompts: Vec<(&'a str, &'a str)>,
    resources: ListedResources,
}

impl<'a> Names<'a> {
    fn of(everything: &'a View, snapshot: &'a Snapshot) -> Self {
        let tools = everything.tools().map(|tool| tool.tool());
        let tools = tools.map(|tool| (&**tool.upstream(), &**tool.upstream_name()));
        // What is held is there as soon as it is accepted.
        let held = snapshot.warnings().iter().filter_map(|warning| match warning {
            Warning::Held { upstream, change } => Some((&**upstream, &*change.tool)),
            _ => None,
        });
        let prompts = everything.entries(Kind::Prompts);
        let prompts = prompts.map(|entry| (&**entry.upstream(), entry.upstream_key()));
        let resources =
            [Kind::Resources, Kind::Templates].into_iter().flat_map(|kind| everything.entries(kind));
        let resources = ListedResources::of(resources.map(|entry| (entry.upstream(), entry.upstream_key())));
        Self { tools: tools.chain(held).collect(), prompts: prompts.collect(), resources }
    }

    /// The patterns that match nothing that is listed.
    fn idle(&self, Written { what, place, grant, .. }: &Written<'_>, findings: &mut Findings) {
        let is_named = |names: &[(&str, &str)], text: &str| {
            let pattern = Pattern::new(text);
            names.iter().any(|(upstream, own)| pattern.names(upstream, own))
        };
        let mut report = |key: &str, list: &Option<Vec<String>>, is_listed: &dyn Fn(&str) -> bool| {
            for text in list.iter().flatten().filter(|text| **text != "*" && !is_listed(text)) {
                let detail = format!("{what}: {key}: '{text}' matches nothing");
                findings.add(rules::IDLE, (*place).into(), detail);
            }
        };
        report("tools", &grant.tools, &|text| is_named(&self.tools, text));
        report("prompts", &grant.prompts, &|text| is_named(&self.prompts, text));
        report("resources", &grant.resources, &|text| self.resources.has_some_of(text));
    }
}

#[cfg(test)]
mod tests {
    use mcp_disclosure_core::{RawObject, UpstreamLists, fixtures::named};

    use super::*;

    /// What is found in a file in front of two upstreams that both have `same`, by code and what it is about.
    fn found(text: &str) -> Vec<(&'static str, String)> {
        let listed = |key, uri| RawObject::empty().with_value("name", "x").with_value(key, uri).into_text();
        let upstreams = ["a", "b"].map(|name| UpstreamLists {
            resources: vec![listed("uri", "kit://doc"), listed("uri", "kit://a%20b")],
            templates: vec![listed("uriTemplate", "kit://page/{number}")],
            ..named(name, ["same", name])
        });
        let snapshot = Arc::new(Snapshot::build(&upstreams, &[]));
        let file = DisclosureFile::parse("disclosure.toml", text).unwrap();
        let mut findings = Findings::default();
        access(&file, &snapshot, &mut findings);
        callers(&file, &mut findings);
        findings.0.into_iter().map(|finding| (finding.rule.code, finding.detail)).collect()
    }

    #[test]
    fn r10_a_name_that_shows_a_tool_that_may_not_be_used_is_found() {
        let entry = |tools: &str| format!("[profiles.p]\ntools = [{tools}]\n");
        let detail = "profiles.p: 'a__same' is served so because b has a tool of that name, too";
        assert_eq!(found(&entry(r#""a/*""#)), [("name-reveals-tool", detail.to_owned())]);
        for quiet in [r#""a/a""#, r#""*/same""#, r#""*""#] {
            assert_eq!(found(&entry(quiet)), [], "{quiet}");
        }
    }

    #[test]
    fn a3_an_entry_that_no_client_matches_is_found() {
        let tokens = "[auth]\ntokens = [{ name = \"ci\", env = \"CI\" }]\n";
        let entries = "[[principals]]\nname = \"ci\"\ntoken = \"ci\"\n[[principals]]\nname = \"local\"\n";
        let unmatched = ("unmatched-principal", "principal 'local'".to_owned());
        assert_eq!(found(&format!("{tokens}{entries}")), [unmatched]);
        // Over stdio alone there is no other way.
        assert_eq!(found("[[principals]]\nname = \"local\"\n"), []);
        let twice = "[[principals]]\nname = \"again\"\ntoken = \"ci\"\n";
        let shadowed = ("shadowed-principal", "principal 'again', by 'ci'".to_owned());
        assert!(found(&format!("{tokens}{entries}{twice}")).contains(&shadowed));
        let jwt = "[auth.jwt]\nissuer = \"https://i\"\naudience = \"https://a\"\njwks_file = \"keys\"\n";
        let entry =
            |name: &str, claims: &str| format!("[[principals]]\nname = \"{name}\"\nclaims = {claims}\n");
        for (claims, later, codes) in [
            ("{ g = [\"x\", \"y\"] }", "{ g = \"x\", h = 1 }", vec!["shadowed-principal"]),
            ("{}", "{ g = \"x\" }", vec!["shadowed-principal"]),
            ("{ g = \"x\" }", "{ g = [\"x\", \"y\"] }", vec![]),
            ("{ g = \"x\" }", "{ h = \"x\" }", vec![]),
            ("{ g = \"x\" }", "{ h = [] }", vec!["unmatched-principal"]),
        ] {
            let text = format!("{jwt}{}{}", entry("one", claims), entry("two", later));
            let found = found(&text).into_iter().map(|(code, _)| code);
            assert_eq!(found.collect::<Vec<_>>(), codes, "{claims} {later}");
        }
    }

    #[test]
    fn a3_a_pattern_that_matches_nothing_is_found() {
        for (grant, pattern) in [
            (r#"tools = ["c/*"]"#, Some("tools: 'c/*'")),
            (r#"prompts = ["*"]"#, None),
            (r#"resources = ["a/x://*"]"#, Some("resources: 'a/x://*'")),
            (r#"resources = ["a/kit://d*", "*/kit://page/2", "a/kit://a b", "b/kit://a%20*"]"#, None),
            (r#"resources = ["kit://d*"]"#, Some("resources: 'kit://d*'")),
        ] {
            let found = found(&format!("[profiles.p]\n{grant}\n"));
            let said = |pattern| ("matches-nothing", format!("profiles.p: {pattern} matches nothing"));
            assert_eq!(found, pattern.map(said).into_iter().collect::<Vec<_>>(), "{grant}");
        }
    }

    #[test]
    fn a2_an_audience_that_leads_nowhere_is_found() {
        let jwt = |audience: &str| {
            format!("[auth.jwt]\nissuer = \"https://i\"\naudience = {audience:?}\njwks_file = \"keys\"\n")
        };
        assert_eq!(found(&jwt("https://tools.example.com/mcp")), []);
        for other in ["api://tools", "tools", "https:tools"] {
            let findings = found(&jwt(other));
            assert!(
                matches!(&findings[..], [("audience-no-url", detail)] if detail.contains(other)),
                "{findings:?}"
            );
        }
    }
}
