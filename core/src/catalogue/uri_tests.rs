//! Canonical URIs, and what others are compared by.

use proptest::prelude::*;

use super::*;

#[test]
fn p3_what_every_server_reads_alike_is_canonical() {
    let uris = "file:///data/public/s file:///C:/data/s.txt file:///data/a%20b/%C3%BC kit://doc kit://doc/a%40b?q=1#top \
        greeting://Alice postgres://db.example:5432/table/schema https://example.com/a:b;c=1 https://xn--bcher-kva.example/ \
        urn:isbn:0451450523 x://h/.hidden/a..b";
    for uri in uris.split_whitespace() {
        assert!(is_canonical(uri), "{uri}");
    }
}

#[test]
fn p3_other_spellings_are_not_canonical() {
    let no_uri = [" x://h/a", "x://h/a\n", "x://h/\ta", "x://h/a b", "x://h/a\u{0}", ""];
    for uris in [
        // Case, default and empty ports, user information, an empty query or fragment.
        "FILE:///data/s HTTP://host/ http://HOST/ http://host:80/a http://host:/a http://host:0443/a https://user@host/a \
         x://user:secret@host/a x://@host/a x://host/a? x://host/a#",
        // Parameters that some servers read otherwise.
        "x://host/a??id=1 x://host/a???id=1&b=2 x://host/a?id=+1 x://host/a?id=1+ x://host/a?b=1&+id=1",
        // Hosts that are spelled otherwise.
        "http://host http://host./a http://b\u{fc}cher.example/ http://127.1/ http://0x7f.0.0.1/ http://[0:0:0:0:0:0:0:1]/ \
         http://%68ost/a",
        // Files of this and other hosts.
        "file:/data/s file:data/s file:////data/s file:///data/s. file:///data/s::$DATA file://localhost/data/s \
         file://elsewhere/data/s file:///C|/data",
        // Slashes and dots.
        "http:/host/a http:host/a http:\\\\host\\a file:///data\\s x://h/a//b x:////a x://h/a/./b x://h/a/../b x://h/a/.. x:../a \
         x:a/../b x://h/a?/../b x://h/a?path=../b x://h/a#/./b x://h/a/..;/b x://h/.hidden/... x://h/%2e%2e/a x://h/.%2E/a",
        // Escapes: needless, of delimiters, in lower case, twice, cut off, and of no text.
        "x://h/%70rivate x://h/a%2Fb x://h/a%5Cb x://h/a%3Fb x://h/a%23b x://h/a%252Fb x://h/100%25 x://h/%c3%bc x://h/a% \
         x://h/a%2 x://h/a%zz x://h/a%00 x://h/a%0A x://h/%C0%AE x://h/%FF",
        // What is no URI, and invisible characters.
        "doc /data/s file x://h/\u{fc} x://h/{name} x://h/a|b x://h/\u{ff0f}a x://h/a%E2%80%8Bb x://h/a%C2%ADb x://h/a%EF%B8%8Fb",
    ]
    .map(|uris| uris.split(' '))
    {
        for uri in uris.chain(no_uri) {
            assert!(!is_canonical(uri), "{uri:?}");
        }
    }
    assert!(Uri::requested(&format!("x://h/{}", "a".repeat(MOST_BYTES))).is_doubtful);
}

#[test]
fn p3_what_upstreams_spell_differently_has_one_key() {
    for (key, spellings) in [
        (
            "file:///data/private/s",
            "FILE:///data/private/s|file:/data/private/s|file:data/private/s|file://localhost/data/private/s|\
             file:////data//private///s|file:///data/./private/x/../s|file:///data/%70riv%2561te/s|\
             file:///data/%2e/private/s|file:///x/..%2Fdata/private/s|file:///data\\private%5cs| file:///data/private/s\n",
        ),
        ("http://host/a", "HTTP://HOST:80/a|http://user:secret@host//a|http:host/a"),
        ("kit://doc/\u{fc} x", "kit://doc/%C3%BC%20x|kit://doc/\u{fc}%20x"),
        ("file:///data/*", "file:///data/*|FILE://localhost/data//*"),
        ("file:///data/{name}", "file:///data/{name}"),
        ("*/private/*", "*/private/*|*//pri%76ate/*"),
    ] {
        for spelling in spellings.split('|') {
            assert_eq!(super::key(spelling), key, "{spelling:?}");
        }
    }
}

#[test]
fn p3_invisible_characters_hide_nothing() {
    for (plain, spelled) in [
        ("file:///data/private/s", "file:///data/pri\u{200b}vate/s"),
        ("file:///data/private/s", "file:///data/pri%C2%ADvate/%EF%BB%BFs"),
        ("file:///data/private/s", "file:///data/private/s\u{fe0f}"),
        ("https://example.com/s", "https://exam\u{ad}ple.com/s"),
        ("https://example.com/s?a=b", "https://example.com/s?a=\u{2060}b"),
        // What is left is composed.
        ("x://h/\u{e9}", "x://h/e\u{200d}\u{301}"),
    ] {
        let (plain, spelled) = (Uri::stated(plain), Uri::stated(spelled));
        assert!(plain.forms.iter().all(|form| spelled.forms.contains(form)), "{spelled:?}");
        assert_eq!(plain.parameters, spelled.parameters);
    }
}

/// Pieces of URIs, among them everything that means something in one.
fn uris() -> impl Strategy<Value = String> {
    let pieces = "file:|kit:|HTTP:|//|/|\\|..|.|%2e|%2F|%5c|%25|%|%7|%C3%BC|%ff|%00|\u{fc}|a|B|private|host|localhost|:80|@|?|#| |\t|*|{x}|%2A";
    let piece = prop::sample::select(pieces.split('|').collect::<Vec<_>>());
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn p3_a_canonical_uri_is_its_own_key_but_for_escapes(uri in uris()) {
        // A query may have doubled slashes, which a key has not.
        let rest = uri.split_once("://").map_or(&*uri, |(_, rest)| rest);
        if is_canonical(&uri) && !rest.contains("//") {
            prop_assert_eq!(super::key(&uri), percent_decode_str(&uri).decode_utf8_lossy());
        }
    }

    #[test]
    fn p3_any_text_has_a_key(uri in any::<String>(), pieces in uris()) {
        for text in [uri, pieces] {
            let (stated, requested) = (Uri::stated(&text), Uri::requested(&text));
            prop_assert_eq!(&stated.key, &requested.key);
            prop_assert_eq!(requested.is_doubtful, !is_canonical(&text));
        }
    }
}
