//! The spellings of a URI: every text that some server would take for the same resource.
//!
//! RFC 3986 §6.2.2 says which spellings are equivalent, and servers go beyond it in different ways: some decode
//! `%2F`, some decode twice, some resolve `..` before doubled slashes and some after, some take `\` for `/`. A rule
//! that hides a resource has to hold whichever server is behind it, so all of these readings are made, and each is
//! held against the rule. What cannot be read at all keeps a doubt.
//!
//! A spelling is a key to compare by and no URI: upstreams get the text that the client sent.

use std::collections::HashSet;

/// A URI with more readings than this is doubtful.
const MOST_READINGS: usize = 32;

/// A URI of more bytes than this is not read at all, and doubtful.
const MOST_BYTES: usize = 16 * 1024;

/// What a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Syntax {
    Uri,
    /// `*` and `?` are wildcards, so that a query cannot be recognized.
    Pattern,
}

/// The spellings of one URI, or of one pattern of URIs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spellings {
    raw: String,
    /// The normalized text first, then other readings of it.
    readings: Vec<Reading>,
    /// Up to where it can be read, if not to its end.
    doubt: Option<String>,
    is_ambiguous: bool,
}

/// One reading of a URI.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// The text.
    pub text: String,
    /// How many bytes of it, scheme and host, are in lower case and mean the same in upper case.
    pub folded: usize,
}

impl Reading {
    fn new(text: String, syntax: Syntax) -> Self {
        let Parts { path, tail, .. } = Parts::of(&text, syntax);
        Self { folded: text.len() - path.len() - tail.len(), text }
    }
}

impl Spellings {
    /// Those of a URI or URI template.
    pub fn of(uri: &str) -> Self {
        Self::read(uri, Syntax::Uri)
    }

    /// Those of a pattern.
    pub(crate) fn of_pattern(pattern: &str) -> Self {
        Self::read(pattern, Syntax::Pattern)
    }

    /// The text as it came.
    pub fn raw(&self) -> &str {
        &self.raw
    }

    /// The text as RFC 3986 §6.2.2 normalizes it, with everything decoded that is no delimiter.
    pub fn normal(&self) -> &Reading {
        // There is at least this one.
        &self.readings[0]
    }

    /// The normalized text and its other readings.
    pub fn readings(&self) -> &[Reading] {
        &self.readings
    }

    /// Where it cannot be read to its end: the part before that.
    pub fn doubt(&self) -> Option<&str> {
        self.doubt.as_deref()
    }

    /// Whether servers may disagree on what it names.
    pub fn is_ambiguous(&self) -> bool {
        self.is_ambiguous
    }

    fn read(raw: &str, syntax: Syntax) -> Self {
        if raw.len() > MOST_BYTES {
            let readings = vec![Reading { text: raw.to_owned(), folded: 0 }];
            return Self { raw: raw.to_owned(), readings, doubt: Some(String::new()), is_ambiguous: true };
        }
        let text = visible(raw);
        let mut readings = vec![normal(&text, Order::DotsFirst, syntax)];
        let mut seen: HashSet<String> = readings.iter().cloned().collect();
        // The text as it came is a source of readings, too: normalizing may resolve what another server does not.
        let mut sources = vec![text.clone(), readings[0].clone()];
        while let Some(source) = sources.pop() {
            for reading in others(&source, syntax) {
                if seen.len() <= MOST_READINGS && seen.insert(reading.clone()) {
                    readings.push(reading.clone());
                    sources.push(reading);
                }
            }
        }
        let garbled = readings.iter().filter_map(|reading| before_garbled(reading));
        let bare = before_bare_percent(&text).map(|before| normal(before, Order::DotsFirst, syntax));
        let too_many = (seen.len() > MOST_READINGS).then(String::new);
        let doubt = garbled.chain(bare).chain(too_many).min_by_key(String::len);
        let is_ambiguous = readings.len() > 1 || doubt.is_some() || text != raw || has_encoded_dots(&text);
        let readings = readings.into_iter().map(|reading| Reading::new(reading, syntax)).collect();
        Self { raw: raw.to_owned(), readings, doubt, is_ambiguous }
    }
}

/// What is left where white space and controls are ignored as in the WHATWG's parser.
fn visible(raw: &str) -> String {
    let ends = |character: char| character <= ' ';
    raw.trim_matches(ends).replace(['\t', '\n', '\r'], "")
}

/// Whether `..` goes before doubled slashes become one, as in RFC 3986, or after, as in file systems.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    DotsFirst,
    SlashesFirst,
}

/// The texts that one reading leads to.
fn others(text: &str, syntax: Syntax) -> Vec<String> {
    let mut found = vec![text.to_owned()];
    if text.contains('\\') {
        found.push(text.replace('\\', "/"));
    }
    found.push(decoded(text));
    let parts = Parts::of(text, syntax);
    if let Some(authority) = parts.authority.filter(|_| syntax == Syntax::Uri) {
        if let Some((_, host)) = authority.rsplit_once('@') {
            found.push(parts.with_authority(host));
        }
        if parts.scheme.is_some_and(is_file) && !is_local(authority) {
            // Some look at the path alone, and some cut `file://` off.
            found.push(parts.with_authority(""));
            found.push(format!("file:///{authority}{}{}", parts.path, parts.tail));
        }
        // Dots are looked for as others decode them: normalizing resolves them within the path.
        for path in [parts.path.to_owned(), decoded(parts.path), decoded(&decoded(parts.path))] {
            let path = benign(&path, syntax).replace('\\', "/");
            if path.split('/').any(|segment| segment == "..") {
                // To a server that cuts the scheme off, the authority is the first segment of a path.
                let path = without_dots(&format!("{authority}{path}"), Order::SlashesFirst, syntax);
                let (authority, path) = path.split_at(path.find('/').unwrap_or(path.len()));
                found.push(Parts { authority: Some(authority), path, ..parts }.text());
            }
        }
    }
    if parts.tail.split(['/', '?', '#']).any(|segment| segment == "..") {
        // To a server that knows no queries it is all path.
        let path = without_dots(&format!("{}{}", parts.path, parts.tail), Order::SlashesFirst, syntax);
        found.push(Parts { path: &path, tail: "", ..parts }.text());
    }
    let normal =
        |text: &String| [Order::DotsFirst, Order::SlashesFirst].map(|order| normal(text, order, syntax));
    found.iter().flat_map(normal).collect()
}

/// A URI taken apart.
#[derive(Clone, Copy, Debug)]
struct Parts<'t> {
    scheme: Option<&'t str>,
    authority: Option<&'t str>,
    path: &'t str,
    /// The query and the fragment.
    tail: &'t str,
}

impl<'t> Parts<'t> {
    fn of(text: &'t str, syntax: Syntax) -> Self {
        let (scheme, rest) = match text.split_once(':') {
            Some((scheme, rest)) if is_scheme(scheme, rest, syntax) => (Some(scheme), rest),
            _ => (None, text),
        };
        let delimiters: &[char] = if syntax == Syntax::Uri { &['?', '#'] } else { &[] };
        let (rest, tail) = rest.split_at(rest.find(delimiters).unwrap_or(rest.len()));
        match rest.strip_prefix("//").filter(|_| scheme.is_some()) {
            Some(rest) => {
                let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
                Self { scheme, authority: Some(authority), path, tail }
            }
            None => Self { scheme, authority: None, path: rest, tail },
        }
    }

    fn with_authority(self, authority: &str) -> String {
        Parts { authority: Some(authority), ..self }.text()
    }

    fn text(self) -> String {
        let mut text = String::new();
        if let Some(scheme) = self.scheme {
            text.push_str(scheme);
            text.push(':');
        }
        if let Some(authority) = self.authority {
            text.push_str("//");
            text.push_str(authority);
        }
        text.push_str(self.path);
        text.push_str(self.tail);
        text
    }
}

fn is_scheme(scheme: &str, rest: &str, syntax: Syntax) -> bool {
    let wild = |character: char| syntax == Syntax::Pattern && matches!(character, '*' | '?');
    let fits =
        |character: char| character.is_ascii_alphanumeric() || "+-.".contains(character) || wild(character);
    let begins = scheme.starts_with(|first: char| first.is_ascii_alphabetic() || wild(first));
    // A template may have a variable for scheme.
    (begins && scheme.chars().all(fits)) || (rest.starts_with("//") && !scheme.contains('/'))
}

fn is_file(scheme: &str) -> bool {
    scheme.eq_ignore_ascii_case("file")
}

fn is_local(authority: &str) -> bool {
    authority.is_empty() || authority.eq_ignore_ascii_case("localhost")
}

/// RFC 3986 §6.2.2 and, for `file`, RFC 8089: the case of scheme and host, percent-encoding, dot segments, empty
/// and default ports, `localhost`; and doubled slashes.
fn normal(text: &str, order: Order, syntax: Syntax) -> String {
    let Parts { scheme, authority, path, tail } = Parts::of(text, syntax);
    // Of a pattern the case is kept: what comes after a wildcard may be about the path.
    let lower = |text: &str| if syntax == Syntax::Uri { text.to_lowercase() } else { text.to_owned() };
    let scheme = scheme.map(lower);
    let mut authority = authority.map(|authority| {
        let authority = lower(&benign(authority, syntax));
        without_port(&authority, scheme.as_deref()).to_owned()
    });
    let mut path = without_dots(&benign(path, syntax), order, syntax);
    if scheme.as_deref().is_some_and(is_file) && authority.as_deref().is_none_or(is_local) {
        authority = Some(String::new());
        if !path.starts_with('/') {
            path.insert(0, '/');
        }
    }
    let tail = benign(tail, syntax);
    Parts { scheme: scheme.as_deref(), authority: authority.as_deref(), path: &path, tail: &tail }.text()
}

fn without_port<'a>(authority: &'a str, scheme: Option<&str>) -> &'a str {
    let default = match scheme.map(str::to_ascii_lowercase).as_deref() {
        Some("http" | "ws") => "80",
        Some("https" | "wss") => "443",
        _ => "",
    };
    match authority.rsplit_once(':') {
        Some((host, port)) if port.is_empty() || port == default => host,
        _ => authority,
    }
}

/// The path without `.`, `..` and doubled slashes.
fn without_dots(path: &str, order: Order, syntax: Syntax) -> String {
    let is_wild = |segment: &&str| syntax == Syntax::Pattern && segment.contains(['*', '?']);
    let (is_absolute, rest) = match path.strip_prefix('/') {
        Some(rest) => (true, rest),
        None => (false, path),
    };
    let mut kept: Vec<&str> = Vec::new();
    let mut is_open = false;
    for segment in rest.split('/') {
        is_open = matches!(segment, "" | "." | "..");
        match segment {
            "." => {}
            "" if order == Order::SlashesFirst => {}
            // What a wildcard stands for may be more than one segment.
            ".." if kept.last().is_some_and(is_wild) => kept.push(segment),
            ".." => drop(kept.pop()),
            segment => kept.push(segment),
        }
    }
    kept.retain(|segment| !segment.is_empty());
    let slash = if is_absolute { "/" } else { "" };
    let end = if is_open && !kept.is_empty() { "/" } else { "" };
    format!("{slash}{}{end}", kept.join("/"))
}

/// Whether a byte means something else once it is decoded.
fn is_delimiter(byte: u8, syntax: Syntax) -> bool {
    matches!(byte, b'/' | b'\\' | b'%' | b'?' | b'#')
        || byte.is_ascii_control()
        || (syntax == Syntax::Pattern && byte == b'*')
}

/// The text with every escape decoded that is no delimiter, and the others in upper case.
fn benign(text: &str, syntax: Syntax) -> String {
    unescaped(text, |byte, _| !is_delimiter(byte, syntax))
}

/// The text with delimiters decoded, too: once, so that what was escaped twice is escaped.
fn decoded(text: &str) -> String {
    // A percent sign that escapes nothing is one.
    unescaped(text, |byte, rest| if byte == b'%' { is_hex_pair(rest) } else { !byte.is_ascii_control() })
}

/// The text with those escapes decoded that `decode` wants, seeing what comes after; those that are no UTF-8 stay.
fn unescaped(text: &str, decode: impl Fn(u8, &str) -> bool) -> String {
    let mut done = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('%') {
        done.push_str(&rest[..at]);
        rest = &rest[at..];
        let mut bytes = Vec::new();
        let mut after = rest;
        while let Some((byte, behind)) = escaped(after).filter(|(byte, behind)| decode(*byte, behind)) {
            bytes.push(byte);
            after = behind;
        }
        for chunk in bytes.utf8_chunks() {
            done.push_str(chunk.valid());
            chunk.invalid().iter().for_each(|byte| done.push_str(&format!("%{byte:02X}")));
        }
        rest = after;
        // What was not wanted stays an escape, and a percent sign that escapes nothing becomes one.
        if let Some((byte, behind)) = escaped(rest) {
            done.push_str(&format!("%{byte:02X}"));
            rest = behind;
        } else if let Some(behind) = rest.strip_prefix('%') {
            done.push_str("%25");
            rest = behind;
        }
    }
    done.push_str(rest);
    done
}

/// The byte that an escape at the start stands for, and what comes after it.
fn escaped(text: &str) -> Option<(u8, &str)> {
    let digits = text.strip_prefix('%').filter(|rest| is_hex_pair(rest))?;
    Some((u8::from_str_radix(&digits[..2], 16).ok()?, &digits[2..]))
}

fn is_hex_pair(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() >= 2 && bytes[..2].iter().all(u8::is_ascii_hexdigit)
}

/// Whether a segment is `.` or `..` in escapes.
fn has_encoded_dots(text: &str) -> bool {
    let is_dots = |segment: &str| {
        let plain = segment.to_ascii_lowercase().replace("%2e", ".");
        plain != segment && matches!(&*plain, "." | "..")
    };
    text.split(['/', '\\', '?', '#']).any(is_dots)
}

/// The scheme of a text with controls, or bytes that are no UTF-8: servers make anything of those.
fn before_garbled(text: &str) -> Option<String> {
    let mut escapes = text.match_indices('%').filter_map(|(at, _)| escaped(&text[at..]));
    let is_garbled = text.contains(char::is_control)
        || escapes.any(|(byte, _)| byte.is_ascii_control() || !byte.is_ascii());
    let scheme = text.find(':').map_or(0, |at| at + 1);
    is_garbled.then(|| text[..scheme].to_lowercase())
}

/// What stands before a percent sign that escapes nothing.
fn before_bare_percent(text: &str) -> Option<&str> {
    let mut places = text.match_indices('%').map(|(at, _)| at);
    places.find(|at| escaped(&text[*at..]).is_none()).map(|at| &text[..at])
}

#[cfg(test)]
#[path = "spellings_tests.rs"]
mod tests;
