//! What can go wrong inside a tool, in words a model can act on.

/// Why a tool could not give a result.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum Error {
    /// An argument is missing, of the wrong type or outside its limits.
    #[error("argument `{argument}`: given {given}, expected {expected}")]
    Argument { argument: String, given: String, expected: String },
    /// A mathematical expression could not be read.
    #[error(
        "argument `{argument}`: {reason} at character {position} of {text:?}, expected an \
         expression such as \"x**2 - 4\" or \"sin(x)/x\""
    )]
    Expression { argument: String, text: String, position: usize, reason: String },
    /// An expression has no value, as `1/0` has none.
    #[error("argument `{argument}`: {text:?} is undefined (it divides by zero or takes ln(0))")]
    Undefined { argument: String, text: String },
    /// The equations hold whatever the variables are.
    #[error("the equations are true for every value of {variables}; there is nothing to solve")]
    AlwaysTrue { variables: String },
    /// No method of this server applies.
    #[error("{tool} has no method for {subject}; {advice}")]
    NoMethod { tool: &'static str, subject: String, advice: &'static str },
    /// A matrix has no inverse.
    #[error("argument `matrix`: the matrix is singular or too near to it, expected an invertible one")]
    Singular,
    /// An iteration did not settle.
    #[error("{tool} did not converge: {reason}")]
    NoConvergence { tool: &'static str, reason: String },
    /// The computation was ended at its limit of steps or time.
    #[error("the computation was ended at its limit of work; expected a smaller or simpler input")]
    Exhausted,
    /// A fault of this server, caught before it could take the request down.
    #[error("the computation failed inside the server; another form of the input may work")]
    Internal,
}

/// The result of everything in this crate that can fail.
pub(crate) type Result<T> = std::result::Result<T, Error>;
