//! Tests of this crate in front of a fake server; those of single functions are beside them.

pub(crate) mod fake;
mod host;
