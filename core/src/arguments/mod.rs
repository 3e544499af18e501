//! The check of a call's arguments against a schema that was withheld (contract F5), bounded in steps whatever schema
//! and arguments are (P1).
//!
//! It judges the keywords that tools use, and abstains from everything else: [`Verdict::NotJudged`]. A call whose arguments
//! are not judged goes on, and the upstream has a check of its own. See decision 0009.

mod call;
mod check;
#[cfg(test)]
mod mended_tests;
mod number;
#[cfg(test)]
pub(crate) mod oracle_tests;
mod pattern;
mod problem;
mod reading;
mod schema;
#[cfg(test)]
mod tests;

pub use call::Checked;
pub use check::Verdict;
pub use number::type_of;
pub use problem::ArgumentProblem;
pub(crate) use reading::{NAMES, object};
pub use schema::Schema;
