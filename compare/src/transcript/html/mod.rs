//! A transcript as an HTML fragment: a column for each strategy, aligned step by step, with the exact JSON on demand.
//!
//! The fragment has headings from `h3` on and needs no script. Its style, [`STYLE`], uses the variables `--panel`,
//! `--text`, `--faint`, `--rule` and `--accent` of the page around it, which also defines them for dark and print.

mod columns;
mod page;

use maud::html;

pub use self::page::page;
use super::Transcript;

/// The style of the fragment, for the page's `style` element.
pub const STYLE: &str = include_str!("style.css");

/// The fragment.
pub fn html(transcript: &Transcript) -> String {
    let courses = transcript.strategies.iter().map(|played| played.acts.len()).max().unwrap_or(0);
    let markup = html! {
        div.transcript {
            (columns::heading(transcript))
            @for at in 0..courses { (columns::act(transcript, at)) }
            @if !transcript.notes.is_empty() {
                ul { @for note in &transcript.notes { li { (note) } } }
            }
        }
    };
    markup.into_string()
}
