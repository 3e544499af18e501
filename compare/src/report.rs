//! The report of a comparison. One structure; `output` writes it in four formats.

use serde::Serialize;

use crate::{HostKind, Recommendation, Tokenizer, retrieval::Retrieval};

/// The report of a comparison.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// The name of the source.
    pub source: String,
    /// The number of its tools.
    pub tools: usize,
    /// How tokens were counted.
    pub tokenizer: Tokenizer,
    /// What hosts show of a listed tool.
    pub host: HostKind,
    /// The tools that were used, in that order.
    pub used: Vec<String>,
    /// The strategies, `full` first.
    pub strategies: Vec<Compared>,
    /// Which of them to serve the source with, and why.
    pub recommendation: Recommendation,
    /// The number of requests to a model in the conversation of [`Costs::conversation_tokens`].
    pub turns: u64,
    /// Notes for the reader.
    pub notes: Vec<String>,
    /// How well tools are found by words, for each strategy that finds them; with `--queries`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub retrieval: Vec<Retrieval>,
}

/// One strategy, with the figures of an ordinary host: it supports no strategy, and its model can use tools only.
///
/// Shares are fractions of one: 0.8 is four fifths less than `full`, and a negative share is more. The cost of learning
/// is unknown if the client does not know how tools are learned under the strategy.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Compared {
    /// Its name.
    pub name: String,
    /// What it costs.
    #[serde(flatten)]
    pub costs: Costs,
    /// The saved share of the tokens at the start.
    pub initial_saving: f64,
    /// The saved share of all tokens.
    pub total_saving: Option<f64>,
    /// Bytes of JSON text, in both directions.
    pub wire_bytes: u64,
    /// The smallest number of used tools with which it costs more than `full`; none if it never does.
    pub break_even_tools: Option<usize>,
    /// The saved share of the tokens of a conversation.
    pub conversation_saving: Option<f64>,
    /// What the model does until it has its results: steps of learning, and calls.
    pub steps: Option<usize>,
    /// What it costs a client that supports the strategy and negotiates it.
    pub negotiating: Costs,
    /// Why `serve` would not offer it for this source with the same settings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_offered: Option<String>,
    /// Other rows that show a model exactly the same, and are left out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<String>,
    /// Details.
    pub detail: Detail,
}

impl Compared {
    /// Whether a call of the task failed.
    pub(crate) fn has_failed(&self) -> bool {
        self.detail.calls.failed > 0
    }
}

/// The details of a strategy's figures.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Detail {
    /// The model's context at the start.
    pub initial: InitialTokens,
    /// The tokens that each step of learning adds.
    pub steps: Vec<StepTokens>,
    /// The calls.
    pub calls: CallTokens,
}

/// Tokens at the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct InitialTokens {
    /// Listed tools.
    pub tools: u64,
    /// The instructions for the system prompt.
    pub instructions: u64,
}

/// Tokens of one step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct StepTokens {
    /// Tokens that the model writes.
    pub request_tokens: u64,
    /// Tokens that it reads.
    pub answer_tokens: u64,
}

/// Tokens of calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CallTokens {
    /// Tokens that the model writes and reads, in total.
    pub tokens: u64,
    /// Additional tokens of one call, in both directions, compared with `full`.
    pub overhead_tokens: i64,
    /// The number of failed calls.
    pub failed: usize,
}

/// What a strategy costs a client.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Costs {
    /// Tokens of the model's context at the start.
    pub initial_tokens: u64,
    /// Tokens that learning the used tools adds: requests and answers.
    pub discovery_tokens: Option<u64>,
    /// The sum of both.
    pub total_tokens: Option<u64>,
    /// Tokens that a model reads over a conversation in which everything is sent again with every request.
    pub conversation_tokens: Option<u64>,
    /// Every request: handshake, lists, learning and calls.
    pub round_trips: u64,
}

impl StepTokens {
    /// What the model writes and reads.
    pub(crate) fn both(self) -> u64 {
        self.request_tokens + self.answer_tokens
    }
}

impl Report {
    /// Those of the named strategies whose total exceeds this number of tokens, with that total; if the cost of learning is
    /// unknown, the tokens at the start count.
    pub fn over<'a>(&'a self, most: u64, names: &'a [String]) -> impl Iterator<Item = (&'a str, u64)> {
        let named = self.strategies.iter().filter(|strategy| {
            names.iter().any(|name| *name == strategy.name || strategy.also.contains(name))
        });
        let costs = |costs: Costs| costs.total_tokens.unwrap_or(costs.initial_tokens);
        let each = named.map(move |strategy| (&*strategy.name, costs(strategy.costs)));
        each.filter(move |(_, tokens)| *tokens > most)
    }
}
