//! "Did you mean": the names most similar to an unknown one.

/// Up to `count` of the candidates, most similar first; ties in the order given.
///
/// Names that are not similar are left out: an unhelpful suggestion is worse than none.
pub fn nearest<'a>(
    wanted: &str,
    candidates: impl IntoIterator<Item = &'a str>,
    count: usize,
) -> Vec<&'a str> {
    ranked(wanted, candidates, count, 0.75)
}

/// The hint for an unknown name: the most similar of the known ones, or else what is said otherwise.
pub fn did_you_mean<'a>(
    wanted: &str,
    known: impl IntoIterator<Item = &'a str>,
    otherwise: impl FnOnce() -> String,
) -> String {
    nearest(wanted, known, 1).first().map_or_else(otherwise, |near| format!("did you mean '{near}'?"))
}

/// The candidate that was probably meant by a misspelt name: one that differs by a few letters, or by case and
/// punctuation only, as `maxSteps` from `max_steps`.
pub fn misspelt<'a>(wanted: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let letters = |text: &str| text.replace(|character: char| !character.is_alphanumeric(), "");
    let candidates: Vec<&str> = candidates.into_iter().collect();
    let by_letters: Vec<String> = candidates.iter().map(|candidate| letters(candidate)).collect();
    let nearest = *ranked(&letters(wanted), by_letters.iter().map(String::as_str), 1, 0.85).first()?;
    by_letters.iter().position(|candidate| candidate == nearest).map(|at| candidates[at])
}

/// The names that an unknown one may have meant, up to `count`: those that contain it, or else the most similar one.
pub fn suggested<'a>(wanted: &str, names: &[&'a str], count: usize) -> Vec<&'a str> {
    let part = wanted.to_lowercase();
    let containing = names.iter().copied().filter(|name| name.to_lowercase().contains(&part));
    let containing: Vec<&str> = containing.take(count).collect();
    let names = || names.iter().copied();
    let similar = || misspelt(wanted, names()).or_else(|| ranked(wanted, names(), 1, 0.6).pop());
    if containing.is_empty() { similar().into_iter().collect() } else { containing }
}

/// The word that was probably meant in a message of `serde` such as "unknown variant `htp`, expected `http` or `stdio`", or one
/// about an unknown field.
pub fn meant(message: &str) -> Option<&str> {
    let said = message.strip_prefix("unknown variant ").or_else(|| message.strip_prefix("unknown field "))?;
    let mut quoted = said.split('`').skip(1).step_by(2);
    let unknown = quoted.next()?;
    nearest(unknown, quoted, 1).first().copied()
}

/// A message of `serde` about a value of another kind than is expected, in the words of files: without a text that was found, which
/// may be secret.
pub fn kinds(message: &str) -> String {
    // What a parser says of a word of a list that is no text.
    if message == "wanted string or table" {
        return "expected a text".to_owned();
    }
    let Some((found, expected)) = message.rsplit_once(", expected ") else { return message.to_owned() };
    let Some(found) = found.strip_prefix("invalid type: ").or_else(|| found.strip_prefix("invalid value: "))
    else {
        return message.to_owned();
    };
    let found = match found.split_once(' ').map_or(found, |(kind, _)| kind) {
        "string" => "a text",
        "sequence" => "a list",
        "map" => "a table",
        // Such as: floating point `1.5`
        _ => found.split('`').nth(1).unwrap_or(found),
    };
    let expected = match expected {
        "a string" => "a text",
        "path string" => "a path",
        "a boolean" => "true or false",
        "a sequence" => "a list",
        "a map" => "a table",
        "f32" | "f64" => "a number",
        "a nonzero u32" => "a whole number from 1 to 4294967295",
        "u64" | "usize" => "a whole number",
        "a nonzero u64" | "a nonzero usize" => "a whole number above 0",
        _ if expected.starts_with("struct ") => "a table",
        _ => expected,
    };
    format!("expected {expected}, not {found}")
}

/// Whether a model may take one name for the other: they differ by a few letters, or by a word in the middle, as
/// `read_file` and `read_text_file`.
pub fn are_alike(one: &str, other: &str) -> bool {
    misspelt(one, [other]).is_some()
}

/// Up to `count` of the candidates, most similar first, of those that are at `least` so similar: from 0 to 1.
pub(crate) fn ranked<'a>(
    wanted: &str,
    candidates: impl IntoIterator<Item = &'a str>,
    count: usize,
    least: f64,
) -> Vec<&'a str> {
    // Long input is not a name; comparing its beginning only bounds the cost of hostile input.
    let wanted: String = wanted.chars().take(128).flat_map(char::to_lowercase).collect();
    let mut scored: Vec<(f64, &str)> = candidates
        .into_iter()
        .map(|candidate| (strsim::jaro_winkler(&wanted, &candidate.to_lowercase()), candidate))
        .filter(|(score, _)| *score >= least)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    scored.into_iter().take(count).map(|(_, candidate)| candidate).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn w5_a_word_that_serde_does_not_know_is_recognized() {
        for (message, word) in [
            ("unknown variant `htp`, expected `stdio` or `http`", Some("http")),
            ("unknown variant `Slim`, expected one of `slim`, `structured`, `exact`\n", Some("slim")),
            ("unknown variant `carrier-pigeon`, expected `stdio` or `http`", None),
            ("unknown variant `http`", None),
            ("unknown field `colur`, expected one of `colour`, `size`", Some("colour")),
            ("invalid type: integer `1`, expected a string", None),
            ("", None),
        ] {
            assert_eq!(meant(message), word, "{message}");
        }
    }

    #[test]
    fn misspelt_names_are_recognized_and_other_names_are_not() {
        let names = ["equations", "options", "max_steps", "end_date"];
        for (wanted, meant) in [
            ("equation", Some("equations")),
            ("maxSteps", Some("max_steps")),
            ("optoins", Some("options")),
            ("start_date", None),
            ("query", None),
            ("", None),
        ] {
            assert_eq!(misspelt(wanted, names), meant, "{wanted}");
        }
    }

    #[test]
    fn s12_look_alikes_differ_by_letters_or_a_word_in_the_middle() {
        for (one, other, are) in [
            ("read_file", "read_files", true),
            ("read_file", "read_text_file", true),
            ("create_issue", "createIssue", true),
            ("list_issues", "list_releases", false),
            ("read_file", "write_file", false),
            ("search", "fetch", false),
        ] {
            assert_eq!((are_alike(one, other), are_alike(other, one)), (are, are), "{one} {other}");
        }
    }
}
