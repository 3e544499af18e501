//! Which rules are about a tool or prompt.

use super::*;

/// Rules that hide, but for those that begin with `!`, which show.
fn rules(written: &[&str]) -> Vec<Rule> {
    let rule = |text: &&str| {
        let (text, hidden) = text.strip_prefix('!').map_or((*text, true), |text| (text, false));
        Rule { hidden: Some(hidden), ..Rule::new(text, String::new()) }
    };
    written.iter().map(rule).collect()
}

fn listed(upstream: &str, own: &str) -> Item {
    let upstream = UpstreamName::parse(upstream).unwrap();
    let (own, named, served) = (own.to_owned(), own.to_owned(), own.to_owned());
    Item { upstream, self_named: false, own, named, served, object: RawObject::empty(), held: None }
}

/// Things as `upstream name`, `upstream name served` or `upstream name served named`; `~upstream` chose its own name.
fn hidden(written: &[&str], things: &[&str], alone: bool) -> Vec<bool> {
    let rules = rules(written);
    let item = |thing: &&str| {
        let parts: Vec<&str> = thing.split(' ').collect();
        let served = parts.get(2).copied().unwrap_or(parts[1]).to_owned();
        let named = parts.get(3).copied().unwrap_or(parts[1]).to_owned();
        let self_named = parts[0].starts_with('~');
        Item { self_named, served, named, ..listed(parts[0].trim_start_matches('~'), parts[1]) }
    };
    let items: Vec<Item> = things.iter().map(item).collect();
    let upstreams = items.iter().map(|item| item.upstream.as_str()).collect();
    let matched = Matched::of(&rules, &items, KnownUpstreams { upstreams: &upstreams, alone });
    matched.said.iter().map(MatchedRules::is_hidden).collect()
}

#[test]
fn each_form_hides_whatever_others_bring() {
    for form in ["x", "a/x", "a__x", "a/*", "*/x", "a__*", "x*", "a*/x"] {
        for served in ["a x", "a x a__x"] {
            assert_eq!(hidden(&[form], &[served], false), [true], "{form} {served}");
        }
    }
}

#[test]
fn a_form_with_an_upstream_leaves_others_alone() {
    for form in ["a/x", "a__x", "a/*", "a__*"] {
        assert_eq!(hidden(&[form], &["a x a__x", "b x b__x", "b y"], false), [true, false, false], "{form}");
    }
    assert_eq!(hidden(&["x"], &["a x a__x", "b x b__x", "b y"], false), [true, true, false]);
}

#[test]
fn what_may_be_read_in_two_ways_hides_in_both() {
    assert_eq!(hidden(&["a/x"], &["a x", "b a/x", "b x"], false), [true, true, false]);
    assert_eq!(hidden(&["a__x"], &["a x", "b a__x", "b x"], false), [true, true, false]);
    assert_eq!(hidden(&["a/b/x"], &["a b/x", "a/b x"], false), [true, true]);
}

#[test]
fn the_stronger_word_counts_and_among_equals_the_one_that_hides() {
    for (written, expected) in [
        (&["x", "!a/x"][..], [false, true]),
        (&["!x", "a/x"], [true, false]),
        (&["!a__x", "a/x"], [true, false]),
        (&["*", "!x"], [false, false]),
        (&["!x*", "*"], [false, false]),
        (&["*", "!x*"], [true, true]),
        (&["*", "!a/*"], [true, true]),
        (&["!a/*", "*"], [false, true]),
    ] {
        assert_eq!(hidden(written, &["a x", "b x"], false), expected, "{written:?}");
    }
}

#[test]
fn no_name_that_an_upstream_gives_its_tool_uncovers_it() {
    for shown in ["!a/x", "!a/*"] {
        assert_eq!(hidden(&[shown, "*"], &["a x", "b a/x"], false), [false, true], "{shown}");
    }
    // Said with its upstream, it is shown.
    assert_eq!(hidden(&["!b/a/x", "*"], &["b a/x"], false), [false]);
}

#[test]
fn a_pattern_reaches_the_served_form_where_names_may_clash() {
    for served in ["git log", "git log git__log"] {
        assert_eq!(hidden(&["git_*"], &[served], false), [true]);
    }
    assert_eq!(hidden(&["git_*"], &["git log"], true), [false]);
    assert_eq!(hidden(&["*/git_*"], &["git log"], false), [false]);
    // It does not reach so far for anything but hiding.
    assert_eq!(hidden(&["!git_*", "log"], &["git log"], false), [true]);
}

#[test]
fn an_upstream_that_chose_another_name_uncovers_nothing() {
    for form in ["a/x", "a__x", "a/*", "a-2/x"] {
        assert_eq!(hidden(&[form], &["~b x", "c x"], false), [true, false], "{form}");
    }
    // Where the upstream is there, it is the one that is meant.
    assert_eq!(hidden(&["a/x"], &["~a x", "~b x"], false), [true, false]);
    // A name that is explained otherwise is no stray.
    assert_eq!(hidden(&["get__x"], &["~b x", "~b get__x"], false), [false, true]);
}

fn briefs(written: &[(&str, &str)]) -> Vec<Rule> {
    let rule = |(pattern, brief): &(&str, &str)| Rule {
        brief: Some((*brief).to_owned()),
        ..Rule::new(pattern, String::new())
    };
    written.iter().map(rule).collect()
}

#[test]
fn a_name_is_stronger_than_a_file_and_a_file_than_a_pattern() {
    let rules = briefs(&[
        ("git_*", "wild"),
        ("*", "wilder"),
        ("git_log", "named"),
        ("up/git_log", "qualified"),
        ("git_?", "none"),
    ]);
    let brief = |upstream: &str, own: &str, filed: Option<&str>| {
        let items = [listed(upstream, own)];
        let upstreams = HashSet::from([upstream]);
        let matched = Matched::of(&rules, &items, KnownUpstreams { upstreams: &upstreams, alone: false });
        let unused: Vec<&str> = matched.unused.iter().map(|rule| rule.pattern.text()).collect();
        assert!(unused.contains(&"git_?"));
        matched.said[0].strongest(filed.map(str::to_owned), |rule| rule.brief.clone()).unwrap()
    };
    assert_eq!(brief("up", "git_log", Some("filed")), "qualified");
    assert_eq!(brief("other", "git_log", Some("filed")), "named");
    assert_eq!(brief("up", "git_add", Some("filed")), "filed");
    assert_eq!(brief("up", "git_add", None), "wild");
    assert_eq!(brief("up", "svn", None), "wilder");
    assert_eq!(brief("git", "svn", None), "wilder", "only what hides reaches for the served form");
}

#[test]
fn concerns_are_merged_name_by_name() {
    let rule = |pattern: &str, concerns: &str| Rule {
        concerns: Some(RawObject::parse(concerns).unwrap()),
        ..Rule::new(pattern, String::new())
    };
    let rules =
        [rule("*", r#"{"a":1,"b":1,"c":1,"d":1}"#), rule("t", r#"{"a":3}"#), rule("u/t", r#"{"d":4}"#)];
    let items = [listed("u", "t")];
    let upstreams = HashSet::from(["u"]);
    let matched = Matched::of(&rules, &items, KnownUpstreams { upstreams: &upstreams, alone: true });
    let merged = matched.said[0].concerns(Some(RawObject::parse(r#"{"b":2}"#).unwrap())).unwrap();
    assert_eq!(merged.text(), r#"{"d":4,"a":3,"b":2,"c":1}"#);
}
