//! Ranks the tools of a view by the words of a query.
//!
//! [`Ranker`] is the seam: a strategy asks it which tools fit, and shows them. [`BuiltIn`] compares words, with weights for the
//! place where a tool has them (BM25F), their stems, a thesaurus of computing, and corrections of misspelt ones; and how near the
//! words are as vectors, from a table in the program (feature `vectors`). It needs no model, no file and no network, and knows
//! only what the view lists. [`Embedded`] has how near from a model of the operator's choice.
//!
//! A miss is honest: each hit says how well it fits, and words that no tool has are named.

mod embedded;
mod embedding;
mod fields;
mod index;
mod lexical;
mod ranker;
mod spelling;
mod thesaurus;
mod vectors;
mod words;

pub use embedded::{Embedded, Embeddings, texts};
pub use embedding::Embedding;
pub use fields::{Field, Weights};
pub use lexical::BuiltIn;
pub use ranker::{Hit, LexicalSettings, Match, Query, Ranker, Ranking};
