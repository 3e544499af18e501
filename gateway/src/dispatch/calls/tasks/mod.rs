//! Tasks: calls whose results clients fetch later, by methods of 2025-11-25, or of an extension since 2026-07-28 (SEP-2663).
//!
//! A task has an id of ours, which leads its client, and no other, to the upstream that runs it.

mod ask;
mod creation;
mod form;
mod requests;
mod table;
mod task;

pub(crate) use table::Tasks;
