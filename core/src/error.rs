//! Errors of names, and of registering and building strategies.

/// An error of this crate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A name was empty.
    #[error("the {what} must not be empty")]
    EmptyName {
        /// The kind of name.
        what: &'static str,
    },
    /// The registry has no strategy of this name.
    #[error("unknown strategy '{name}', expected one of: {known}")]
    UnknownStrategy {
        /// The unknown name.
        name: String,
        /// The registered names, joined by commas.
        known: String,
    },
    /// A strategy's name is invalid.
    #[error("invalid strategy name '{0}': '+' separates the parts of a stack, and '/' those of an address")]
    InvalidName(String),
    /// The name means something else in flags.
    #[error("strategy name '{0}' is reserved: --fallback {0} selects a strategy by the size of the list")]
    ReservedName(String),
    /// A strategy of this name is already registered.
    #[error("strategy '{0}' is registered twice")]
    DuplicateStrategy(String),
    /// A presenter was registered to be part of every stack.
    #[error("strategy '{0}' is not a filter: only a filter can be registered for every strategy")]
    NotAFilter(String),
    /// The lesson in a strategy's profile is invalid.
    #[error("invalid lesson of strategy '{0}': arguments must be a JSON object with {{tool}} in a string")]
    InvalidLesson(String),
    /// The finder in a strategy's profile is invalid.
    #[error("invalid finder of strategy '{0}': arguments must be a JSON object with {{query}} in a string")]
    InvalidFinder(String),
    /// A stack is not a list of filters followed by at most one presenter.
    #[error(
        "'{stack}' is not a valid stack: name filters first and at most one presenter last, as in 'concerns+describe'"
    )]
    InvalidStack {
        /// The name of the stack.
        stack: String,
    },
    /// A strategy could not be built.
    #[error("strategy '{name}' cannot be built")]
    Build {
        /// The strategy.
        name: String,
        /// The setting that is wrong, if it is one.
        key: Option<String>,
        /// Invalid settings, or the error of its constructor.
        #[source]
        source: BuildError,
    },
}

/// Why a strategy could not be built.
pub(crate) type BuildError = Box<dyn std::error::Error + Send + Sync>;
