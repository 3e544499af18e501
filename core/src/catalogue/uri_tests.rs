//! Canonical URIs, and what others are compared by.

use proptest::prelude::*;

use super::*;

#[test]
fn p3_what_every_server_reads_alike_is_canonical() {
    for uri in [
        "file:///data/public/s",
        "file:///C:/data/s.txt",
        "file:///data/a%20b/%C3%BC",
        "kit://doc/a%40b?q=1#top",
        "greeting://Alice",
        "postgres://db.example:5432/table/schema",
        "https://example.com/a:b;c=1",
        "https://xn--bcher-kva.example/",
        "urn:isbn:0451450523",
        "x://h/.hidden/a..b",
    ] {
        assert!(is_canonical(uri), "{uri}");
    }
}

#[test]
fn p3_other_spellings_are_not_canonical() {
    let kinds: [(&str, &[&str]); 20] = [
        ("case", &["FILE:///data/s", "http://HOST/"]),
        ("ports", &["http://host:80/a", "http://host:/a", "http://host:0443/a"]),
        ("user information", &["https://user@host/a", "x://user:secret@host/a", "x://@host/a"]),
        ("empty query or fragment", &["x://h/a?", "x://h/a#"]),
        ("parameters", &["x://h/a??id=1", "x://h/a?id=+1", "x://h/a?id=1+", "x://h/a?b=1&+id=1"]),
        ("hosts", &["http://h", "http://h./", "http://b\u{fc}cher.example/", "http://%68ost/a"]),
        ("addresses", &["http://127.1/", "http://0x7f.0.0.1/", "http://[0:0:0:0:0:0:0:1]/"]),
        ("files", &["file:/a", "file:a", "file:////a", "file:///C|/a"]),
        ("files of hosts", &["file://localhost/a", "file://other/a"]),
        ("endings", &["file:///a.", "file:///a::$DATA", "x://h/a%20", "x://h/a%C2%A0"]),
        ("slashes", &["http:/h/a", "http:h/a", "http:\\\\h\\a", "file:///a\\s", "x://h/a//b", "x:////a"]),
        ("dots", &["x://h/a/./b", "x://h/a/../b", "x://h/a/..", "x:../a", "x://h/..;/b", "x://h/..."]),
        ("dots behind a path", &["x://h/a?/../b", "x://h/a?path=../b", "x://h/a#/./b"]),
        ("needless escapes", &["x://h/%70rivate", "x://h/%c3%bc", "x://h/%2e%2e/a"]),
        ("delimiters", &["x://h/a%2Fb", "x://h/a%5Cb", "x://h/a%3Fb", "x://h/a%23b", "x://h/100%25"]),
        ("no text", &["x://h/a%", "x://h/a%2", "x://h/a%zz", "x://h/a%00", "x://h/%C0%AE", "x://h/%FF"]),
        ("compatible letters", &["x://h/%EF%BD%90", "x://h/%E2%80%A5", "x://h/e%CC%81"]),
        ("invisible", &["x://h/a%E2%80%8Bb", "x://h/a%C2%ADb", "x://h/a%EF%B8%8Fb"]),
        ("letters", &["x://h/\u{fc}", "x://h/{name}", "x://h/a|b", "x://h/a b", "x://h/\u{ff0f}a"]),
        ("no URI", &["", "doc", "/data/s", " x://h/a", "x://h/a\n", "x://h/\ta", "x://h/a\u{0}"]),
    ];
    for (kind, uris) in kinds {
        for uri in uris {
            assert!(!is_canonical(uri), "{kind}: {uri:?}");
        }
    }
    assert!(Uri::requested(&format!("x://h/{}", "a".repeat(MOST_BYTES))).is_doubtful);
}

#[test]
fn p3_what_upstreams_spell_differently_has_one_key() {
    for (spelling, key) in [
        ("FILE:///data/private/s", "file:///data/private/s"),
        ("file:/data/private/s", "file:///data/private/s"),
        ("file:data/private/s", "file:///data/private/s"),
        ("file://localhost/data/private/s", "file:///data/private/s"),
        ("file:////data//private///s", "file:///data/private/s"),
        ("file:///data/./private/x/../s", "file:///data/private/s"),
        ("file:///data/%70riv%2561te/s", "file:///data/private/s"),
        ("file:///x/..%2Fdata/%2e/private/s", "file:///data/private/s"),
        ("file:///data\\private%5cs", "file:///data/private/s"),
        (" file:///data/private/s\n", "file:///data/private/s"),
        ("HTTP://HOST:80/a", "http://host/a"),
        ("http://user:secret@host//a", "http://host/a"),
        ("http:host/a", "http://host/a"),
        ("kit://doc/%C3%BC%20x", "kit://doc/\u{fc} x"),
        ("FILE://localhost/data//*", "file:///data/*"),
        ("file:///data/{name}", "file:///data/{name}"),
        ("*//pri%76ate/*", "*/private/*"),
    ] {
        assert_eq!(super::key(spelling), key, "{spelling:?}");
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
    let pieces = [
        "file:",
        "kit:",
        "HTTP:",
        "//",
        "/",
        "\\",
        "..",
        ".",
        "%2e",
        "%2F",
        "%5c",
        "%25",
        "%",
        "%7",
        "%C3%BC",
        "%ff",
        "%00",
        "\u{fc}",
        "a",
        "B",
        "private",
        "host",
        "localhost",
        ":80",
        "@",
        "?",
        "#",
        " ",
        "\t",
        "*",
        "{x}",
        "%2A",
    ];
    prop::collection::vec(prop::sample::select(pieces.to_vec()), 0..12).prop_map(|pieces| pieces.concat())
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
