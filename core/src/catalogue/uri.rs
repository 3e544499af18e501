//! URIs as rules see them.
//!
//! Servers differ in which texts they take for the same resource. So nothing tries to guess: while anything is hidden, a
//! client's URI has to be canonical, that is the text that `url` makes of it (as the SDKs' URL types do), without
//! anything that some servers read as something else (decision 0010). What upstreams say themselves, in lists and links,
//! need not be canonical and is compared by its [key](Uri::key). A key is no URI: upstreams get the text that the client
//! sent.

use std::{borrow::Cow, collections::BTreeSet};

use icu_normalizer::{ComposingNormalizerBorrowed, DecomposingNormalizerBorrowed};
use percent_encoding::percent_decode_str;
use url::Url;

use crate::printable::is_hidden;

/// A URI of more bytes than this is not read.
const MOST_BYTES: usize = 16 * 1024;

/// A URI or URI template, ready to be compared.
#[derive(Clone, Debug, Default)]
pub(crate) struct Uri {
    /// The text as it came.
    pub(super) text: String,
    /// Its decoded normal form, in which case counts: for what shows and allows.
    pub(super) key: String,
    /// What else the resource may be known by, in lower case: for what hides.
    pub(super) forms: Vec<String>,
    /// The [parameters](parameters) of its query.
    pub(super) parameters: Vec<String>,
    /// Whether servers may disagree on what it names, so that only what has it verbatim allows it.
    pub(super) is_doubtful: bool,
}

impl Uri {
    /// One that an upstream states.
    pub(crate) fn stated(text: &str) -> Self {
        if text.len() > MOST_BYTES {
            return Self { text: text.to_owned(), is_doubtful: true, ..Self::default() };
        }
        let key = key(text);
        let readings: BTreeSet<String> =
            [text.to_owned(), key.clone()].into_iter().chain(readings(text)).collect();
        let forms: BTreeSet<String> = readings.iter().flat_map(|reading| forms(reading)).collect();
        let (forms, parameters) = (forms.into_iter().collect(), parameters(text));
        Self { text: text.to_owned(), key, forms, parameters, is_doubtful: false }
    }

    /// One that a client asks for, which no upstream lists.
    pub(crate) fn requested(text: &str) -> Self {
        let stated = Self::stated(text);
        Self { is_doubtful: stated.is_doubtful || !is_canonical(text), ..stated }
    }
}

/// Whether a URI is spelled in the one way that every server reads alike.
pub(crate) fn is_canonical(text: &str) -> bool {
    let Ok(url) = Url::parse(text) else { return false };
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~:/?#[]@!$&'()*+,;=%".contains(&byte);
    // Windows leaves out dots at the end, and takes what is behind a colon for a stream of the file.
    let ends_in_dot = |segment: &str| segment.ends_with('.');
    let has_streams =
        url.scheme() == "file" && url.path().get("/C:".len()..).is_some_and(|rest| rest.contains(':'));
    url.as_str() == text
        && text.bytes().all(is_plain)
        && has_canonical_escapes(text)
        && url.username().is_empty()
        && url.password().is_none()
        && !(url.scheme() == "file" && url.has_host())
        && !has_streams
        && !url.path().contains("//")
        && url.query().is_none_or(has_canonical_parameters)
        && url.fragment() != Some("")
        // Some servers know no query, and some cut parameters off.
        && !text.split([':', '/', '?', '#', '&', '=', ';']).any(ends_in_dot)
}

/// Whether every server finds the same parameters in a query: some leave out a second question mark, and read a plus as a space,
/// which some cut off.
fn has_canonical_parameters(query: &str) -> bool {
    let mut words = query.split(['&', '=', ';']);
    !query.is_empty() && !query.starts_with('?') && words.all(|word| word.trim_matches('+') == word)
}

/// Whether each escape is needed, in upper case and part of a character that is no delimiter, and is none after
/// Unicode's normal forms, by which servers and file systems fold what looks alike.
fn has_canonical_escapes(text: &str) -> bool {
    let is_canonical = |at: usize| {
        let digits = text.get(at + 1..at + 3).filter(|digits| *digits == digits.to_ascii_uppercase());
        let byte = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        byte.is_some_and(|byte| {
            let is_unneeded = byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
            !is_unneeded && !byte.is_ascii_control() && !b"/\\?#%".contains(&byte)
        })
    };
    let is_stable = |decoded: &str| {
        let is_space = |letter: char| letter.is_whitespace() && letter != ' ';
        let segments = decoded.split(['/', '?', '#', '&', '=', ';', ':']);
        ComposingNormalizerBorrowed::new_nfkc().is_normalized(decoded)
            && !decoded.contains(|letter| is_space(letter) || is_invisible(letter))
            && segments.into_iter().all(|segment| segment.trim() == segment)
    };
    text.match_indices('%').all(|(at, _)| is_canonical(at))
        && percent_decode_str(text).decode_utf8().is_ok_and(|decoded| is_stable(&decoded))
}

/// The normal form of a URI or pattern, decoded as often as it was encoded, with single slashes.
pub(crate) fn key(text: &str) -> String {
    let text = decoded(text).replace('\\', "/");
    let (scheme, rest) = text.split_once("://").unwrap_or(("", &text));
    let mut single = String::with_capacity(rest.len());
    for character in rest.chars() {
        if character != '/' || !single.ends_with('/') {
            single.push(character);
        }
    }
    if !scheme.is_empty() {
        single.insert_str(0, &format!("{scheme}://"));
    }
    let Ok(mut url) = Url::parse(&single) else { return single };
    // A URL without a host has no user either.
    let _ = url.set_username("").and_then(|()| url.set_password(None));
    decoded(url.as_str())
}

/// The text with every escape decoded, and those that this makes.
pub(crate) fn decoded(text: &str) -> String {
    let mut done: Vec<u8> = Vec::with_capacity(text.len());
    for byte in text.bytes() {
        done.push(byte);
        while let [.., b'%', high, low] = done.as_slice() {
            let digits = [*high, *low].map(|digit| char::from(digit).to_digit(16));
            let [Some(high), Some(low)] = digits else { break };
            done.truncate(done.len() - 3);
            // Two digits are one byte.
            done.push((high * 16 + low) as u8);
        }
    }
    String::from_utf8_lossy(&done).into_owned()
}

/// What servers may read that take less exactly what a [canonical](is_canonical) URI has not: some cut one off at a null, and some
/// the parameters off its segments before they resolve dots.
fn readings(text: &str) -> impl Iterator<Item = String> {
    let plain = plain(text);
    let cut = plain.split_once('\0').map(|(before, _)| before.to_owned());
    let bare = plain.contains(';').then(|| without_parameters(&plain));
    [cut, bare, Some(plain)].into_iter().flatten().map(|text| lenient(&text))
}

/// The key of what is left of a [plain](plain) text without what is not canonical.
fn lenient(plain: &str) -> String {
    let local = match plain.split_once("://") {
        Some((scheme, rest)) if scheme.trim().eq_ignore_ascii_case("file") => {
            Cow::Owned(format!("file:///{}", rest.split_once('/').map_or("", |(_host, path)| path)))
        }
        _ => Cow::Borrowed(plain),
    };
    trimmed(&key(&trimmed(&local)))
}

/// The text decoded, without what is invisible, in Unicode's form NFKC and with slashes of one kind, as often as one of these makes
/// another one possible.
fn plain(text: &str) -> String {
    let visible = decoded(text).replace(is_invisible, "");
    let plain = ComposingNormalizerBorrowed::new_nfkc().normalize(&visible).replace('\\', "/");
    if plain == text { plain } else { self::plain(&plain) }
}

/// Whether names of hosts (IDNA) and some file systems (HFS+) are compared without this character.
fn is_invisible(character: char) -> bool {
    is_hidden(character) || matches!(character, '\u{fe00}'..='\u{fe0f}')
}

/// The text without control characters, and its parts without white space around them and dots at their end.
fn trimmed(text: &str) -> String {
    let parts = text.split_inclusive([':', '/', '?', '#', '&', '=', ';']).map(|part| {
        let part = part.replace(char::is_control, "");
        let name = part.trim_end_matches([':', '/', '?', '#', '&', '=', ';']);
        let end = &part[name.len()..];
        let name = name.trim();
        match name.trim_end_matches(|last: char| last == '.' || last.is_whitespace()) {
            // A segment of dots means something.
            "" => format!("{name}{end}"),
            bare => format!("{bare}{end}"),
        }
    });
    parts.collect()
}

/// The text without the parameters of its segments (`;x`).
fn without_parameters(text: &str) -> String {
    let (path, query) = text.split_at(text.find(['?', '#']).unwrap_or(text.len()));
    let segments: Vec<&str> =
        path.split('/').map(|segment| segment.split(';').next().unwrap_or_default()).collect();
    segments.join("/") + query
}

/// What a server may know a resource by: with and without a fragment, a query, parameters, a port, a slash at its end, and
/// slashes behind its scheme; a plus may be a space.
fn forms(text: &str) -> impl Iterator<Item = String> {
    let without_fragment = text.split('#').next().unwrap_or_default();
    let path = without_fragment.split('?').next().unwrap_or_default().trim_end_matches('/');
    let without_parameters = without_parameters(path);
    let without_parameters = without_parameters.trim_end_matches('/');
    let forms = [text, without_fragment, path, &format!("{path}/"), without_parameters].map(str::to_owned);
    // A wildcard stands for one letter, which folding may make two.
    let cases = |form: String| [Some(folded(&form)), (!form.is_ascii()).then(|| lowered(&form))];
    forms
        .into_iter()
        .flat_map(cases)
        .flatten()
        .flat_map(|form| [without_slashes(&form), without_port(&form), form.replace('+', " "), form])
}

/// The parameters of a query, decoded and in lower case: for what hides. Servers read them in any order, and most read none
/// that they do not know.
pub(crate) fn parameters(text: &str) -> Vec<String> {
    let text = trimmed(&plain(text).replace('+', " "));
    let query = text.split_once('?').map_or("", |(_, query)| query).split('#').next().unwrap_or_default();
    let parameters = query.split(['&', ';']).map(|parameter| parameter.trim_end_matches('/'));
    parameters.filter(|parameter| !parameter.is_empty()).map(folded).collect()
}

/// A pattern in the forms in which it can match one of a URI.
pub(crate) fn pattern_forms(pattern: &str) -> Vec<String> {
    // A dot at the end of a pattern is not at that of what it matches.
    let plain = plain(pattern);
    let lenient = if pattern.contains(['*', '?']) { key(&plain) } else { lenient(&plain) };
    let forms = [pattern.to_owned(), decoded(pattern), key(pattern), lenient].map(|form| folded(&form));
    let forms: BTreeSet<String> = forms.into_iter().flat_map(|form| [without_slashes(&form), form]).collect();
    forms.into_iter().collect()
}

/// What differs in case alone, as one text: `ß` and `ẞ` are `ss`, a long s is one, and accents count as parts of their letters.
fn folded(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let parts = DecomposingNormalizerBorrowed::new_nfd().normalize(text);
    let upper = parts.chars().flat_map(char::to_lowercase).flat_map(char::to_uppercase);
    let lower: String = upper.flat_map(char::to_lowercase).collect();
    ComposingNormalizerBorrowed::new_nfc().normalize(&lower).into_owned()
}

/// The text in lower case, a letter for each.
fn lowered(text: &str) -> String {
    let lower = |letter: char| {
        let mut all = letter.to_lowercase();
        all.next().filter(|_| all.len() == 0).unwrap_or(letter)
    };
    text.chars().map(lower).collect()
}

fn without_port(text: &str) -> String {
    let Some((scheme, rest)) = text.split_once("://") else { return text.to_owned() };
    let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let host = match host.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => host,
        _ => host,
    };
    format!("{scheme}://{host}{path}")
}

/// `scheme:path`, however many slashes are between the two.
fn without_slashes(text: &str) -> String {
    match text.split_once(":/") {
        Some((scheme, rest)) => format!("{scheme}:{}", rest.trim_start_matches('/')),
        None => text.to_owned(),
    }
}

#[cfg(test)]
#[path = "uri_tests.rs"]
mod tests;
