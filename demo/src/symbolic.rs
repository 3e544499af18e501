//! The symbolic tools: an exact engine of this crate's own, with every result checked by numbers.

mod differentiate;
mod integrate;
mod kernel;
mod polynomial;
mod roots;
mod simplify;
mod solve;
mod system;

pub(crate) use differentiate::derivative;
pub(crate) use integrate::{definite_integral, integral};
pub(crate) use roots::Root;
pub(crate) use simplify::simplify;
pub(crate) use solve::Domain;
pub(crate) use system::solve_system;
