//! Characters that hide text from people, and not from models.

use mcp_disclosure_core::printable::is_hidden;

/// The flags of England, Scotland and Wales: the only emoji with tags.
const FLAGS: [&str; 3] = [
    "\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
    "\u{1f3f4}\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}",
    "\u{1f3f4}\u{e0067}\u{e0062}\u{e0077}\u{e006c}\u{e0073}\u{e007f}",
];

/// The first character that hides text or shows it in another order, and how many more there are: tags, overrides of
/// direction, selectors that select nothing, and what has no width beside Latin letters or its like. Joiners and marks of
/// direction belong to other scripts and to emoji.
pub(super) fn invisible(text: &str) -> Option<String> {
    if text.is_ascii() {
        return None;
    }
    let text = FLAGS
        .iter()
        .fold(text.trim_start_matches('\u{feff}').to_owned(), |text, flag| text.replace(flag, ""));
    let letters: Vec<char> = text.chars().collect();
    let mut found = letters.iter().enumerate().filter(|(at, letter)| {
        let beside = [at.checked_sub(1), at.checked_add(1)].map(|at| letters.get(at?).copied());
        match **letter {
            '\u{e0000}'..='\u{e007f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => true,
            '\u{200e}' | '\u{200f}' | '\u{61c}' | '\u{2028}' | '\u{2029}' => false,
            letter if is_selector(letter) => beside[0].is_none_or(is_selector),
            letter if is_hidden(letter) => {
                beside[0].is_some_and(is_hidden) || beside.iter().flatten().any(char::is_ascii_graphic)
            }
            _ => false,
        }
    });
    let (_, first) = found.next()?;
    let more = found.count();
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    Some(format!("U+{:04X}{more}", u32::from(*first)))
}

fn is_selector(letter: char) -> bool {
    matches!(letter, '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}')
}
