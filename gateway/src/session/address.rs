//! Where a client connects over HTTP.

/// The URL at which a client connects, as far as it says how the client is served. Empty over stdio.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Address {
    /// The strategy named in the path.
    pub strategy: Option<String>,
    /// The parameters of the query, by name; each name once. Strategies read them.
    pub parameters: Vec<(String, String)>,
}
