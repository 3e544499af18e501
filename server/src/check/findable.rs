//! Which tools labelled queries do not find under `search` (docs/CONTRACT.md S7).

use mcp_disclosure_compare::{Query, is_label_of, unknown_tool};
use mcp_disclosure_core::{View, VisibleTool};
use mcp_disclosure_ranking::{BuiltIn, Match, Query as Words, Ranking};

use super::{Findings, Place, rules};

/// The number of hits that a model reads.
const FIRST: usize = 5;

/// Looks for every query in what a view lists.
pub fn findable(view: &View, ranker: &BuiltIn, queries: &[Query], findings: &mut Findings) {
    for query in queries {
        let right: Vec<VisibleTool<'_>> =
            query.tools.iter().filter_map(|label| labelled(view, label, query, findings)).collect();
        let ranking = ranker.rank_now(view, &Words::new(&query.text, FIRST));
        match (right.first(), query.tools.is_empty()) {
            (Some(_), _) => look(view, ranker, query, &right, &ranking, findings),
            (None, true) => look_for_none(query, &ranking, findings),
            // None of its labels is known, which is a finding already.
            (None, false) => {}
        }
    }
}

fn look(
    view: &View,
    ranker: &BuiltIn,
    query: &Query,
    right: &[VisibleTool<'_>],
    ranking: &Ranking,
    findings: &mut Findings,
) {
    // What other upstreams define alike is found with it, as one hit.
    let is_right = |name: &str| {
        let original = view.tool(name).map(|found| found.tool().original());
        right.iter().any(|tool| **tool.name() == *name || Some(tool.tool().original()) == original)
    };
    let found = ranking.hits.iter().position(|hit| is_right(&hit.name));
    let (rule, others) = match found {
        Some(0) => return,
        Some(place) => (rules::FOUND_LATER, &ranking.hits[..place]),
        None => (rules::NOT_FOUND, &ranking.hits[..]),
    };
    let others: Vec<&str> = others.iter().map(|hit| hit.name.as_str()).collect();
    let found = if others.is_empty() { "nothing".to_owned() } else { others.join(", ") };
    // One of several right tools is enough; the first label is the one to mend.
    let lacking = ranker.lacking(view, right[0].name(), &query.text);
    let lacking =
        if lacking.is_empty() { String::new() } else { format!("; the tool lacks: {}", lacking.join(", ")) };
    findings.add(rule, Place::from(right[0].tool()), format!("{:?} finds {found}{lacking}", query.text));
}

fn look_for_none(query: &Query, ranking: &Ranking, findings: &mut Findings) {
    let strong = ranking.hits.iter().filter(|hit| hit.matched != Match::Weak);
    let strong: Vec<&str> = strong.map(|hit| hit.name.as_str()).collect();
    if !strong.is_empty() {
        findings.add(
            rules::FOUND_WRONGLY,
            Place::default(),
            format!("{:?} finds {}", query.text, strong.join(", ")),
        );
    }
}

/// The tool that a label names: as it is served, or by its upstream and the name there, with `:`, `/` or `__` between them.
fn labelled<'v>(
    view: &'v View,
    label: &str,
    query: &Query,
    findings: &mut Findings,
) -> Option<VisibleTool<'v>> {
    let is_meant =
        |tool: &VisibleTool<'_>| is_label_of(label, tool.tool().upstream(), tool.tool().upstream_name());
    let found = view.tool(label).or_else(|| view.tools().find(is_meant));
    if found.is_none() {
        let unknown = unknown_tool(label, view.tools().map(|tool| tool.name().as_str()));
        findings.add(rules::UNKNOWN_LABEL, Place::default(), format!("{}: {unknown}", query.place));
    }
    found
}
