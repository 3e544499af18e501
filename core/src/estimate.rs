//! How many tokens a text is for a model, estimated by its length.
//!
//! A tokenizer is 4 MB of tables and differs from model to model; what is decided by an estimate (is a list within a
//! budget?) is not changed by a tenth more or less.

/// Bytes of a list of tools, as JSON, for each token of o200k_base, in tenths. Measured on the lists of eight recorded
/// servers: 4.44 for their 131 tools together, 4.1 to 4.6 for each.
pub const TENTHS_PER_TOKEN: u64 = 45;

/// About how many tokens of JSON this many bytes are.
pub fn tokens(bytes: usize) -> u64 {
    (bytes as u64).saturating_mul(10).div_ceil(TENTHS_PER_TOKEN)
}

/// How [`tokens`] counts, for people.
pub const METHOD: &str = "estimated at 4.5 bytes a token";
