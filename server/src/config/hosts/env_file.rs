//! Files of variables (`.env`), named by `envFile`.

/// The variables of a file's text, in its order. Lines other than assignments are ignored, as by hosts.
pub(super) fn parse(text: &str) -> Vec<(String, String)> {
    text.lines().filter_map(assignment).collect()
}

fn assignment(line: &str) -> Option<(String, String)> {
    let line = line.trim();
    let line = line.strip_prefix("export ").unwrap_or(line);
    let (name, value) = line.split_once('=')?;
    let name = name.trim();
    (!name.is_empty() && !name.starts_with('#')).then(|| (name.to_owned(), unquoted(value.trim())))
}

fn unquoted(value: &str) -> String {
    let quoted = |quote: char| value.strip_prefix(quote)?.split_once(quote).map(|(inside, _)| inside);
    if let Some(literal) = quoted('\'') {
        return literal.to_owned();
    }
    if let Some(text) = quoted('"') {
        return text.replace("\\n", "\n");
    }
    value.split(" #").next().unwrap_or_default().trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assignments_are_read_and_other_lines_are_ignored() {
        let text = "# a comment\nA=1\n\nexport B = two words # why\r\nC='#1 $x'\nD=\"a\\nb\"\nE=\nno assignment\n=x\n#F=1\nG=a=b\n";
        let expected =
            [("A", "1"), ("B", "two words"), ("C", "#1 $x"), ("D", "a\nb"), ("E", ""), ("G", "a=b")];
        let read = parse(text);
        let read: Vec<_> = read.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(read, expected);
    }
}
