//! The report of findings: grouped for people, one by one for programs.

use std::{collections::BTreeMap, fmt::Write, sync::Arc};

use clap::builder::styling::{AnsiColor, Style};
use mcp_disclosure_compare::Tokenizer;
use mcp_disclosure_core::{Principal, Snapshot, View, printable::counted};
use mcp_disclosure_transport::printable::one_line;
use serde::Serialize;
use serde_json::json;

use super::{Finding, Findings, Place, Severity};

/// Maximum places listed per kind of finding, in reports for people.
const MOST_PLACES: usize = 12;

/// Findings in what was looked at.
#[derive(Debug)]
pub struct Report {
    /// How many tools were looked at; `None` where it came to none.
    pub tools: Option<usize>,
    /// What one caller sees, if that was asked for.
    pub seen: Option<Seen>,
    /// Which upstreams are signed in to.
    pub sign_ins: Vec<SignInState>,
    /// What was found.
    pub findings: Findings,
    /// How many notes there are that are not shown.
    pub notes_left_out: usize,
}

/// Whether an upstream is signed in to.
#[derive(Debug, Serialize)]
pub struct SignInState {
    /// Its name, or its URL.
    pub upstream: String,
    /// Whether it is.
    #[serde(rename = "signedIn")]
    pub is_signed_in: bool,
    /// For how long, with which scopes; or what to do.
    pub detail: String,
}

/// A finding in the JSON report.
#[derive(Serialize)]
struct JsonFinding<'a> {
    code: &'a str,
    severity: Severity,
    #[serde(flatten)]
    place: &'a Place,
    message: String,
    hint: &'a str,
}

impl Report {
    /// How many findings there are of a severity.
    pub fn count(&self, severity: Severity) -> usize {
        self.findings.0.iter().filter(|finding| finding.rule.severity == severity).count()
    }

    /// How many notes there are, shown or not.
    fn notes(&self) -> usize {
        self.count(Severity::Note) + self.notes_left_out
    }

    /// JSON: `tools`, `errors`, `warnings`, `notes` (counts) and `findings`, each with `code`, `severity`, `message`,
    /// `hint` and what is known of `tool`, `primitive`, `file`, `line`, `column`. `caller`, where one is asked for; `signIns`, where upstreams are signed in to.
    pub fn to_json(&self) -> String {
        let findings: Vec<JsonFinding<'_>> = self.findings.0.iter().map(Finding::message).collect();
        let mut report = json!({
            "tools": self.tools,
            "errors": self.count(Severity::Error),
            "warnings": self.count(Severity::Warning),
            "notes": self.notes(),
            "findings": findings,
        });
        if let Some(seen) = &self.seen {
            report["caller"] = json!(seen);
        }
        if !self.sign_ins.is_empty() {
            report["signIns"] = json!(self.sign_ins);
        }
        format!("{report:#}\n")
    }

    /// Text for people: kinds of findings, the worst first, each with what to do and where.
    pub fn to_text(&self, coloured: bool) -> String {
        let mut text = self.seen.as_ref().map(Seen::to_text).unwrap_or_default();
        for SignInState { upstream, is_signed_in, detail } in &self.sign_ins {
            let state = if *is_signed_in { "signed in" } else { "not signed in" };
            // Writing to a string does not fail.
            let _ = writeln!(text, "upstream '{}': {state}. {}", one_line(upstream), one_line(detail));
        }
        for group in self.groups() {
            write_group(&mut text, &group, coloured);
        }
        text.push_str(&self.summary());
        text.push('\n');
        text
    }

    fn summary(&self) -> String {
        let counts = [
            (self.count(Severity::Error), "error"),
            (self.count(Severity::Warning), "warning"),
            (self.notes(), "note"),
        ];
        let found = counts.into_iter().filter(|(count, _)| *count > 0);
        let mut phrases: Vec<String> = found.map(|(count, noun)| counted(count, noun)).collect();
        if let Some(notes) = phrases.last_mut().filter(|_| self.notes_left_out > 0) {
            notes.push_str(" (--notes shows them)");
        }
        let found = if phrases.is_empty() { "no findings".to_owned() } else { phrases.join(", ") };
        match self.tools {
            Some(tools) => format!("{}: {found}", counted(tools, "tool")),
            None => found,
        }
    }

    /// Findings of one kind together, the worst first.
    fn groups(&self) -> impl Iterator<Item = Vec<&Finding>> {
        let mut groups: BTreeMap<(Severity, &str), Vec<&Finding>> = BTreeMap::new();
        for finding in &self.findings.0 {
            groups.entry((finding.rule.severity, finding.rule.code)).or_default().push(finding);
        }
        groups.into_values()
    }
}

impl Finding {
    fn message(&self) -> JsonFinding<'_> {
        let summary = self.rule.summary;
        let message =
            if self.detail.is_empty() { summary.to_owned() } else { format!("{summary}: {}", self.detail) };
        let hint = self.hint.as_deref().unwrap_or(self.rule.hint);
        JsonFinding { code: self.rule.code, severity: self.rule.severity, place: &self.place, message, hint }
    }
}

fn write_group(text: &mut String, group: &[&Finding], coloured: bool) {
    let rule = &group[0].rule;
    let style = if coloured { style(rule.severity) } else { Style::new() };
    let bold = if coloured { Style::new().bold() } else { Style::new() };
    let severity = rule.severity.to_string();
    // Writing to a string does not fail.
    let _ = writeln!(
        text,
        "{style}{severity}{style:#} {bold}{}{bold:#} ({}): {}",
        rule.code,
        group.len(),
        rule.summary
    );
    if group.iter().all(|finding| finding.detail.is_empty()) {
        let places = group.iter().take(MOST_PLACES).filter_map(|finding| finding.place.shown());
        let places: Vec<String> = places.map(|place| one_line(&place).into_owned()).collect();
        let _ = writeln!(text, "  {}", places.join(" "));
    } else {
        for finding in group.iter().take(MOST_PLACES) {
            let place = finding.place.shown();
            let place = place.map_or_else(String::new, |place| format!("{}: ", one_line(&place)));
            let _ = writeln!(text, "  {place}{}", one_line(&finding.detail));
            if let Some(hint) = &finding.hint {
                let _ = writeln!(text, "    hint: {}", one_line(hint));
            }
        }
    }
    if group.len() > MOST_PLACES {
        let _ = writeln!(text, "  … and {} more; --format json lists all", group.len() - MOST_PLACES);
    }
    if group.iter().any(|finding| finding.hint.is_none()) {
        let _ = writeln!(text, "  hint: {}", rule.hint);
    }
    text.push('\n');
}

fn style(severity: Severity) -> Style {
    match severity {
        Severity::Error => AnsiColor::Red.on_default().bold(),
        Severity::Warning => AnsiColor::Yellow.on_default().bold(),
        Severity::Note => AnsiColor::Cyan.on_default().bold(),
    }
}

/// What one caller sees.
#[derive(Debug, Serialize)]
pub struct Seen {
    /// Who it is.
    pub caller: String,
    /// The names of its tools.
    pub tools: Vec<String>,
    /// Tokens (o200k_base) of a complete list of them.
    pub tokens: u64,
    /// How many tools there are.
    #[serde(rename = "ofTools")]
    pub of_tools: usize,
    /// Tokens of a complete list of these.
    #[serde(rename = "ofTokens")]
    pub of_tokens: u64,
}

impl Seen {
    /// What this caller sees of a snapshot, of which `everything` is a view.
    pub fn by(caller: &Principal, snapshot: &Arc<Snapshot>, everything: &View) -> Self {
        let view = View::of(Arc::clone(snapshot), caller);
        Self {
            caller: caller.id().unwrap_or_default().to_owned(),
            tools: view.tools().map(|tool| tool.name().to_string()).collect(),
            tokens: tokens(&view),
            of_tools: everything.tools().count(),
            of_tokens: tokens(everything),
        }
    }

    fn to_text(&self) -> String {
        let Self { caller, tools, tokens, of_tools, of_tokens } = self;
        let names: Vec<_> = tools.iter().map(|name| one_line(name)).collect();
        let names = if names.is_empty() { String::new() } else { format!(": {}", names.join(", ")) };
        let count = tools.len();
        format!(
            "{} sees {count} of {of_tools} tools, {tokens} of {of_tokens} tokens in a complete list{names}\n",
            one_line(caller)
        )
    }
}

fn tokens(view: &View) -> u64 {
    let definitions: Vec<&str> = view.tools().map(|tool| tool.tool().definition().text()).collect();
    Tokenizer::O200kBase.count(&format!("[{}]", definitions.join(",")))
}
