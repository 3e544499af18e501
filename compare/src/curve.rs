//! The cost of a strategy by the number of used tools, and the number from which it exceeds that of `full`.
//!
//! All points are measured on one connection, on which more and more tools are learned, in the steps in which a host
//! learns them. The last step of a point that is not yet whole is made in addition, and counted for that point only.

use std::sync::Arc;

use crate::{
    Error, Row,
    bench::Bench,
    learning::AT_ONCE,
    listed::Listed,
    probe::{LinkFactory, Manner, Probe},
    report::Point,
};

/// Maximum number of points of a curve, without those that the search for the break-even adds.
const MOST_POINTS: usize = 64;

/// Sources with more tools are followed to the break-even only: beyond it a curve says nothing new, and each tool takes a
/// request.
const MOST_FOLLOWED: usize = 1_000;

/// Total tokens against the number of tools used.
pub(crate) struct Curve {
    pub(crate) points: Vec<Point>,
    /// The smallest number of tools whose cost exceeds the limit.
    pub(crate) break_even: Option<usize>,
}

impl Curve {
    /// Runs a strategy with samples of growing size. `initial` is the cost at the start, `limit` the cost of `full`,
    /// which does not depend on the number of used tools.
    pub(crate) async fn run(
        bench: &Bench<'_>,
        links: &LinkFactory,
        row: &Row,
        listed: &Arc<Listed>,
        initial: u64,
        limit: u64,
    ) -> Result<Self, Error> {
        let tools = bench.subject.tools().len();
        let names: Vec<&str> = bench.subject.sample(tools).iter().map(|tool| &*tool.name).collect();
        let wanted = counts(tools);
        let mut curve = Self { points: Vec::new(), break_even: None };
        curve.add(0, initial, limit);
        let mut probe = Probe::enter(bench, links, row, Manner::Plain, Arc::clone(listed)).await?;
        let (mut before, mut tokens) = (0, initial);
        for step in names.chunks(AT_ONCE) {
            let after = before + step.len();
            let browsing = probe.browsing.clone();
            let Some(added) = probe.learn(step).await? else { break };
            let whole = tokens + added.iter().map(|step| step.tokens.both()).sum::<u64>();
            // A larger sample contains the smaller ones, so costs only grow.
            let crosses = curve.break_even.is_none() && whole > limit;
            let so_far = std::mem::replace(&mut probe.browsing, browsing);
            for count in (before + 1)..after {
                let is_sought = crosses && curve.break_even.is_none();
                if is_sought || wanted.binary_search(&count).is_ok() {
                    let part = probe.try_learning(&step[..count - before]).await?.unwrap_or(0);
                    curve.add(count, tokens + part, limit);
                }
            }
            probe.browsing = so_far;
            if (crosses && curve.break_even.is_none()) || wanted.binary_search(&after).is_ok() {
                curve.add(after, whole, limit);
            }
            (before, tokens) = (after, whole);
            if tools > MOST_FOLLOWED && curve.break_even.is_some() {
                break;
            }
        }
        probe.host.close().await;
        Ok(curve)
    }

    fn add(&mut self, tools: usize, tokens: u64, limit: u64) {
        self.points.push(Point { tools, tokens });
        if tokens > limit && self.break_even.is_none() {
            self.break_even = Some(tools);
        }
    }
}

/// The numbers of tools to run with: all, or [`MOST_POINTS`] of them in equal steps.
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
