//! Rules about URIs: whatever hides a resource hides it in any spelling.
//!
//! The first line of an input is taken for any rule and any URI. The second is what a URI is made of, pieces between
//! blanks: a scheme, a host (or `-`), and segments. The rest chooses, byte by byte, how that URI is spelled.

use std::sync::Arc;

use mcp_disclosure_core::{Material, Pattern, Principal, Rule, Rules, Snapshot, UpstreamLists, View};

/// Checks any text, and a URI with a spelling of it.
///
/// # Panics
/// Where a property does not hold.
pub fn check(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let mut lines = text.splitn(3, '\n');
    let (any, pieces, choices) = (
        lines.next().unwrap_or_default(),
        lines.next().unwrap_or_default(),
        lines.next().unwrap_or_default(),
    );
    check_any(any);
    if let Some(uri) = Uri::read(pieces) {
        let spelling = uri.spelled(&mut Choices(choices.bytes()));
        check_hidden(&uri, &spelling);
        check_allowed(&uri, &spelling);
    }
}

/// What holds for any text as a rule and as a URI.
fn check_any(text: &str) {
    assert!(hides(&hiding(&[text]), text), "a rule hides what is written like it: {text:?}");
    assert!(!hides(&hiding(&[]), text), "what no rule is about is not hidden: {text:?}");
    // What has a slash before its colon may be `upstream/URI`.
    let is_qualified = text.find('/').is_some_and(|slash| text[slash..].contains(':'));
    if !is_qualified {
        assert!(!hides(&allowing(&[text]), text), "a list allows what it has verbatim: {text:?}");
    }
    assert!(hides(&allowing(&[]), text), "an empty list allows nothing: {text:?}");
    if !text.is_empty() {
        assert!(hides(&hiding(&["*"]), text), "everything is hidden: {text:?}");
    }
}

/// Each rule that hides a URI hides its spelling.
fn check_hidden(uri: &Uri, spelling: &str) {
    let plain = uri.text();
    for rule in [
        plain.clone(),
        uri.folder_pattern(),
        format!("u/{plain}"),
        format!("*{}", uri.path()),
    ] {
        let rules = hiding(&[&rule]);
        assert!(hides(&rules, &plain), "{rule:?} hides {plain:?}");
        assert!(hides_stated(&rules, &plain), "{rule:?} hides {plain:?} in lists and links");
        assert!(hides(&rules, spelling), "{rule:?} hides {spelling:?} like {plain:?}");
    }
    // What shows something else does not show it.
    let rules =
        Rules { resources: vec![rule("elsewhere://*", false), rule(&plain, true)], ..Rules::default() };
    assert!(hides(&view(rules), spelling), "{spelling:?}");
}

/// A list of what else is allowed does not allow a spelling.
fn check_allowed(uri: &Uri, spelling: &str) {
    let other = format!("{}other/*", uri.root());
    let first = uri.segments.first().is_some_and(|segment| segment == "other");
    if !first {
        assert!(hides(&allowing(&[&other]), spelling), "{other:?} does not allow {spelling:?}");
    }
}

fn rule(pattern: &str, hidden: bool) -> Rule {
    Rule { hidden: Some(hidden), ..Rule::new(pattern, String::new()) }
}

fn hiding(patterns: &[&str]) -> View {
    view(Rules {
        resources: patterns.iter().map(|pattern| rule(pattern, true)).collect(),
        ..Rules::default()
    })
}

fn allowing(patterns: &[&str]) -> View {
    let allowed = patterns.iter().map(|pattern| Rule::new(pattern, String::new())).collect();
    view(Rules { allowed_resources: Some(allowed), ..Rules::default() })
}

fn view(rules: Rules) -> View {
    let material = Material::<UpstreamLists> { upstreams: &[], complete: true, files: &[], rules: &Arc::new(rules) };
    View::of(Arc::new(Snapshot::assemble(material)), &Principal::anonymous())
}

/// Whether a client cannot ask for it.
fn hides(view: &View, uri: &str) -> bool {
    view.refuses_resource(uri)("u")
}

/// Whether no client learns of it from what an upstream says.
fn hides_stated(view: &View, uri: &str) -> bool {
    view.hides_resource(uri)("u")
}

/// A URI of which every part is known.
struct Uri {
    scheme: String,
    host: Option<String>,
    segments: Vec<String>,
}

impl Uri {
    fn read(pieces: &str) -> Option<Self> {
        let mut pieces = pieces.split(' ').filter(|piece| !piece.is_empty());
        let scheme: String = pieces
            .next()?
            .chars()
            .filter(char::is_ascii_alphanumeric)
            .take(8)
            .collect::<String>()
            .to_lowercase();
        if !scheme.starts_with(|first: char| first.is_ascii_alphabetic()) {
            return None;
        }
        let host: String = pieces
            .next()?
            .chars()
            .filter(char::is_ascii_alphanumeric)
            .take(8)
            .collect::<String>()
            .to_lowercase();
        // A file is on this machine.
        let host = Some(host).filter(|_| scheme != "file");
        let plain =
            |character: &char| character.is_alphanumeric() || " -_.~!$&'()+,;=:@".contains(*character);
        let segments: Vec<String> =
            pieces.take(6).map(|piece| piece.chars().filter(plain).take(8).collect()).collect();
        let is_name = |segment: &String| !matches!(&**segment, "" | "." | "..");
        (!segments.is_empty() && segments.iter().all(is_name)).then_some(Self { scheme, host, segments })
    }

    fn root(&self) -> String {
        format!("{}://{}/", self.scheme, self.host.as_deref().unwrap_or_default())
    }

    fn path(&self) -> String {
        format!("/{}", self.segments.join("/"))
    }

    fn text(&self) -> String {
        format!("{}{}", self.root(), self.segments.join("/"))
    }

    /// Everything in its folder.
    fn folder_pattern(&self) -> String {
        let folder = &self.segments[..self.segments.len() - 1];
        let folder: String = folder.iter().map(|segment| format!("{segment}/")).collect();
        format!("{}{folder}*", self.root())
    }

    /// The same in another spelling: equivalent by RFC 3986 or to some server.
    fn spelled(&self, choices: &mut Choices<'_>) -> String {
        let mut spelling = in_any_case(&self.scheme, choices);
        spelling.push(':');
        let authority = match &self.host {
            Some(host) => Some(in_any_case(host, choices)),
            None => match choices.next() % 4 {
                0 => None,
                1 => Some(in_any_case("localhost", choices)),
                2 => Some("elsewhere".to_owned()),
                _ => Some(String::new()),
            },
        };
        if let Some(authority) = authority {
            spelling.push_str("//");
            spelling.push_str(&authority);
        }
        spelling.push('/');
        for (at, segment) in self.segments.iter().enumerate() {
            if at > 0 {
                spelling.push_str(slash(choices));
            }
            detour(&mut spelling, choices);
            segment.chars().for_each(|character| spell(&mut spelling, character, choices));
        }
        spelling.push_str(["", "", "", "/", "?", "?q=1", "#f", "/."][usize::from(choices.next() % 8)]);
        spelling
    }
}

/// Bytes that decide; once they are used up, nothing is done.
struct Choices<'c>(std::str::Bytes<'c>);

impl Choices<'_> {
    fn next(&mut self) -> u8 {
        self.0.next().unwrap_or(b'0')
    }
}

fn in_any_case(text: &str, choices: &mut Choices<'_>) -> String {
    let turned = |character: char, choice: u8| {
        if choice % 2 == 1 { character.to_ascii_uppercase() } else { character }
    };
    text.chars().map(|character| turned(character, choices.next())).collect()
}

fn slash(choices: &mut Choices<'_>) -> &'static str {
    ["/", "/", "/", "//", "///", "\\", "%2F", "%5c", "%252f"][usize::from(choices.next() % 9)]
}

/// Segments that lead nowhere.
fn detour(spelling: &mut String, choices: &mut Choices<'_>) {
    spelling.push_str(match choices.next() % 12 {
        6 => "./",
        7 => "x/../",
        8 => "%2e/",
        9 => "x/%2E./",
        10 => "x/y/../../",
        11 => "x/..%2f",
        _ => "",
    });
}

/// A character as it is, or escaped once or twice.
fn spell(spelling: &mut String, character: char, choices: &mut Choices<'_>) {
    let mut bytes = [0; 4];
    let bytes = character.encode_utf8(&mut bytes).bytes();
    match choices.next() % 6 {
        3 => bytes.for_each(|byte| spelling.push_str(&format!("%{byte:02X}"))),
        4 => bytes.for_each(|byte| spelling.push_str(&format!("%{byte:02x}"))),
        5 => bytes.for_each(|byte| spelling.push_str(&format!("%25{byte:02x}"))),
        _ => spelling.push(character),
    }
}
