//! What an operator named besides files, and what it comes down to with what files said.

use std::sync::Arc;

use mcp_disclosure_core::{Pattern, Rules};
use mcp_disclosure_gateway::{
    Problem,
    catalogue::Declared,
    upstream::{UpstreamConfig, Upstreams},
};

use super::{Contents, Files};
use crate::{
    config::{AccessFlags, DisclosureFile, Named, Servers},
    lock::WrittenFirst,
};

/// What an operator named besides files. It stays as it is for as long as the program runs.
#[derive(Clone, Debug, Default)]
pub struct Origin {
    /// What is declared without files.
    pub base: Declared,
    /// Upstreams that are not in a file.
    pub given: Vec<Named>,
    /// Whether programs of files inherit the whole environment.
    pub inherit: bool,
    /// Where something serves: the upstreams whose first lists it has written down as accepted.
    pub accepted: Option<Arc<WrittenFirst>>,
    /// Whether the start waits for upstreams of files, too.
    pub waits_for_all: bool,
    /// The server that the program has of its own, with what is declared of it: served where nothing is named, or where
    /// the configuration says so.
    pub own: Option<(Named, Declared)>,
    /// What flags say of who may come in.
    pub access: AccessFlags,
}

impl Origin {
    /// What it comes down to with what these files said.
    ///
    /// # Errors
    /// Every problem there is, with its file and a hint.
    pub fn contents(&self, files: &Files) -> Result<Contents, Vec<Problem>> {
        let mut problems = Vec::new();
        let file = files.config().and_then(|config| Some((config.folder(), config.said.as_ref().ok()?)));
        // What a broken configuration says of upstreams and access is unknown.
        let is_readable = files.config().is_none() || file.is_some();
        let own = self.own(files).map_err(|problem| problems.push(problem)).ok().flatten();
        let found = is_readable.then(|| Servers::of(self, files, own.map(|(own, _)| own)));
        let found = found.and_then(|found| keep(found, &mut problems));
        let base = own.map_or(&self.base, |(_, declared)| declared);
        let declared = keep(files.declare(base), &mut problems);
        let nothing = Arc::<DisclosureFile>::default();
        let (folder, said) = file.unwrap_or(("".as_ref(), &nothing));
        let access = is_readable.then(|| said.access(folder, &self.access));
        let access = access.and_then(|access| keep(access, &mut problems));
        let (Some(found), Some(declared), Some(access), true) =
            (found, declared, access, problems.is_empty())
        else {
            return Err(problems);
        };
        let old_forms = old_forms(&declared.rules, &found);
        if !old_forms.is_empty() {
            return Err(old_forms);
        }
        let mut rules = Rules::clone(&declared.rules);
        rules.switches.extend(found.switches.iter().cloned());
        let upstreams = Some(Upstreams::new(self.configs(&found)));
        let accepting = files.first(self.accepted.clone());
        let declared = Declared { upstreams, rules: Arc::new(rules), accepting, ..declared };
        Ok(Contents { declared, found, access, file: Arc::clone(said) })
    }

    /// The program's own server, if it is served.
    fn own(&self, files: &Files) -> Result<Option<&(Named, Declared)>, Problem> {
        let is_asked_for = files.declarations().is_some_and(|file| file.demo);
        if is_asked_for && self.own.is_none() {
            let problem = Problem::new("demo: this program has no demonstration");
            return Err(problem.hint("name upstreams instead"));
        }
        let is_served = is_asked_for || (self.given.is_empty() && !files.are_named());
        Ok(self.own.as_ref().filter(|_| is_served))
    }

    /// The gateway's configurations of upstreams.
    pub fn configs(&self, found: &Servers) -> Vec<UpstreamConfig> {
        found.upstreams.iter().map(|upstream| upstream.clone().config(self.waits_for_all)).collect()
    }
}

/// Rules that name something of an upstream in an old form: `upstream__name`, or with its upstream where only the
/// upstream's own names stand.
fn old_forms(rules: &Rules, found: &Servers) -> Vec<Problem> {
    let names: Vec<&str> = found.upstreams.iter().filter_map(|upstream| upstream.name.as_deref()).collect();
    let named = rules.tools.iter().chain(&rules.prompts).chain(&rules.resources);
    let mut problems: Vec<Problem> = named
        .chain(rules.allowed_resources.iter().flatten())
        .filter_map(|rule| {
            let text = rule.pattern.text();
            let (upstream, name) = served_form(text, &names)?;
            Some(refused(&rule.place, text, &format!("{upstream}/{name}"), &format!("*/{text}")))
        })
        .collect();
    for switches in rules.switches.iter().chain(&found.switches) {
        let own = |text: &str, separator: &str| {
            Some(text.strip_prefix(&*switches.upstream)?.strip_prefix(separator)?.to_owned())
        };
        // Where names are given, one may begin like that.
        let is_renamed = rules.naming.iter().any(|naming| *naming.upstream() == switches.upstream);
        for text in switches.allow.iter().flatten().chain(&switches.hidden).map(Pattern::text) {
            if let Some(name) = own(text, "/") {
                problems.push(refused(&switches.place, text, &name, &format!("*/{name}")));
            } else if let Some(name) = own(text, "__").filter(|_| !is_renamed) {
                problems.push(refused(&switches.place, text, &name, &format!("*__{name}")));
            }
        }
    }
    problems
}

/// The upstream and the name of `upstream__name`, if one of these upstreams is called like its beginning, or the rest is a URI: an
/// upstream that introduces itself has no name yet, and no URI begins like that.
fn served_form<'t>(text: &'t str, upstreams: &[&str]) -> Option<(&'t str, &'t str)> {
    let split_at = |separator: &'static str| {
        text.match_indices(separator).map(|(at, between)| (&text[..at], &text[at + between.len()..]))
    };
    let names_one = |part: &str| upstreams.iter().any(|name| Pattern::new(part).matches(name));
    // A wildcard alone is part of a name, too.
    let is_upstream = |part: &str| part.contains(|character| !"*?".contains(character)) && names_one(part);
    let is_today = split_at("/").any(|(upstream, _)| names_one(upstream));
    let is_uri = |part: &str| {
        part.split_once(':').is_some_and(|(scheme, _)| {
            scheme.starts_with(|first: char| first.is_ascii_alphabetic())
                && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
        })
    };
    split_at("__").find(|(upstream, rest)| {
        !is_today && (is_upstream(upstream) || !upstream.contains([':', '/']) && is_uri(rest))
    })
}

fn refused(place: &str, text: &str, now: &str, literal: &str) -> Problem {
    Problem::new(format!("{place}: '{text}' is now written '{now}'"))
        .hint(format!("write '{now}', or '{literal}' for what is called '{text}' itself"))
}

fn keep<T>(read: Result<T, Vec<Problem>>, problems: &mut Vec<Problem>) -> Option<T> {
    read.map_err(|found| problems.extend(found)).ok()
}
