//! A page with nothing but a transcript.

use maud::{DOCTYPE, PreEscaped, html};
use mcp_disclosure_core::printable::printable;

use super::{fragment, style};
use crate::transcript::Transcript;

const PAGE: &str = include_str!("page.css");

/// Nothing can be loaded from anywhere, whatever the texts contain.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'";

/// The page. It loads nothing, and has no script.
pub fn page(transcript: &Transcript) -> String {
    let title = format!("{}: one task under each strategy", transcript.source);
    let markup = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                title { (title) }
                style { (PreEscaped(PAGE)) (PreEscaped(style(transcript.strategies.len()))) }
            }
            body {
                h1 { (transcript.source) }
                main {
                    h2 { "One task under each strategy" }
                    (PreEscaped(fragment(transcript, "", false)))
                }
            }
        }
    };
    printable(&markup.into_string()).into_owned()
}
