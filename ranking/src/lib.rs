//! Ranks the tools of a view by the words of a query.
//!
//! [`Ranker`] is the seam: a strategy asks it which tools fit, and shows them. [`Lexical`] is the ranker of this crate: it
//! compares words, with weights for the place where a tool has them (BM25F), the stems of words, a thesaurus of computing,
//! and a correction of misspelt words. It needs no model, no file and no network, and knows only what the view lists.
//!
//! A miss is honest: each hit says how much of the query it covers, and words that no tool has are named.

mod fields;
mod index;
mod lexical;
mod ranker;
mod spelling;
mod stop_words;
mod thesaurus;
mod words;

pub use fields::{Field, Weights};
pub use lexical::{Lexical, LexicalSettings};
pub use ranker::{Hit, Match, Query, Ranker, Ranking};
