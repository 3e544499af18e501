//! The symbolic tools: polynomials exactly, and what comes down to them.

mod integrate;
mod polynomial;
mod roots;
mod simplify;
mod solve;

pub(crate) use integrate::{definite_integral, integral};
pub(crate) use roots::Root;
pub(crate) use simplify::simplified;
pub(crate) use solve::{always_true, solve, solve_linear};
