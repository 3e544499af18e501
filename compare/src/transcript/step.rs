//! What a transcript consists of.

use mcp_disclosure_core::RawObject;
use serde::Serialize;

use super::{Assignment, Behavior};
use crate::Tokenizer;

/// One task under each strategy.
#[derive(Clone, Debug, Serialize)]
pub struct Transcript {
    /// The name of the source.
    pub source: String,
    /// The number of its tools.
    pub tools: usize,
    /// How tokens are counted.
    pub tokenizer: Tokenizer,
    /// The task.
    pub task: Assignment,
    /// The task under each strategy.
    pub strategies: Vec<Played>,
    /// What else a reader should know.
    pub notes: Vec<String>,
}

/// The task under one strategy.
#[derive(Clone, Debug, Serialize)]
pub struct Played {
    /// The strategy.
    pub name: String,
    /// The task by each course, over a connection of its own.
    pub acts: Vec<Act>,
}

/// The task by one course: the workflow has all calls of the task, a mistake the first one.
#[derive(Clone, Debug, Serialize)]
pub struct Act {
    /// The course.
    pub course: Behavior,
    /// How it ended.
    pub ending: Ending,
    /// The number of errors that the model received.
    pub errors: usize,
    /// Tokens before the first prompt: listed tools, instructions, and resources where the host shows them.
    pub start_tokens: u64,
    /// Tokens of finding and learning tools.
    pub learning_tokens: u64,
    /// Tokens of calls, refusals and results.
    pub call_tokens: u64,
    /// What happened. The start is among the steps of the first act only; the others begin after it.
    pub steps: Vec<Step>,
}

/// How an act ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Ending {
    /// Every call had a result, and nothing was refused.
    Answered,
    /// Something was refused, and the refusal led to a result.
    Recovered,
    /// A call had no result.
    Failed,
}

/// One step.
#[derive(Clone, Debug, Serialize)]
pub struct Step {
    /// What it is.
    pub kind: Kind,
    /// Who speaks.
    pub speaker: Speaker,
    /// The call of the task that it is for, from 1.
    pub call: usize,
    /// The attempt at that call, from 1.
    pub attempt: usize,
    /// The part of that attempt.
    #[serde(skip)]
    pub phase: Phase,
    /// What happens, as one would say it after the speaker's name.
    pub says: String,
    /// What matters in the text, line by line; empty if the text itself is short.
    pub gist: Vec<String>,
    /// What the model reads or writes, and what is counted; empty if it is nothing.
    pub text: String,
    /// The tokens of the text.
    pub tokens: u64,
    /// The tokens of this and all earlier steps, the start included.
    pub tokens_so_far: u64,
    /// The exact messages: the request of what is asked or called, the responses of what is answered.
    pub messages: Vec<RawObject>,
}

/// What a step is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// The server's instructions.
    Introduced,
    /// The host's choices of concerns.
    Chose,
    /// A list, as the model gets it.
    Listed,
    /// The model's choice of a tool.
    Picked,
    /// A request to find a tool, or to learn how it is used.
    Asked,
    /// The answer to it.
    Explained,
    /// A call.
    Called,
    /// An error in answer to a request or a call.
    Refused,
    /// The result of a call.
    Returned,
}

/// Who speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, strum::Display)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Speaker {
    /// The program between the user and the model.
    Host,
    /// The language model.
    Model,
    /// mcp-disclosure.
    Gateway,
    /// The server behind it.
    Upstream,
}

/// The part of a call to which a step belongs; what strategies have in common side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, strum::Display)]
pub enum Phase {
    /// What the model gets.
    List,
    /// Picking a tool, and learning how it is used.
    Learn,
    /// The call.
    Call,
    /// What comes back.
    Result,
}

/// Where a step stands in a task. Steps of the same place are side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) call: usize,
    pub(super) attempt: usize,
    pub(super) phase: Phase,
}

impl Act {
    /// All tokens.
    pub fn tokens(&self) -> u64 {
        self.start_tokens + self.learning_tokens + self.call_tokens
    }

    /// What happens after the start.
    fn deeds(&self) -> impl Iterator<Item = (Kind, &str)> {
        self.steps.iter().filter(|step| !step.kind.is_start()).map(|step| (step.kind, &*step.text))
    }
}

impl Played {
    /// Whether a later act is like the first: then the mistake was none.
    pub(super) fn is_as_intended(&self, at: usize) -> bool {
        at > 0 && self.acts[at].deeds().eq(self.acts[0].deeds())
    }
}

impl Step {
    pub(super) fn place(&self) -> Place {
        Place { call: self.call, attempt: self.attempt, phase: self.phase }
    }
}

impl Kind {
    /// Whether it is what is the same in every act: what is listed, and the choice of the tool.
    pub(crate) fn is_start(self) -> bool {
        matches!(self, Self::Introduced | Self::Chose | Self::Listed | Self::Picked)
    }
}
