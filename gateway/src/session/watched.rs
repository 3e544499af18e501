//! What a client is subscribed to.

/// A resource of one upstream. Several may serve the same URI, and not everyone who may read it of one may do so of another.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Watched {
    /// The upstream's number.
    pub upstream: usize,
    /// The URI.
    pub uri: String,
}

impl Watched {
    /// The resource of this URI.
    pub fn of(upstream: usize, uri: &str) -> Self {
        Self { upstream, uri: uri.to_owned() }
    }
}
