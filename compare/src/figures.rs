//! Figures that are computed from runs: sums, shares, medians.

use crate::{
    Row,
    probe::{Step, tokens},
    report::{CallTokens, Compared, Detail, InitialTokens, Negotiating, StepTokens},
    run::Run,
};

/// What was measured under one strategy.
pub(crate) struct Measured<'r> {
    /// The run of an ordinary host.
    pub(crate) run: &'r Run,
    /// The run of a client that supports the strategy.
    pub(crate) negotiating: Run,
    /// The smallest number of used tools at which an ordinary host reads more than under `full`.
    pub(crate) break_even: Option<usize>,
}

/// The figures of a strategy.
pub(crate) fn compared(
    row: &Row,
    turns: u64,
    measured: Measured<'_>,
    baseline: Option<&Compared>,
) -> Compared {
    let Measured { run, negotiating, break_even } = measured;
    let sums = Sums::of(run, turns);
    let whole = |tokens: Option<u64>, of: fn(&Compared) -> Option<u64>| {
        Some(share_saved(tokens?, baseline.map_or(tokens, of)?))
    };
    let native = Sums::of(&negotiating, turns);
    Compared {
        name: row.name.clone(),
        initial_tokens: sums.initial,
        discovery_tokens: sums.discovery,
        total_tokens: sums.total,
        initial_saving: whole(Some(sums.initial), |full| Some(full.initial_tokens)).unwrap_or(0.0),
        total_saving: whole(sums.total, |full| full.total_tokens),
        round_trips: run.traffic.round_trips(),
        wire_bytes: run.traffic.bytes(),
        break_even_tools: break_even,
        conversation_tokens: sums.conversation,
        conversation_saving: whole(sums.conversation, |full| full.conversation_tokens),
        steps: run.steps.as_ref().map(|steps| steps.len() + run.calls.len()),
        negotiating: Negotiating {
            initial_tokens: native.initial,
            discovery_tokens: native.discovery,
            total_tokens: native.total,
            conversation_tokens: native.conversation,
            round_trips: negotiating.traffic.round_trips(),
        },
        not_offered: row.not_offered.clone(),
        also: Vec::new(),
        detail: Some(Detail {
            initial: initial_tokens(run),
            steps: run.steps.iter().flatten().map(step_tokens).collect(),
            calls: calls(&run.calls, baseline),
        }),
    }
}

/// The sums of one run.
struct Sums {
    initial: u64,
    discovery: Option<u64>,
    total: Option<u64>,
    conversation: Option<u64>,
}

impl Sums {
    fn of(run: &Run, turns: u64) -> Self {
        let (initial, steps) = (run.start.total(), run.steps.as_deref());
        let discovery = steps.map(tokens);
        Self {
            initial,
            discovery,
            total: discovery.map(|discovery| initial + discovery),
            conversation: steps.map(|steps| conversation(initial, steps, turns)),
        }
    }
}

fn initial_tokens(run: &Run) -> InitialTokens {
    let start = run.start;
    InitialTokens { tools: start.tools, resources: start.resources, instructions: start.instructions }
}

/// The tokens that a model reads over a conversation in which the whole context is sent with every request: `turns`
/// requests for the task itself, preceded by one for each step of learning. What a step adds is in every later request.
fn conversation(initial: u64, steps: &[Step], turns: u64) -> u64 {
    let requests = turns + steps.len() as u64;
    let learned = steps.iter().zip(1..).map(|(step, number)| step.tokens.both() * (requests - number));
    initial * requests + learned.sum::<u64>()
}

/// The saved share, to a hundredth of a percent.
fn share_saved(tokens: u64, of: u64) -> f64 {
    if of == 0 {
        return 0.0;
    }
    let share = 1.0 - tokens as f64 / of as f64;
    (share * 1e4).round() / 1e4
}

fn step_tokens(step: &Step) -> StepTokens {
    StepTokens {
        requests: step.requests,
        request_tokens: step.tokens.request,
        answer_tokens: step.tokens.answer,
    }
}

fn calls(calls: &[(Step, bool)], baseline: Option<&Compared>) -> CallTokens {
    let sum = |tokens: fn(&Step) -> u64| calls.iter().map(|(step, _)| tokens(step)).sum::<u64>();
    let (request_tokens, answer_tokens) = (sum(|step| step.tokens.request), sum(|step| step.tokens.answer));
    let without = baseline.and_then(|full| full.detail.as_ref()).map(|detail| detail.calls);
    let without =
        without.map_or(request_tokens + answer_tokens, |calls| calls.request_tokens + calls.answer_tokens);
    let more = (request_tokens + answer_tokens).cast_signed() - without.cast_signed();
    CallTokens {
        count: calls.len(),
        request_tokens,
        answer_tokens,
        overhead_tokens: if calls.is_empty() {
            0
        } else {
            more / i64::try_from(calls.len()).unwrap_or(i64::MAX)
        },
        failed: calls.iter().filter(|(_, succeeded)| !succeeded).count(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seen::Tokens;

    #[test]
    fn a_conversation_reads_everything_again_with_every_request() {
        let step = |answer| Step { tokens: Tokens { request: 0, answer }, ..Step::default() };
        assert_eq!(conversation(100, &[], 10), 1000);
        // 100 in each of twelve requests; the first step in eleven of them, the second in ten.
        assert_eq!(conversation(100, &[step(5), step(7)], 10), 1200 + 5 * 11 + 7 * 10);
    }

    #[test]
    fn shares_are_of_the_whole() {
        assert_eq!((share_saved(20, 100), share_saved(150, 100), share_saved(1, 0)), (0.8, -0.5, 0.0));
    }
}
