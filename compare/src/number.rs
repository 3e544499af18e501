//! Formatting of figures.

/// With a comma between thousands.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::with_capacity(digits.len() * 4 / 3);
    for (at, digit) in digits.char_indices() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// The same, or the mark of an unknown figure.
pub(crate) fn known(number: Option<u64>) -> String {
    number.map_or_else(|| "unknown".to_owned(), grouped)
}

/// A share, in percent.
pub(crate) fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

/// A saved share. What costs more is said in words: no figure is ever a negative saving.
pub(crate) fn saved(share: Option<f64>) -> String {
    match share {
        None => "unknown".to_owned(),
        Some(share) if share < 0.0 => format!("costs {} more", percent(-share)),
        Some(0.0) => "–".to_owned(),
        Some(share) => percent(share),
    }
}

/// A number with a noun, in singular or plural.
pub(crate) fn of(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{} {noun}s", grouped(count as u64)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_well() {
        assert_eq!(
            [0, 999, 1000, 37332, 1_000_000].map(grouped),
            ["0", "999", "1,000", "37,332", "1,000,000"]
        );
        assert_eq!((of(1, "tool"), of(2, "tool")), ("1 tool".to_owned(), "2 tools".to_owned()));
    }

    #[test]
    fn q3_what_is_saved_is_never_negative() {
        assert_eq!(saved(Some(0.805)), "80.5 %");
        assert_eq!(saved(Some(-0.5)), "costs 50.0 % more");
        assert_eq!((saved(Some(0.0)), saved(None)), ("–".to_owned(), "unknown".to_owned()));
    }
}
