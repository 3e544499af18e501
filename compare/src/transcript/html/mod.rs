//! A transcript as an HTML fragment: the first strategy beside one of the others, which a reader chooses, aligned step by
//! step, with the exact JSON on demand.
//!
//! The fragment has headings from `h3` on and needs no script. Its [`style`] uses the variables `--panel`, `--text`,
//! `--faint`, `--rule` and `--accent` of the page around it, which also defines them for dark and print.

mod columns;
mod page;

use maud::html;
use mcp_disclosure_core::printable::printable;

pub use self::page::page;
use super::Transcript;

const STYLE: &str = include_str!("style.css");

/// The style of a fragment with this many strategies, for the page's `style` element.
pub fn style(strategies: usize) -> String {
    // The chosen one is shown beside the first.
    let shown = (1..strategies).map(|at| {
        let column = at + 1;
        format!(".transcript > input:nth-of-type({at}):checked ~ .act .column:nth-child({column}) {{ display: grid; }}\n")
    });
    [STYLE.to_owned()].into_iter().chain(shown).collect()
}

/// The fragment, in which this strategy is chosen, or else the second. Mistakes are folded, so that the page around it stays
/// short.
pub fn html(transcript: &Transcript, chosen: &str) -> String {
    fragment(transcript, chosen, true)
}

fn fragment(transcript: &Transcript, chosen: &str, folds: bool) -> String {
    let courses = transcript.strategies.iter().map(|played| played.acts.len()).max().unwrap_or(0);
    let others = transcript.strategies.get(1..).unwrap_or_default();
    let chosen = others.iter().position(|played| played.name == chosen).unwrap_or(0);
    let markup = html! {
        div.transcript {
            (columns::heading(transcript))
            @for (at, played) in others.iter().enumerate() {
                @let id = format!("played-{at}");
                input type="radio" name="played" id=(id) checked[at == chosen];
                label for=(id) { (played.name) }
            }
            @for at in 0..courses { (columns::act(transcript, at, folds && at > 0)) }
            @if !transcript.notes.is_empty() {
                ul { @for note in &transcript.notes { li { (note) } } }
            }
        }
    };
    // Whatever came from others is in it, and none of it is to be obeyed.
    printable(&markup.into_string()).into_owned()
}

#[cfg(test)]
mod tests {
    use mcp_disclosure_core::RawObject;

    use super::*;
    use crate::{
        Tokenizer,
        transcript::{Act, Assignment, Behavior, Ending, Kind, Played, Speaker, Step},
    };

    /// A transcript of one act with one step, whose message is hostile and long.
    fn transcript(hostile: &str) -> Transcript {
        let message = RawObject::empty().with_value("text", &format!("{hostile}{}", "x".repeat(100_000)));
        let step = Step {
            kind: Kind::Refused,
            speaker: Speaker::Gateway,
            call: 1,
            attempt: 1,
            says: hostile.to_owned(),
            gist: vec![hostile.to_owned()],
            text: hostile.to_owned(),
            tokens: 1,
            tokens_so_far: 1,
            messages: vec![message],
        };
        let act = Act {
            course: Behavior::Workflow,
            ending: Ending::Failed,
            errors: 1,
            start_tokens: 0,
            learning_tokens: 1,
            call_tokens: 0,
            steps: vec![step],
        };
        Transcript {
            source: hostile.to_owned(),
            tools: 1,
            tokenizer: Tokenizer::FourCharacters,
            task: Assignment { request: Some(hostile.to_owned()), ..Assignment::of(Vec::new()) },
            strategies: vec![Played { name: hostile.to_owned(), acts: vec![act] }],
            notes: vec![hostile.to_owned()],
        }
    }

    #[test]
    fn q1_texts_stay_text_and_long_messages_are_cut() {
        let page = page(&transcript("<script src=//x></script><img src=//x onerror=y>"));
        for loaded in ["<script", "<img", "<link", "url(", "@import", "src=\"", "href="] {
            assert!(!page.contains(loaded), "{loaded} in {page}");
        }
        assert!(page.contains("&lt;script src=//x&gt;") && page.contains("more bytes"));
        assert!(page.len() < 30_000, "{} bytes", page.len());
    }

    #[test]
    fn q1_headings_descend_and_every_message_is_reached_by_the_keyboard() {
        let page = page(&transcript("x"));
        let levels: Vec<u8> = page
            .match_indices("<h")
            .filter_map(|(at, _)| page.as_bytes()[at + 2].checked_sub(b'0'))
            .collect();
        let levels: Vec<u8> = levels.into_iter().filter(|level| *level < 7).collect();
        assert_eq!(levels, [1, 2, 3, 4, 5]);
        assert_eq!(page.matches("<details><summary>").count(), 1);
    }
}
