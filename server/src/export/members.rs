//! A member of a JSON text is set, and every other byte stays.

use mcp_disclosure_core::{RawObject, layout::compact};

use super::layout::spread;

/// The text of an object with `key` set to a value: in its place, or after the last member, laid out like the first.
/// Anything but an object with members is returned as it is.
pub(super) fn set(text: &str, key: &str, value: &str) -> String {
    let Ok(object) = RawObject::parse(text) else { return text.to_owned() };
    // Values are slices of the text that was parsed, which is the same.
    let offset = |slice: &str| slice.as_ptr() as usize - object.text().as_ptr() as usize;
    let indent = indent(text);
    let value = indent.map_or_else(|| compact(value), |indent| spread_within(value, indent));
    if let Some(old) = object.member(key) {
        let (start, end) = (offset(old), offset(old) + old.len());
        return format!("{}{value}{}", &text[..start], &text[end..]);
    }
    let Some((_, last)) = object.iter().next_back() else { return text.to_owned() };
    let end = offset(last) + last.len();
    format!("{},{}\"{key}\": {value}{}", &text[..end], indent.unwrap_or(" "), &text[end..])
}

/// A value laid out as a member, each line after the first indented by `indent`.
fn spread_within(value: &str, indent: &str) -> String {
    let alone = spread(&format!("{{\"\":{value}}}"));
    let inner = alone.strip_prefix("{\n  \"\": ").and_then(|inner| inner.strip_suffix("\n}"));
    // JSON has no line breaks within strings.
    inner.unwrap_or(value).replace("\n  ", indent)
}

/// The line break and the white space before the first member, if it is on a line of its own.
fn indent(text: &str) -> Option<&str> {
    let before = text.trim_start().strip_prefix('{')?;
    let white = &before[..before.len() - before.trim_start().len()];
    let at = white.rfind('\n')?;
    Some(&white[if white[..at].ends_with('\r') { at - 1 } else { at }..])
}

#[cfg(test)]
mod tests {
    use super::set;

    #[test]
    fn u10_one_member_is_set_and_the_rest_stays() {
        for (text, expected) in [
            ("{\n\t\"a\" : 1.0\n}\n\n", "{\n\t\"a\" : 1.0,\n\t\"k\": [2]\n}\n\n"),
            ("{\r\n  \"a\": \"}\"\r\n}", "{\r\n  \"a\": \"}\",\r\n  \"k\": [2]\r\n}"),
            (r#" {"a":1} "#, r#" {"a":1, "k": [2]} "#),
            (r#"{"k" :  1,  "b": 1E2}"#, r#"{"k" :  [2],  "b": 1E2}"#),
            (r#"{"\u006b": 1, "é": 1}"#, r#"{"\u006b": [2], "é": 1}"#),
            ("{}", "{}"),
            ("[", "["),
        ] {
            assert_eq!(set(text, "k", "[2]"), expected);
        }
        let long = format!(r#"{{"x": "{}", "y": 1}}"#, "x".repeat(100));
        let set = set("{\n    \"a\": 1\n}", "k", &long);
        assert!(set.contains(",\n    \"k\": {\n      \"x\": \"xxx") && set.ends_with("\n    }\n}"), "{set}");
    }
}
