//! What a comparison came to. One structure; `output` writes it in four ways.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::{Basis, Tokenizer, spread::Spread};

/// What a comparison came to.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// What people call the source.
    pub source: String,
    /// How many tools it has.
    pub tools: usize,
    /// How tokens were counted.
    pub tokenizer: Tokenizer,
    /// The tools that were used, in that order.
    pub used: Vec<String>,
    /// The strategies, the one without disclosure first.
    pub strategies: Vec<Compared>,
    /// How many requests to a model the conversation of [`Compared::conversation_tokens`] has.
    pub turns: u64,
    /// How clients were connected, such as `stdio`.
    pub transport: String,
    /// How many connections each time is the median of.
    pub repeats: usize,
    /// What each figure is worth, by its name in JSON.
    pub basis: BTreeMap<&'static str, Basis>,
    /// What a reader has to know of this report.
    pub notes: Vec<String>,
    /// Each tool by itself; with `--detail`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub per_tool: Vec<ToolCosts>,
}

/// One strategy.
///
/// Shares are parts of one: 0.8 is four fifths less than without disclosure, and less than 0 is more. What
/// learning costs is unknown where the client does not know how a strategy teaches.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Compared {
    /// Its name.
    pub name: String,
    /// What a host puts in front of the model before the first word.
    pub initial_tokens: u64,
    /// What learning the used tools adds: requests and answers.
    pub discovery_tokens: Option<u64>,
    /// Both.
    pub total_tokens: Option<u64>,
    /// The share of the tokens at the start that is saved.
    pub initial_saving: f64,
    /// The share of all tokens that is saved.
    pub total_saving: Option<f64>,
    /// Every request: handshake, lists, learning and calls.
    pub round_trips: u64,
    /// Bytes of JSON text, both ways.
    pub wire_bytes: u64,
    /// Median wall times.
    pub latency_ms: Latency,
    /// The smallest number of used tools at which it costs more than no disclosure; none where it never does.
    pub break_even_tools: Option<usize>,
    /// What a model reads over a conversation in which everything is sent anew with every request.
    pub conversation_tokens: Option<u64>,
    /// The rest; with `--detail`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<Detail>,
}

/// Median wall times in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Latency {
    /// The handshake.
    pub connect: f64,
    /// All lists that are needed.
    pub list: f64,
    /// Learning all used tools.
    pub discover: f64,
    /// One call.
    pub call: f64,
}

/// Where the figures of a strategy come from.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Detail {
    /// What stands before the model at the start.
    pub initial: InitialTokens,
    /// What each step of learning adds. Requests that a model makes at once are one step.
    pub steps: Vec<StepTokens>,
    /// The calls.
    pub calls: CallTokens,
    /// The same by a client that knows no strategy and whose model can use nothing but tools.
    pub bridge: BridgeTokens,
    /// Total tokens against the number of tools used.
    pub curve: Vec<Point>,
    /// What models do that follow the workflow, and models that do not.
    pub behaviour: Vec<Behaviour>,
    /// Wall times.
    pub times_ms: Times,
}

/// Tokens at the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct InitialTokens {
    /// Listed tools.
    pub tools: u64,
    /// Listed resources and templates that the strategy adds.
    pub resources: u64,
    /// The instructions for the system prompt.
    pub instructions: u64,
}

/// Tokens of one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct StepTokens {
    /// How many requests it has.
    pub requests: u64,
    /// What the model writes.
    pub request_tokens: u64,
    /// What it reads.
    pub answer_tokens: u64,
}

/// Tokens of calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct CallTokens {
    /// How many there were.
    pub count: usize,
    /// What the model writes, in all.
    pub request_tokens: u64,
    /// What it reads, in all.
    pub answer_tokens: u64,
    /// How many tokens more one call has, both ways, than without disclosure.
    pub overhead_tokens: i64,
    /// How many were answered with an error.
    pub failed: usize,
}

/// Tokens over a bridge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct BridgeTokens {
    /// As [`Compared::initial_tokens`].
    pub initial_tokens: u64,
    /// As [`Compared::discovery_tokens`].
    pub discovery_tokens: Option<u64>,
    /// As [`Compared::total_tokens`].
    pub total_tokens: Option<u64>,
}

/// A point of a curve.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Point {
    /// So many tools were used.
    pub tools: usize,
    /// So many tokens it cost in all.
    pub tokens: u64,
}

/// What came of a habit (001 "LLM Behavior Tests").
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Behaviour {
    /// `workflow`, `fetch-everything` (001 "Anti-Pattern 1") or `skip-fetching` (001 "Anti-Pattern 2").
    pub habit: String,
    /// Requests after the list.
    pub trips: usize,
    /// So many more than the right workflow takes.
    pub extra_trips: usize,
    /// What the model wrote and read on the way.
    pub tokens: u64,
    /// The codes of the errors it met, in order.
    pub errors: Vec<String>,
    /// Whether every task was done in the end.
    pub succeeded: bool,
    /// Whether that took doing what an error said.
    pub recovered: bool,
}

/// Wall times in milliseconds, with their spread.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Times {
    /// As in [`Latency`].
    pub connect: Spread,
    /// As in [`Latency`].
    pub list: Spread,
    /// As in [`Latency`].
    pub discover: Spread,
    /// As in [`Latency`].
    pub call: Spread,
}

/// One tool under all strategies.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ToolCosts {
    /// Its name.
    pub name: String,
    /// Whether it was among those used.
    pub used: bool,
    /// In the order of [`Report::strategies`].
    pub costs: Vec<ToolCost>,
}

/// One tool under one strategy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct ToolCost {
    /// Its tokens in the list; none where it is not listed.
    pub listed_tokens: Option<u64>,
    /// What learning it alone adds.
    pub learned_tokens: Option<u64>,
}

impl Report {
    /// The same without what only `--detail` asks for.
    pub fn without_detail(&self) -> Self {
        let strategies = self.strategies.iter();
        let strategies = strategies.map(|strategy| Compared { detail: None, ..strategy.clone() });
        Self { strategies: strategies.collect(), per_tool: Vec::new(), ..self.clone() }
    }

    /// Of the strategies of these names, those that cost more than so many tokens in all; where what learning
    /// costs is unknown, at the start.
    pub fn over<'a>(&'a self, most: u64, names: &'a [String]) -> impl Iterator<Item = &'a Compared> {
        let named = self.strategies.iter().filter(|strategy| names.contains(&strategy.name));
        named.filter(move |strategy| strategy.total_tokens.unwrap_or(strategy.initial_tokens) > most)
    }

    /// What a figure is worth.
    pub fn basis_of(&self, figure: &str) -> Basis {
        self.basis.get(figure).copied().unwrap_or(Basis::Measured)
    }
}

/// What each figure is worth when tokens are counted like this.
pub(crate) fn bases(tokenizer: Tokenizer) -> BTreeMap<&'static str, Basis> {
    let (counted, derived) = (tokenizer.basis(), tokenizer.basis().derived());
    BTreeMap::from([
        ("initial_tokens", counted),
        ("discovery_tokens", counted),
        ("total_tokens", counted),
        ("initial_saving", derived),
        ("total_saving", derived),
        ("round_trips", Basis::Measured),
        ("wire_bytes", Basis::Measured),
        ("latency_ms", Basis::Measured),
        ("break_even_tools", counted),
        ("conversation_tokens", derived),
    ])
}
