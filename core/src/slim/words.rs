//! The strings of a JSON text, and names that say the same.

use std::borrow::Cow;

/// Every string of a JSON text, keys and values alike, decoded. It needs no stack, however deep the text nests.
pub(super) fn strings(json: &str) -> impl Iterator<Item = Cow<'_, str>> {
    let mut rest = json;
    std::iter::from_fn(move || {
        let from = rest.find('"')?;
        let inner = &rest[from + 1..];
        let end = end_of_string(inner)?;
        rest = &inner[end + 1..];
        Some(decoded(&inner[..end]))
    })
}

/// Where the string ends whose first character this text begins with.
fn end_of_string(text: &str) -> Option<usize> {
    let mut escaped = false;
    text.bytes().position(|byte| match byte {
        _ if escaped => {
            escaped = false;
            false
        }
        b'\\' => {
            escaped = true;
            false
        }
        byte => byte == b'"',
    })
}

fn decoded(inner: &str) -> Cow<'_, str> {
    if !inner.contains('\\') {
        return Cow::Borrowed(inner);
    }
    serde_json::from_str(&format!("\"{inner}\"")).map_or(Cow::Borrowed(inner), Cow::Owned)
}

/// Whether a title and a name differ by case, spaces and punctuation only: "Time Zone" and `time_zone`.
pub(crate) fn are_the_same(title: &str, name: &str) -> bool {
    let letters = |text: &str| -> String {
        text.chars().filter(|character| character.is_alphanumeric()).flat_map(char::to_lowercase).collect()
    };
    let title = letters(title);
    !title.is_empty() && title == letters(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_strings_are_found_and_decoded() {
        let found: Vec<_> = strings(r#"{"a\"b":["\u0023/x","\\",""],"c":1}"#).collect();
        assert_eq!(found, ["a\"b", "#/x", "\\", "", "c"]);
        let deep = format!("{}\"x\"{}", "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(strings(&deep).count(), 1);
    }

    #[test]
    fn titles_repeat_names_in_other_letters() {
        for (title, name, same) in [
            ("Time Zone", "time_zone", true),
            ("Timezone", "timeZone", true),
            ("Größe", "größe", true),
            ("The zone", "zone", false),
            ("…", "-", false),
        ] {
            assert_eq!(are_the_same(title, name), same, "{title}");
        }
    }
}
