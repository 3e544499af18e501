//! The vocabulary of o200k_base, in the compact form that `build.rs` writes.

use std::{iter, sync::LazyLock};

use tiktoken_rs::{CoreBPE, O200K_BASE_PAT_STR};

/// Its tokens in the order of their ranks, each after its length in one byte.
static TOKENS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/o200k_base"));

/// The tokenizer, for ordinary text: it has no control tokens.
pub(crate) static O200K_BASE: LazyLock<CoreBPE> = LazyLock::new(|| {
    let ranks = tokens().map(<[u8]>::to_vec).zip(0..).collect();
    CoreBPE::new(ranks, Default::default(), O200K_BASE_PAT_STR).expect("the crate's own pattern is valid")
});

fn tokens() -> impl Iterator<Item = &'static [u8]> {
    let mut rest = TOKENS;
    iter::from_fn(move || {
        let (length, after) = rest.split_first()?;
        let (token, after) = after.split_at_checked(usize::from(*length))?;
        rest = after;
        Some(token)
    })
}

#[cfg(test)]
mod tests {
    use tiktoken_rs::o200k_base_singleton;

    use super::*;

    #[test]
    fn w2_the_compact_vocabulary_is_the_crate_s() {
        let whole = o200k_base_singleton();
        let count = tokens().count();
        assert_eq!(count, 199_998);
        for (rank, token) in (0..).zip(tokens()) {
            assert_eq!(whole.decode_bytes(&[rank]).unwrap(), token, "{rank}");
        }
        let text = include_str!("../../docs/CONTRACT.md");
        assert_eq!(O200K_BASE.encode_ordinary(text), whole.encode_ordinary(text));
    }
}
