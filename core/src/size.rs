//! The size of tools for a model.

use crate::raw::RawObject;

/// What ordinary hosts show their models of a listed tool: what APIs of models take, which is `name`, `description` and
/// `inputSchema`. Output schemas and annotations are up to half of a definition, and no model reads them.
pub fn shown(tool: &RawObject) -> RawObject {
    tool.retain(|key| matches!(key, "name" | "description" | "inputSchema"))
}

/// The size of what is [`shown`] of a tool, in bytes.
pub(crate) fn shown_bytes(tool: &RawObject) -> usize {
    shown(tool).compact().text().len()
}

/// What a list of tools costs a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListSize {
    /// How many tools it has.
    pub tools: usize,
    /// The size of what is [`shown`] of them, as one compact JSON array, in bytes.
    pub bytes: usize,
}

impl ListSize {
    /// Measures a list.
    pub fn of<'a>(tools: impl IntoIterator<Item = &'a RawObject>) -> Self {
        Self::sum(tools.into_iter().map(shown_bytes))
    }

    /// That of tools of these [sizes](shown_bytes).
    pub(crate) fn sum(sizes: impl Iterator<Item = usize>) -> Self {
        let (tools, bytes) =
            sizes.fold((0, BRACKETS), |(tools, sum), size| (tools + 1, sum + size + SEPARATOR));
        Self { tools, bytes }
    }

    /// About how many tokens it is.
    pub fn tokens(&self) -> u64 {
        (self.bytes as u64).saturating_mul(10).div_ceil(TENTHS_PER_TOKEN)
    }
}

/// The bytes between two items of a list.
const SEPARATOR: usize = 1;
/// The bytes around them.
const BRACKETS: usize = 2;

// A tokenizer is 4 MB of tables and differs from model to model; what is decided by an estimate (is a list within a
// budget?) is not changed by a tenth more or less.

/// Bytes of what is shown of tools for each token of o200k_base, in tenths. Measured on eight recorded servers: 4.44 for
/// their 131 tools together, 4.2 to 4.8 for each.
const TENTHS_PER_TOKEN: u64 = 45;

/// How [`ListSize::tokens`] counts, for people.
pub const METHOD: &str = "estimated at 4.5 bytes a token";
