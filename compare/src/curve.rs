//! What a strategy costs the more tools are used, and from where on it costs more than no disclosure. Found by
//! running: each point is a connection of its own, on which so many tools are learned.

use crate::{
    Error,
    bench::Bench,
    probe::{Doors, Manner, Probe},
    report::Point,
};

/// A curve has at most so many points, but for those that the search for the break-even adds.
const MOST_POINTS: usize = 64;

/// And ends here: a session may fetch 60 times a minute, 64 definitions each, and nobody uses more tools.
const MOST_TOOLS: usize = 3_000;

/// Total tokens against the number of tools used.
pub(crate) struct Curve {
    pub(crate) points: Vec<Point>,
    /// The smallest number of tools at which it costs more than the limit.
    pub(crate) break_even: Option<usize>,
}

impl Curve {
    /// Runs a strategy with growing samples. `initial` is what stands at the start, `limit` what no disclosure
    /// costs, however many tools are used.
    pub(crate) async fn run(
        bench: &Bench<'_>,
        doors: &Doors,
        strategy: &str,
        initial: u64,
        limit: u64,
    ) -> Result<Self, Error> {
        let names: Vec<&str> = bench.subject.sample(MOST_TOOLS).iter().map(|tool| &*tool.name).collect();
        let mut points = Vec::new();
        for count in counts(names.len()) {
            match at(bench, doors, strategy, &names[..count], initial).await? {
                Some(point) => points.push(point),
                // What learning costs is unknown.
                None => return Ok(Self { points, break_even: None }),
            }
        }
        // A larger sample holds the smaller ones, so costs only grow, and the first one over the limit can be
        // searched for between two points.
        let Some(over) = points.iter().position(|point| point.tokens > limit) else {
            return Ok(Self { points, break_even: None });
        };
        let mut above = points[over].tools;
        let mut below = over.checked_sub(1).map(|before| points[before].tools);
        while let Some(least) = below.filter(|below| above - below > 1) {
            let middle = least.midpoint(above);
            let Some(point) = at(bench, doors, strategy, &names[..middle], initial).await? else { break };
            if point.tokens > limit {
                above = middle;
            } else {
                below = Some(middle);
            }
            points.push(point);
        }
        points.sort_by_key(|point| point.tools);
        Ok(Self { points, break_even: Some(above) })
    }
}

async fn at(
    bench: &Bench<'_>,
    doors: &Doors,
    strategy: &str,
    names: &[&str],
    initial: u64,
) -> Result<Option<Point>, Error> {
    let mut probe = Probe::open(bench, doors, strategy, Manner::Native).await?;
    let steps = probe.learn(names).await?;
    probe.host.close().await;
    let tokens = |step: &crate::probe::Step| step.tokens.both();
    Ok(steps
        .map(|steps| Point { tools: names.len(), tokens: initial + steps.iter().map(tokens).sum::<u64>() }))
}

/// Numbers of tools to run with: all, or so many of them in equal steps.
fn counts(tools: usize) -> Vec<usize> {
    let steps = tools.min(MOST_POINTS);
    (0..=steps).map(|step| (step * tools).checked_div(steps).unwrap_or(0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_or_equal_steps_to_the_last() {
        assert_eq!(counts(3), [0, 1, 2, 3]);
        assert_eq!(counts(0), [0]);
        let many = counts(1000);
        assert_eq!((many.len(), many[0], many[1], many[64]), (65, 0, 15, 1000));
    }
}
