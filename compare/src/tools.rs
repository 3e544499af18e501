//! The cost of each single tool under each strategy.

use std::sync::Arc;

use crate::{
    Error, Row,
    bench::Bench,
    listed::Listed,
    probe::{LinkFactory, Manner, Probe},
    report::{ToolCost, ToolCosts},
};

/// Maximum number of tools that are each learned alone.
pub(crate) const MOST_TOOLS: usize = 1_000;

/// The cost of each tool in the list, and of learning it alone.
pub(crate) async fn costs(
    bench: &Bench<'_>,
    links: &LinkFactory,
    rows: &[(&Row, Arc<Listed>)],
    used: &[String],
) -> Result<Vec<ToolCosts>, Error> {
    let tools = &bench.subject.tools;
    let of = |name: &String| ToolCosts { name: name.clone(), used: used.contains(name), costs: Vec::new() };
    let mut costs: Vec<ToolCosts> = tools.iter().map(|tool| of(&tool.name)).collect();
    for (row, listed) in rows {
        let mut probe = Probe::enter(bench, links, row, Manner::Plain, Arc::clone(listed)).await?;
        for tool in &mut costs {
            let listed_tokens = probe.listed_tokens(&tool.name);
            let steps = probe.learn(&[&tool.name]).await?;
            // The step of finding it is shared with other tools of its category, and not counted.
            let learned_tokens =
                steps.map(|steps| steps.last().map_or(0, |describing| describing.tokens.both()));
            tool.costs.push(ToolCost { listed_tokens, learned_tokens });
        }
        probe.host.close().await;
    }
    Ok(costs)
}
