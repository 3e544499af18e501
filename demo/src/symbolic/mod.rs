//! The symbolic tools: polynomials exactly, and what comes down to them.

mod integrate;
mod polynomial;
mod roots;
mod simplify;
mod solve;

pub(crate) use integrate::integral;
pub(crate) use roots::is_in;
pub(crate) use simplify::simplified;
pub(crate) use solve::{always_true, solve, solve_linear};
