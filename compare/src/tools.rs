//! Each tool by itself under each strategy.

use crate::{
    Error,
    bench::Bench,
    probe::{Doors, Manner, Probe},
    report::{ToolCost, ToolCosts},
};

/// A session may fetch 60 times a minute (000 §10.3).
const PER_CONNECTION: usize = 50;

/// What each tool costs in the list, and learned alone.
pub(crate) async fn costs(
    bench: &Bench<'_>,
    doors: &Doors,
    strategies: &[String],
    used: &[String],
) -> Result<Vec<ToolCosts>, Error> {
    let tools = &bench.subject.tools;
    let of = |name: &String| ToolCosts { name: name.clone(), used: used.contains(name), costs: Vec::new() };
    let mut costs: Vec<ToolCosts> = tools.iter().map(|tool| of(&tool.name)).collect();
    for strategy in strategies {
        for costs in costs.chunks_mut(PER_CONNECTION) {
            let mut probe = Probe::open(bench, doors, strategy, Manner::Native).await?;
            for tool in costs {
                let listed_tokens = probe.listed_tokens(&tool.name);
                let steps = probe.learn(&[&tool.name]).await?;
                // Finding it is shared with its neighbours; how it is used is its own.
                let learned_tokens =
                    steps.map(|steps| steps.last().map_or(0, |describing| describing.tokens.both()));
                tool.costs.push(ToolCost { listed_tokens, learned_tokens });
            }
            probe.host.close().await;
        }
    }
    Ok(costs)
}
