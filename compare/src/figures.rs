//! Figures that are computed from courses of a task: sums and shares.

use crate::{
    Row,
    report::{CallTokens, Compared, Costs, Detail, InitialTokens, StepTokens},
    transcript::{Act, Course, Kind},
};

/// The figures of a strategy, from the workflow of an ordinary host, and that of a client that supports the strategy.
pub(crate) fn compared(
    row: &Row,
    turns: u64,
    [course, negotiating]: [&Course; 2],
    break_even: Option<usize>,
    baseline: Option<&Compared>,
) -> Compared {
    let costs = sums(course, turns);
    let full = baseline.map_or(costs, |full| full.costs);
    let saving = |of: fn(Costs) -> Option<u64>| Some(share_saved(of(costs)?, of(full)?));
    Compared {
        name: row.name.clone(),
        costs,
        initial_saving: share_saved(costs.initial_tokens, full.initial_tokens),
        total_saving: saving(|costs| costs.total_tokens),
        wire_bytes: course.traffic.bytes(),
        break_even_tools: break_even,
        conversation_saving: saving(|costs| costs.conversation_tokens),
        steps: course.learning.as_ref().map(|steps| steps.len() + course.called),
        negotiating: sums(negotiating, turns),
        not_offered: row.not_offered.clone(),
        also: Vec::new(),
        detail: Detail {
            initial: initial(&course.act),
            steps: course.learning.clone().unwrap_or_default(),
            calls: calls(course, baseline),
        },
    }
}

/// The texts of the model's context at the start.
pub(crate) fn shown(act: &Act) -> String {
    let start = act.steps.iter().filter(|step| step.kind.is_start());
    start.map(|step| step.text.as_str()).collect()
}

fn initial(act: &Act) -> InitialTokens {
    let of = |kind| act.steps.iter().filter(|step| step.kind == kind).map(|step| step.tokens).sum();
    InitialTokens { tools: of(Kind::Listed), instructions: of(Kind::Introduced) }
}

/// The sums of one course.
fn sums(course: &Course, turns: u64) -> Costs {
    let (initial, steps) = (course.act.start_tokens, course.learning.as_deref());
    let discovery = steps.map(|steps| steps.iter().map(|step| step.both()).sum());
    Costs {
        initial_tokens: initial,
        discovery_tokens: discovery,
        total_tokens: discovery.map(|discovery| initial + discovery),
        conversation_tokens: steps.map(|steps| conversation(initial, steps, turns)),
        round_trips: course.traffic.round_trips,
    }
}

/// The tokens that a model reads over a conversation in which the whole context is sent with every request: `turns`
/// requests for the task itself, preceded by one for each step of learning. What a step adds is in every later request.
fn conversation(initial: u64, steps: &[StepTokens], turns: u64) -> u64 {
    let requests = turns + steps.len() as u64;
    let learned = steps.iter().zip(1..).map(|(step, number)| step.both() * (requests - number));
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

fn calls(course: &Course, baseline: Option<&Compared>) -> CallTokens {
    let tokens = course.act.call_tokens;
    let without = baseline.map_or(tokens, |full| full.detail.calls.tokens);
    let more = tokens.cast_signed() - without.cast_signed();
    let overhead_tokens = more / i64::try_from(course.called.max(1)).unwrap_or(i64::MAX);
    CallTokens { tokens, overhead_tokens, failed: course.failed }
}
