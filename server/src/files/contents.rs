//! What files declare, what of it protects something, and what changed of what callers may use.

use std::{
    collections::{BTreeMap, HashSet},
    sync::Arc,
};

use mcp_disclosure_access::Settings;
use mcp_disclosure_core::{Grant, Permits, Rules};
use mcp_disclosure_gateway::catalogue::Declared;

use crate::{
    config::{DisclosureFile, Servers},
    lock::LOCK,
};

/// What files declare.
#[derive(Clone, Debug, Default)]
pub struct Contents {
    /// What they come down to.
    pub declared: Declared,
    /// The upstreams, if the files and flags name them.
    pub found: Servers,
    /// Who may come in, and what exists for whom.
    pub access: Settings,
    /// What the configuration says; nothing without one.
    pub file: Arc<DisclosureFile>,
}

impl Contents {
    fn has_upstreams_of_files(&self) -> bool {
        self.found.upstreams.iter().any(|upstream| upstream.is_of_file)
    }

    /// What protected something in an older set and is gone altogether. A file that someone is still writing looks
    /// like that, so it takes an operator's word.
    pub fn lost_since(&self, older: &Self) -> Vec<String> {
        let (rules, before) = (&self.declared.rules, &older.declared.rules);
        let (access, accessed) = (&self.access, &older.access);
        let nothing = DisclosureFile::default();
        let holds = |rules: &Rules| rules.review.holding().next().is_some();
        let has_none = !self.has_upstreams_of_files() && self.found.switched_off.is_empty();
        let lost = [
            ("[auth] is gone", accessed.guarded && !access.guarded),
            ("all [[principals]] are gone", !accessed.principals.is_empty() && access.principals.is_empty()),
            ("all [profiles] are gone", !accessed.profiles.is_empty() && access.profiles.is_empty()),
            ("the configuration is empty", *self.file == nothing && *older.file != nothing),
            (
                "[resources] allow is gone",
                before.allowed_resources.is_some() && rules.allowed_resources.is_none(),
            ),
            ("no upstream of a file is left", older.has_upstreams_of_files() && has_none),
            ("allow is gone from all upstreams", before.allow_tools() && !rules.allow_tools()),
            ("on_change = \"hold\" is gone from all upstreams", holds(before) && !holds(rules)),
            (
                "all description files are gone",
                !older.declared.files.is_empty() && self.declared.files.is_empty(),
            ),
        ];
        let lost = lost.into_iter().filter(|(_, is_lost)| *is_lost).map(|(what, _)| what.to_owned());
        // Each kind by itself: a file that was cut off has lost its later sections.
        let hidden = before.hide().into_iter().zip(rules.hide());
        let uncovered = hidden.filter(|((_, before), (_, now))| *before && !now);
        let uncovered = uncovered.map(|((kind, _), _)| format!("no {kind} is hidden any more"));
        lost.chain(uncovered)
            .chain(self.unrestricted_since(older))
            .chain(self.left_by_its_upstream(older))
            .chain(self.forgotten_since(older))
            .collect()
    }

    /// Upstreams that hold what is not reviewed, and of which nothing is reviewed any more: all that they list would be
    /// taken for it.
    fn forgotten_since(&self, older: &Self) -> Vec<String> {
        let (before, now) = (&older.declared.rules.review.lock, &self.declared.rules.review);
        let forgotten = now.holding().filter(|name| before.knows(name) && !now.lock.knows(name));
        forgotten.map(|name| format!("{LOCK} says nothing of upstream '{name}' any more")).collect()
    }

    /// Principals and profiles that were permitted some things, and are permitted everything now.
    fn unrestricted_since(&self, older: &Self) -> Vec<String> {
        let restricted = older.access.permits().filter(|(_, permits)| !permits.see_all());
        let open = self.access.permits().filter(|(_, permits)| permits.see_all());
        let open: HashSet<String> = open.map(|(name, _)| name).collect();
        restricted
            .filter(|(name, _)| open.contains(name))
            .map(|(name, _)| format!("{name} has lost its lists, and may use everything"))
            .collect()
    }

    /// Rules that hide something of an upstream that is gone while another one came: that may be the same by another
    /// name, whose tools nothing hides.
    fn left_by_its_upstream(&self, older: &Self) -> Vec<String> {
        let names = |contents: &Self| -> HashSet<String> {
            let named = contents.found.upstreams.iter().filter_map(|upstream| upstream.name.as_ref());
            named.map(ToString::to_string).collect()
        };
        let (before, now) = (names(older), names(self));
        if now.is_subset(&before) {
            return Vec::new();
        }
        let rules = &self.declared.rules;
        let hiding = rules.tools.iter().chain(&rules.prompts).chain(&rules.resources);
        let hiding: Vec<&str> =
            hiding.filter(|rule| rule.hidden == Some(true)).map(|rule| rule.pattern.text()).collect();
        let gone = before.difference(&now).filter(|gone| {
            let prefixes = [format!("{gone}/"), format!("{gone}__")];
            hiding.iter().any(|text| prefixes.iter().any(|prefix| text.starts_with(prefix.as_str())))
        });
        let mut gone: Vec<String> = gone
            .map(|gone| {
                format!("upstream '{gone}', of which something is hidden, has another name or is gone")
            })
            .collect();
        gone.sort();
        gone
    }
}

/// What changed from one set of permissions by name to another, in a line each.
pub(super) fn changes<'a>(
    before: impl Iterator<Item = (String, &'a Permits)>,
    now: impl Iterator<Item = (String, &'a Permits)>,
) -> Vec<String> {
    let (before, now): (BTreeMap<_, _>, BTreeMap<_, _>) = (before.collect(), now.collect());
    let gone = before.keys().filter(|name| !now.contains_key(*name)).map(|name| format!("{name} is gone"));
    let changed = now.iter().filter_map(|(name, permits)| match before.get(name) {
        None => Some(format!("{name} is new")),
        Some(before) if before == permits => None,
        Some(before) => Some(format!("{name}: {}", difference(&grant(before), &grant(permits)))),
    });
    changed.chain(gone).collect()
}

/// Each entry of a file is one grant; none permits everything.
fn grant(permits: &Permits) -> Grant {
    permits.grants().first().cloned().unwrap_or_default()
}

fn difference(before: &Grant, now: &Grant) -> String {
    let lists = [
        ("tools", &before.tools, &now.tools),
        ("resources", &before.resources, &now.resources),
        ("prompts", &before.prompts, &now.prompts),
        ("strategies", &before.strategies, &now.strategies),
    ];
    let lists = lists.into_iter().filter(|(_, before, now)| before != now);
    let said =
        lists.map(|(what, before, now)| format!("{what} {}", of_list(before.as_deref(), now.as_deref())));
    let limits = (before.quotas != now.quotas).then(|| "limits changed".to_owned());
    said.chain(limits).collect::<Vec<_>>().join("; ")
}

fn of_list(before: Option<&[String]>, now: Option<&[String]>) -> String {
    let (Some(before), Some(now)) = (before, now) else {
        return now.map_or("not restricted any more".to_owned(), |now| format!("restricted to {now:?}"));
    };
    let only = |these: &[String], others: &[String], sign: &str| {
        let only = these.iter().filter(|text| !others.contains(text)).map(|text| format!("{sign}{text}"));
        only.collect::<Vec<_>>()
    };
    let all = [only(now, before, "+"), only(before, now, "-")].concat();
    if all.is_empty() { "in another order".to_owned() } else { all.join(" ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a3_what_changed_is_said() {
        let (few, more) = (Permits::of_tools(["a/x", "a/y"]), Permits::of_tools(["a/x", "a/z"]));
        let all = Permits::all();
        let before = [
            ("ann".to_owned(), &few),
            ("bob".to_owned(), &few),
            ("cy".to_owned(), &few),
            ("dee".to_owned(), &all),
        ];
        let now = [
            ("ann".to_owned(), &more),
            ("bob".to_owned(), &few),
            ("dee".to_owned(), &few),
            ("eve".to_owned(), &all),
        ];
        let said = changes(before.into_iter(), now.into_iter());
        assert_eq!(said[0], "ann: tools +a/z -a/y");
        assert!(said[1].starts_with("dee: tools restricted to [\"a/x\", \"a/y\"]"), "{said:?}");
        assert_eq!(said[2..], ["eve is new", "cy is gone"]);
    }
}
