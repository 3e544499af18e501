//! What is found, and where.

use std::collections::HashSet;

use mcp_disclosure_core::{Kind, Tool};
use mcp_disclosure_gateway as gateway;
use serde::Serialize;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, strum::Display)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Severity {
    /// `serve` would refuse it, or serve without it.
    Error,
    /// A model or a host is likely to fail.
    Warning,
    /// It could be better.
    Note,
}

/// A kind of finding.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// Its name, in kebab-case; stable.
    pub code: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// What it means, in a sentence without a full stop.
    pub summary: &'static str,
    /// What to do about it.
    pub hint: &'static str,
}

/// Where something was found; what is not known is left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Place {
    /// The tool, by the name it is served under.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The resource, resource template or prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub primitive: Option<String>,
    /// The file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line in it, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// The column in it, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<usize>,
}

/// One thing that was found.
#[derive(Clone, Debug)]
pub struct Finding {
    /// What kind it is of.
    pub rule: Rule,
    /// Where.
    pub place: Place,
    /// What exactly, where the rule does not say it all; else empty.
    pub detail: String,
    /// What to do about this one; else the rule says it.
    pub hint: Option<String>,
}

/// Everything that was found.
#[derive(Clone, Debug, Default)]
pub struct Findings(pub Vec<Finding>);

impl Findings {
    /// Notes something.
    pub fn add(&mut self, rule: Rule, place: Place, detail: impl Into<String>) {
        self.0.push(Finding { rule, place, detail: detail.into(), hint: None });
    }

    /// Notes problems.
    pub(crate) fn of_problems(&mut self, rule: Rule, problems: &[gateway::Problem]) {
        self.0.extend(problems.iter().map(|problem| Finding {
            rule,
            place: problem.place().map(Place::from).unwrap_or_default(),
            detail: problem.message().to_owned(),
            hint: problem.remedy().map(str::to_owned),
        }));
    }

    /// Notes something about a text that models read of a tool. What its upstream wrote is not for the user to put right: that
    /// is a note.
    pub fn of_text(&mut self, rule: Rule, tool: &Tool, detail: impl Into<String>) {
        let supplement = tool.supplement();
        let is_own = supplement.path.is_some() || supplement.brief.is_some();
        let severity = if is_own { rule.severity } else { Severity::Note };
        self.add(Rule { severity, ..rule }, Place::from(tool), detail);
    }

    /// Leaves out what is there already.
    pub fn dedup(&mut self) {
        let mut seen = HashSet::new();
        let found = |finding: &Finding| (finding.rule.code, finding.place.clone(), finding.detail.clone());
        self.0.retain(|finding| seen.insert(found(finding)));
    }
}

impl From<&Tool> for Place {
    fn from(tool: &Tool) -> Self {
        let file = tool.supplement().path.clone();
        Self { tool: Some(tool.key().to_string()), file, ..Self::default() }
    }
}

impl From<&gateway::Place> for Place {
    fn from(gateway::Place { file, line, column }: &gateway::Place) -> Self {
        Self { file: Some(file.to_string()), line: Some(*line), column: Some(*column), ..Self::default() }
    }
}

impl Place {
    /// A resource, resource template or prompt.
    pub fn primitive(kind: Kind, key: &str) -> Self {
        let noun = match kind {
            Kind::Tools => return Self { tool: Some(key.to_owned()), ..Self::default() },
            Kind::Resources => "resource",
            Kind::Templates => "resource template",
            Kind::Prompts => "prompt",
        };
        Self { primitive: Some(format!("{noun} {key}")), ..Self::default() }
    }

    /// The place as shown to people: a tool by its name alone.
    pub fn shown(&self) -> Option<String> {
        if let Some(primitive) = self.tool.as_ref().or(self.primitive.as_ref()) {
            return Some(primitive.clone());
        }
        let file = self.file.as_ref()?;
        Some(match (self.line, self.column) {
            (Some(line), Some(column)) => format!("{file}:{line}:{column}"),
            _ => file.clone(),
        })
    }
}
