//! What an operator named besides files, and what it comes down to with what files said; of upstreams, those that flags and files
//! name.

use std::{collections::HashSet, path::Path, sync::Arc};

use mcp_disclosure_core::{Pattern, Rules};
use mcp_disclosure_gateway::{
    Problem,
    catalogue::Declared,
    upstream::{UpstreamConfig, Upstreams},
};

use super::{Contents, Files, ReadFile};
use crate::{
    config::{AccessFlags, Named, Servers, absolute, upstreams},
    launcher::quoted,
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
        let own = self.own(files).map_err(|problem| problems.push(problem)).ok().flatten();
        let declared = keep(files.declare(own.map_or(&self.base, |(_, declared)| declared)), &mut problems);
        // What a broken configuration says of upstreams and access is unknown.
        if files.config().is_some_and(|config| config.said.is_err()) {
            return Err(problems);
        }
        let (file, folder) = (files.declarations(), files.config().map_or(Path::new(""), ReadFile::folder));
        let found = keep(Servers::of(self, files, own.map(|(own, _)| own)), &mut problems);
        let access = keep(file.access(folder, &self.access), &mut problems);
        let (Some(declared), Some(found), Some(access), true) =
            (declared, found, access, problems.is_empty())
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
        Ok(Contents { declared, found, access, file })
    }

    /// The program's own server, if it is served.
    fn own(&self, files: &Files) -> Result<Option<&(Named, Declared)>, Problem> {
        let is_asked_for = files.declarations().demo;
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

impl Servers {
    /// Logs the servers that are not served, and why.
    pub fn log(&self) {
        self.switched_off.iter().for_each(|off| tracing::info!("{off}"));
        self.left_out.iter().for_each(|left_out| tracing::warn!("{left_out}"));
    }

    /// The upstreams of files, of arguments and, if it is served, the program's own. A configuration has been read.
    ///
    /// # Errors
    /// Every problem, with its file, place and a hint.
    fn of(origin: &Origin, files: &Files, own: Option<&Named>) -> Result<Self, Vec<Problem>> {
        let (mut found, mut problems) = (Self::default(), Vec::new());
        let file = files.declarations();
        if let Some(config) = files.config() {
            match upstreams(&file, config.folder()) {
                Ok(upstreams) => found.upstreams = signing_in(upstreams, "config", &config.path),
                Err(wrong) => problems.extend(wrong),
            }
        }
        for hosts in &files.hosts {
            match &hosts.said {
                Ok(file) => {
                    let Self { upstreams, switches, left_out, switched_off } = Self::clone(file);
                    found.upstreams.extend(signing_in(upstreams, "mcp-config", &hosts.path));
                    found.switches.extend(switches);
                    found.left_out.extend(left_out);
                    found.switched_off.extend(switched_off);
                }
                Err(wrong) => problems.extend(wrong.iter().cloned()),
            }
        }
        if origin.inherit {
            found.upstreams = found.upstreams.into_iter().map(Named::inheriting).collect();
        }
        let switched = origin.given.iter().filter_map(|given| {
            given.entry.as_ref()?.switches(given.name.as_deref()?, "the command line".to_owned())
        });
        found.switches.extend(switched);
        found.upstreams.extend(own.cloned());
        found.upstreams.extend(origin.given.iter().cloned());
        problems.extend(named_alike(&found.upstreams));
        let names_some = !files.hosts.is_empty() || !file.upstreams.0.is_empty();
        // What a host switches off is named all the same, and may be switched on while the program runs.
        let is_none = found.upstreams.is_empty() && found.switched_off.is_empty();
        if is_none && problems.is_empty() && names_some {
            problems.append(&mut found.left_out);
            let hosts = files.hosts.iter().map(|hosts| &hosts.path);
            let named = files.config().map(|config| &config.path).into_iter().chain(hosts);
            let named = named.map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ");
            let problem = Problem::new(format!("{named}: no upstream is left"));
            problems.push(problem.hint("add one, or enable one"));
        }
        if problems.is_empty() { Ok(found) } else { Err(problems) }
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

/// The upstreams of a file, with the command to sign in to each.
fn signing_in(upstreams: Vec<Named>, flag: &str, path: &Path) -> Vec<Named> {
    // The command may be run in another folder.
    let files = format!(" --{flag} {}", quoted(&absolute(path).to_string_lossy()));
    upstreams.into_iter().map(|upstream| upstream.signing_in(&files)).collect()
}

/// Upstreams of the same name, whose tools could not be distinguished.
fn named_alike(upstreams: &[Named]) -> Vec<Problem> {
    let mut seen = HashSet::new();
    let names = upstreams.iter().filter_map(|upstream| upstream.name.as_ref());
    let again = names.filter(|name| !seen.insert(*name));
    let problem = |name| {
        Problem::new(format!("two upstreams are named '{name}'")).hint("give one of them another name")
    };
    again.map(problem).collect()
}
