//! Courses: how a model goes about a task, rightly or not.

use serde::{Deserialize, Serialize};

/// How a model goes about a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Course {
    /// It follows the workflow of the strategy.
    Workflow,
    /// It calls before it has learned how. Where the list does not show the parameters it guesses them.
    TooEarly,
    /// It has learned how, and gives wrong arguments all the same.
    WrongArgument,
    /// It misspells the tool's name.
    UnknownName,
    /// It fetches every description in order to choose.
    EverythingFirst,
}

impl Course {
    /// The courses of a transcript that names none: the workflow, and the three usual mistakes.
    pub fn usual() -> Vec<Self> {
        vec![Self::Workflow, Self::TooEarly, Self::WrongArgument, Self::UnknownName]
    }

    /// The heading of the course.
    pub fn title(self) -> &'static str {
        match self {
            Self::Workflow => "The task, as intended",
            Self::TooEarly => "If the model calls too early",
            Self::WrongArgument => "If it gives a wrong argument",
            Self::UnknownName => "If it misspells the tool's name",
            Self::EverythingFirst => "If it fetches everything first",
        }
    }
}
