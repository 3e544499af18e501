//! The score of a run, as a row.

use mcp_disclosure_compare::Tokenizer;
use serde_json::json;

use super::{Verdict, conversation::Judged, host::Seen};

/// The score of one run.
#[derive(Clone, Debug)]
pub struct Score {
    label: String,
    possible: usize,
    right: usize,
    impossible: usize,
    kept_off: usize,
    steps: usize,
    needless: usize,
    refused: usize,
    context: u64,
    tokens: u64,
}

impl Score {
    /// The score of a run under this label, of what the model saw first and of every task.
    pub fn of(label: &str, seen: &Seen, judged: &[Judged]) -> Self {
        let count = |keep: &dyn Fn(&Judged) -> bool| judged.iter().filter(|task| keep(task)).count();
        let is_right = |task: &Judged| task.verdict == Verdict::Right;
        let context = json!({"instructions": seen.instructions, "tools": seen.tools}).to_string();
        Self {
            label: label.to_owned(),
            possible: count(&|task| !task.impossible),
            right: count(&|task| !task.impossible && is_right(task)),
            impossible: count(&|task| task.impossible),
            kept_off: count(&|task| task.impossible && is_right(task)),
            steps: judged.iter().map(|task| task.attempt.steps.len()).sum(),
            needless: judged.iter().map(|task| task.needless).sum(),
            refused: judged
                .iter()
                .flat_map(|task| &task.attempt.steps)
                .filter(|step| step.is_refused())
                .count(),
            context: Tokenizer::O200kBase.count(&context),
            tokens: judged.iter().map(|task| task.tokens).sum(),
        }
    }

    /// Whether every task ended right.
    pub fn is_perfect(&self) -> bool {
        self.right == self.possible && self.kept_off == self.impossible
    }

    fn row(&self) -> String {
        let tasks = (self.possible + self.impossible).max(1);
        // Counts of tasks and tokens are far below the precision of `f64`.
        #[allow(clippy::cast_precision_loss)]
        let (steps, tokens) = (self.steps as f64 / tasks as f64, self.tokens as f64 / tasks as f64);
        format!(
            "| {} | {} of {} | {} of {} | {steps:.2} | {} | {} | {} | {tokens:.0} |",
            self.label,
            self.right,
            self.possible,
            self.kept_off,
            self.impossible,
            self.needless,
            self.refused,
            self.context
        )
    }
}

/// A Markdown table of scores.
pub fn table(scores: &[Score]) -> String {
    let head = "| strategy | right calls | impossible kept off | steps a task | needless calls | refused calls | context | tokens a task |\n\
                |---|---:|---:|---:|---:|---:|---:|---:|";
    let rows: Vec<String> = scores.iter().map(Score::row).collect();
    format!("{head}\n{}", rows.join("\n"))
}
