//! What changed of what callers may use.

use std::collections::BTreeMap;

use mcp_disclosure_core::{Grant, Permits};

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
