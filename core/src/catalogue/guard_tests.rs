//! Which resources rules hide and allow.

use proptest::prelude::*;

use super::*;

/// Rules that hide, but for those that begin with `!`, which show, and `+`, which allow.
fn guard(written: &[&str]) -> Guard {
    let mut rules = Rules::default();
    for text in written {
        if let Some(allowed) = text.strip_prefix('+') {
            rules.allowed_resources.get_or_insert_default().push(Rule::new(allowed, String::new()));
            continue;
        }
        let (text, hidden) = text.strip_prefix('!').map_or((*text, true), |text| (text, false));
        rules.resources.push(Rule { hidden: Some(hidden), ..Rule::new(text, String::new()) });
    }
    Guard::new(&rules, &[])
}

/// What is asked for and not listed.
fn hides(guard: &Guard, uri: &str) -> bool {
    guard.hides("a", &Uri::requested(uri))
}

/// What an upstream lists or links to.
fn hides_stated(guard: &Guard, uri: &str) -> bool {
    guard.hides("a", &Uri::stated(uri))
}

/// Rules that hide `file:///data/private/s`.
const HIDING: [&str; 11] = [
    "file:///data/private/*",
    "file:///data/private/s",
    "FILE://localhost/data//private/s",
    "file:/data/x/../%70rivate/s",
    "file:///data/private/?",
    "*/private/*",
    "*private*",
    "f*:///data/private/s",
    "*:///data/private/s",
    "a/file:///data/private/s",
    "*/file:/data/private/*",
];

#[test]
fn what_is_near_to_what_is_hidden_is_shown() {
    for rule in HIDING {
        for uri in ["file:///data/public/s", "kit://doc", "file:///dat"] {
            assert!(!hides(&guard(&[rule]), uri), "{rule}: {uri}");
        }
    }
}

/// `file:///data/private/s` as some server may take it, by these choices.
fn spelled(choices: &[u8]) -> String {
    let mut choices = choices.iter().map(|choice| usize::from(*choice)).chain(std::iter::repeat(0));
    let mut choose = |of: &[&'static str]| of[choices.next().unwrap() % of.len()];
    let mut uri = choose(&["file:", "FILE:", "fIle:"]).to_owned();
    uri += choose(&["///", "/", "//localhost/", "//LOCALhost/", "//elsewhere/"]);
    for (before, segment) in [(false, "data"), (true, "private"), (true, "s")] {
        if before {
            uri += choose(&["/", "/", "//", "///", "\\", "%2F", "%5c", "%252f"]);
        }
        uri += choose(&["", "", "./", "x/../", "%2e/", "x/%2E./", "x/y/../../", "x/..%2f"]);
        for letter in segment.chars() {
            match choose(&["", "", "%", "%25"]) {
                "" => uri.push(letter),
                escape => uri += &format!("{escape}{:02x}", u32::from(letter)),
            }
        }
    }
    uri + choose(&["", "/", "?", "?q=1", "#f", "/."])
}

proptest! {
    #[test]
    fn p3_no_spelling_of_what_is_hidden_passes(choices in prop::collection::vec(any::<u8>(), 0..24)) {
        let uri = spelled(&choices);
        for rule in HIDING {
            prop_assert!(hides(&guard(&[rule]), &uri), "{rule}: {uri}");
            prop_assert!(hides(&guard(&["!elsewhere://*", rule]), &uri), "{rule}: {uri}");
        }
        prop_assert!(hides(&guard(&["+file:///data/public/*"]), &uri), "{uri}");
    }
}

#[test]
fn p3_what_stands_before_a_slash_is_an_upstream_where_it_begins_no_uri() {
    for (rule, hidden) in [
        ("a/*", [true, false]),
        ("a/k*", [true, false]),
        ("a/?it://*", [true, false]),
        ("?/*", [true, true]),
        ("a*/*", [true, false]),
        ("*/*", [true, true]),
        ("*/doc", [true, true]),
        ("kit://*", [true, true]),
        ("c/*", [false, false]),
    ] {
        let (hiding, uri) = (guard(&[rule]), Uri::stated("kit://doc"));
        assert_eq!(["a", "b"].map(|upstream| hiding.hides(upstream, &uri)), hidden, "{rule}");
        let allowing = guard(&[&format!("+{rule}")]);
        let allowed = ["a", "b"].map(|upstream| !allowing.hides(upstream, &uri));
        assert_eq!(allowed, hidden, "+{rule}");
    }
}

#[test]
fn p3_only_canonical_uris_and_those_written_verbatim_pass_while_anything_is_hidden() {
    let guard = guard(&["x://elsewhere", "!file:///data/100%.txt"]);
    for (uri, hidden) in [
        ("file:///data/a%20b", false),
        ("kit://doc?q=1", false),
        ("file:///data/100%.txt", false),
        ("file:///data/a%2Fb", true),
        ("file:///data/a b", true),
        ("file:///data//a", true),
        ("FILE:///data/a", true),
        ("doc", true),
    ] {
        assert_eq!(hides(&guard, uri), hidden, "{uri}");
        assert!(!hides_stated(&guard, uri), "what is listed, or linked to, passes: {uri}");
    }
}

#[test]
fn p3_what_an_upstream_spells_differently_is_hidden_like_the_canonical() {
    let guard = guard(&["file:///data/private/*", "x://private/*", "http://host/secret"]);
    for uri in [
        "FILE:/data\\public/..//private%2Fs",
        "file:///data/private/s%00",
        "file:///data/private/%zz",
        "file:///DATA/Private/s",
        "file:///data/private",
        "x:private/s",
        "http://user@HOST:80/secret/?q",
    ] {
        assert!(hides(&guard, uri) && hides_stated(&guard, uri), "{uri}");
    }
}

#[test]
fn p3_what_servers_fold_is_hidden_with_the_folded() {
    for (rule, uri) in [
        ("http://h/private", "http://h/private;x"),
        ("http://h/private", "http://h:81/private;x?q#f"),
        ("kit://h/private", "kit://h:1/private"),
        ("kit://h/a b", "kit://h/a+b"),
        ("kit://h/strasse", "kit://h/stra%C3%9Fe"),
        ("kit://h/Ma?", "kit://h/MA%C3%9F"),
        ("kit://h/\u{1fb7}", "kit://h/%E1%BE%BC%CD%82"),
        ("kit://h/?zmir", "kit://h/%C4%B0zmir"),
        ("kit://h/by?id=5/", "kit://h/by?id=5"),
        ("kit://h/by?id=5/", "kit://h/by?a=b&id=5/"),
    ] {
        assert!(hides(&guard(&[rule]), uri), "{rule}: {uri}");
    }
    let guard = guard(&["file:///data/caf\u{e9}", "kit://h/a b"]);
    for uri in ["file:///data/caf%C3%A8", "kit://h/%E5%A4%A9%E6%B0%97", "kit://h/a%20c", "kit://h:1/c+d;e"] {
        assert!(!hides(&guard, uri), "{uri}");
    }
}

#[test]
fn the_host_is_matched_in_any_case_wherever_the_pattern_reaches_it() {
    for rule in ["kit://Doc/*", "*Doc/*", "K*Doc/x", "kit://d*/x"] {
        let guard = guard(&[rule]);
        for uri in ["kit://doc/x", "kit://DOC/x", "KIT://dOc/x", "kit://d%6Fc/x"] {
            assert!(hides(&guard, uri) && hides_stated(&guard, uri), "{rule}: {uri}");
        }
    }
}

#[test]
fn what_shows_must_hold_for_every_reading() {
    let guard = guard(&["!file:///data/public/*", "file:///data/*", "!file:///data/private/open"]);
    for (uri, hidden) in [
        ("file:///data/public/a", false),
        ("file:///data/public/a b", true),
        ("file:///data/public/a%20b?x", false),
        ("file:///data/Public/a", true),
        ("file:///data/public/..%2Fprivate/a", true),
        ("file:///data/public/../private/a", true),
        ("file:///data/public/a%2Fb", true),
        ("file:///data/private/open", false),
        ("FILE:/data/private/open", true),
        ("file:///data/private/open?x", true),
        ("file:///data/private/other", true),
    ] {
        assert_eq!(hides(&guard, uri), hidden, "{uri}");
    }
}

#[test]
fn a_rule_with_an_upstream_is_about_its_resource_alone() {
    let guard = guard(&["a/kit://doc", "b/kit://*", "!b/kit://open"]);
    let hides = |upstream: &str, uri: &str| guard.hides(upstream, &Uri::requested(uri));
    assert!(hides("a", "kit://Doc") && !hides("c", "kit://doc") && !hides("a", "kit://other"));
    assert!(hides("b", "kit://other") && !hides("b", "kit://open"));
}

#[test]
fn a_list_of_what_is_allowed_leaves_nothing_else() {
    let guard = guard(&[
        "+file:///data/public/*",
        "+kit://doc",
        "+b/kit://mine",
        "+gh://repo/a%2Fb",
        "file:///data/public/not/*",
    ]);
    for uri in [
        "FILE:/data/./public//a",
        "file:///data/Public/a",
        "file:///data/public/not/a",
        "file:///data/public/..%2Fprivate/a",
        "file:///data/private/a",
        "kit://DOC",
        "kit://doc?x",
        "kit://doc/x",
        "kit://mine",
        "gh://repo/a%2fb",
        "",
    ] {
        assert!(hides(&guard, uri), "{uri}");
    }
    for uri in ["file:///data/public/a%40b", "file:///data/public/sub/a", "kit://doc", "gh://repo/a%2Fb"] {
        assert!(!hides(&guard, uri), "{uri}");
    }
    assert!(!guard.hides("b", &Uri::requested("kit://mine")));
    for (uri, hidden) in [
        ("FILE:///data/public/a b", false),
        ("file:///data/public/..%2Fprivate/a", true),
        ("kit://DOC", true),
    ] {
        assert_eq!(hides_stated(&guard, uri), hidden, "{uri}");
    }
    let escaped = super::tests::guard(&["+x://h/a%2A", "+X://h/b", "+X://h/*"]);
    assert!(!hides(&escaped, "x://h/a%2A") && !hides(&escaped, "x://h/b"));
    assert!(hides(&escaped, "x://h/ab") && hides(&escaped, "x://h/c"));
}

#[test]
fn what_is_about_nothing_that_is_listed_nor_that_a_template_may_stand_for_is_idle() {
    let guard = guard(&[
        "kit://D*",
        "kit://no",
        "file:///d/secret/*",
        "file:///e/*",
        "+kit://a b",
        "+kit://DOC",
        "+b/kit://doc",
        "+a/file:///d/public/*",
        "+*/file:///e/x",
    ]);
    let listed = ["kit://doc", "kit://a%20b", "file:///d/{path}"].map(|uri| ("a", Uri::stated(uri)));
    let idle: Vec<&str> = guard.idle(&listed).map(|rule| rule.pattern.text()).collect();
    assert_eq!(idle, ["kit://no", "file:///e/*", "kit://DOC", "b/kit://doc", "*/file:///e/x"]);
}

#[test]
fn an_empty_list_allows_nothing() {
    let guard = Guard::new(&Rules { allowed_resources: Some(vec![]), ..Rules::default() }, &[]);
    assert!(guard.is_on() && hides(&guard, "kit://doc"));
}

#[test]
fn a_template_goes_by_its_own_text() {
    let guard = guard(&["file:///data/private/*", "+file:///{+path}", "+file:///data/*"]);
    assert!(hides_stated(&guard, "file:///data/private/{name}"));
    assert!(!hides_stated(&guard, "file:///{+path}"));
    assert!(!hides_stated(&guard, "file:///data/{name}"));
    assert!(hides_stated(&guard, "file:///other/{name}"));
}

#[test]
fn p3_an_authority_may_be_the_first_segment_of_a_path() {
    let guard = guard(&["x://private/*"]);
    for (uri, hidden) in [
        ("x://private/s", true),
        ("x://public/../private/s", true),
        ("x:///private/s", true),
        ("x://public/s", false),
        ("x://public/private/s", false),
    ] {
        assert_eq!(hides(&guard, uri), hidden, "{uri}");
    }
}

#[test]
fn p3_a_query_is_hidden_in_any_order_and_among_others() {
    let guard = guard(&["x://h/get?id=secret&kind=a*", "a/x://h/one?id=s"]);
    for (uri, hidden) in [
        ("x://h/get?id=secret&kind=all", true),
        ("x://h/get?kind=a&id=secret", true),
        ("x://h/get?v=1&id=secret&kind=a#top", true),
        ("x://h/get/?ID=Secret&kind=a", true),
        ("x://h/one?v=1&id=s", true),
        ("x://h/get?id=secret", false),
        ("x://h/get?id=public&kind=a", false),
        ("x://h/other?kind=a&id=secret", false),
        ("x://h/one?id=ss", false),
    ] {
        assert_eq!((hides(&guard, uri), hides_stated(&guard, uri)), (hidden, hidden), "{uri}");
    }
    assert!(!guard.hides("b", &Uri::requested("x://h/one?v=1&id=s")));
}

#[test]
fn p3_what_upstreams_spell_as_nobody_may_ask_for_it_is_hidden() {
    let guard = guard(&["file:///data/secret.txt", "https://host/secret", "doc://h/private/*"]);
    for (uri, hidden) in [
        // Hosts: a point behind, a port, another width.
        ("https://host.:8443/secret", true),
        ("https://\u{ff48}ost/secret", true),
        ("FILE://user:p@else.where/data/./secret.txt", true),
        // Paths: steps up in other letters, escaped twice, and behind a parameter.
        ("doc ://h/private/x", true),
        ("doc://h/private%00/x", true),
        ("doc://h/\u{2025}/private/x", true),
        ("doc://h/b/\u{ff0e}\u{ff0e}/private/x", true),
        ("doc://h/b/.. /private/x", true),
        ("doc://h/a/..\u{ff1b}v=1/private/x", true),
        ("doc://h/a/\u{ff05}2e%2e/private/x", true),
        // Endings that a file system leaves out.
        ("file:///data/%EF%BD%93ecret.txt", true),
        ("file:///data/secret.txt.", true),
        ("file:///data/secret.txt\u{3000}", true),
        ("file:///data/secret.txt%C2%A0", true),
        ("file:///data/secret.txt%00.png", true),
        ("file:///data/secret.txt;v=1?x", true),
        ("https://host/secret\u{2028}", true),
        ("https://host/secrets", false),
        ("doc://h/privates/x", false),
        ("file:///data/secret", false),
        ("file:///data/secret.txt.gz", false),
    ] {
        assert_eq!(hides_stated(&guard, uri), hidden, "{uri:?}");
    }
    // Rules are read in the same way, and what stands before a wildcard is kept.
    for (rule, hidden, shown) in [
        ("https://host./\u{ff53}", "https://host/s", "https://host/t"),
        ("file:///v1.*", "file:///v1.2", "file:///v12"),
        ("x://h/*.", "x://h/a.", "x://h/a"),
    ] {
        let guard = self::guard(&[rule]);
        assert!(hides_stated(&guard, hidden) && !hides_stated(&guard, shown), "{rule}");
    }
}
