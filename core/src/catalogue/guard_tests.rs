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

/// Whether each of these, of which a bar is between, is hidden where it is asked for, and where it is stated.
#[track_caller]
fn all_are(guard: &Guard, asked: bool, stated: bool, uris: &str) {
    for uri in uris.split('|') {
        assert_eq!((hides(guard, uri), hides_stated(guard, uri)), (asked, stated), "{uri:?}");
    }
}

/// Rules that hide `file:///data/private/s`.
const HIDING: &str = "file:///data/private/*|file:///data/private/s|FILE://localhost/data//private/s|file:/data/x/../%70rivate/s|\
    file:///data/private/?|*/private/*|*private*|f*:///data/private/s|*:///data/private/s|a/file:///data/private/s|\
    */file:/data/private/*";

/// Spellings of it beside those that [`spelled`] makes.
const SPELLINGS: &str = "file:///data/private/s|file:////data/private/s|file:///data/private/./s//|file:///data/private/s%00.txt|\
    file:///data/private/s%|file:///data/%C0%AE./private/s| file:///data/private/s";

#[test]
fn every_spelling_of_what_is_hidden_is_refused() {
    for rule in HIDING.split('|') {
        let guard = guard(&[rule]);
        for uri in SPELLINGS.split('|') {
            assert!(hides(&guard, uri), "{rule}: {uri}");
        }
        for uri in ["file:///data/public/s", "kit://doc", "file:///dat"] {
            assert!(!hides(&guard, uri), "{rule}: {uri}");
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
        for rule in HIDING.split('|') {
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
    let spelled = "FILE:///data/private/s|file:/data/private/s|file://localhost/data/private/s|file:///data//private/s|\
        file:///data/public/../private/s|file:///data/public/%252e%252e/private/s|file:///data\\private%2Fs|\
        file:///data/private/s%00|file:///data/private/%zz|file:///DATA/Private/s|file:///data/private|x:///private/s|\
        x:private/s|http://user@HOST:80/secret/?q";
    all_are(&guard, true, true, spelled);
}

#[test]
fn p3_what_servers_fold_is_refused_or_hidden_with_the_folded() {
    let guard = guard(&[
        "file:///data/private/*",
        "file:///data/caf\u{e9}",
        "http://h/private",
        "kit://h/a b",
        "kit://h/private",
        "kit://h/strasse",
        "kit://h/\u{1fb7}",
        "kit://h/by?id=5/",
        "kit://h/Ma?",
        "kit://h/?zmir",
    ]);
    let folded = "file:///data/%EF%BD%90rivate/s|file:///data/public/%EF%BC%8E%EF%BC%8E/private/s|\
        file:///data/public/%E2%80%A5/private/s|file:///data/public/..%EF%BC%8Fprivate/s|file:///data/cafe%CC%81|\
        http://h/private;x|http://h:81/private;x?q#f|kit://h/a+b|kit://h/private%C2%A0|kit://h/private%20|\
        kit://h:1/private|kit://h/stra%C3%9Fe|kit://h/%C5%BFtrasse|kit://h/STRA%E1%BA%9EE|kit://h/%E1%BE%BC%CD%82|\
        kit://h/MA%C3%9F|kit://h/%C4%B0zmir|kit://h/by?id=5|kit://h/by?a=b&id=5/";
    for uri in folded.split('|') {
        assert!(hides(&guard, uri), "{uri}");
    }
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
    let hidden = "FILE:/data/./public//a|file:///data/Public/a|file:///data/public/not/a|file:///data/public/../private/a|\
        file:///data/public/..%2Fprivate/a|file:///data/public/a%2Fb|file:///data/public/%2e%2e/public/a|\
        file:///data/public/%zz|file:///data/public/%00|file:///data/public/a\\b|file:///data/private/a|kit://DOC|\
        kit://doc?x|kit://doc/x|kit://mine|gh://repo/a%2fb|";
    for uri in hidden.split('|') {
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
    let hidden = "x://private/s|x://public/../private/s|x://public/a/../../private/s|x://public/%2e%2e/private/s|x:///private/s";
    for uri in hidden.split('|') {
        assert!(hides(&guard, uri), "{uri}");
    }
    all_are(&guard, false, false, "x://public/s|x://public/private/s");
}

#[test]
fn p3_a_query_is_hidden_in_any_order_and_among_others() {
    let guard = guard(&["x://h/get?id=secret&kind=a*", "a/x://h/one?id=s"]);
    let hidden = "x://h/get?id=secret&kind=all|x://h/get?kind=a&id=secret|x://h/get?v=1&id=secret&kind=a#top|\
        x://h/get/?ID=Secret&kind=a|x://h/one?v=1&id=s";
    all_are(&guard, true, true, hidden);
    let shown = "x://h/get?id=secret|x://h/get?id=public&kind=a|x://h/other?kind=a&id=secret|x://h/one?id=ss";
    for uri in shown.split('|') {
        assert!(!hides(&guard, uri), "{uri}");
    }
    assert!(!guard.hides("b", &Uri::requested("x://h/one?v=1&id=s")));
}

#[test]
fn p3_what_upstreams_spell_as_nobody_may_ask_for_it_is_hidden() {
    let guard = guard(&["file:///data/secret.txt", "https://host/secret", "doc://h/private/*"]);
    let spelled = "https://host./secret|https://host.:8443/secret|https://host/secret\u{2028}|https://\u{ff48}ost/secret|\
        doc://h./private/a|doc://h/private%00/x|doc ://h/private/x|doc://h/\u{2025}/private/x|\
        doc://h/b/\u{ff0e}\u{ff0e}/private/x|doc://h/b/.. /private/x|doc://h/a/..;/private/x|\
        doc://h/a/..\u{ff1b}v=1/private/x|doc://h/a/\u{ff05}2e%2e/private/x|file://user@/data/secret.txt|\
        FILE://user:p@else.where/data/./secret.txt|file:///data/\u{ff53}ecret.txt|file:///data/%EF%BD%93ecret.txt|\
        file:///data/secret.txt.|file:///data/secret.txt\u{3000}|file:///data/secret.txt%C2%A0|\
        file:///data/secret.txt%00.png|file:///data/secret.txt;v=1?x";
    for uri in spelled.split('|') {
        assert!(hides_stated(&guard, uri), "{uri:?}");
    }
    let shown = "https://host/secrets|doc://h/privates/x|file:///data/secret|file:///data/secret.txt.gz";
    for uri in shown.split('|') {
        assert!(!hides_stated(&guard, uri), "{uri:?}");
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
