//! The catalogue: what upstreams list, under an operator's rules, as an immutable snapshot, and the part of it that exists for
//! a caller. Nothing here knows strategies.

pub(crate) mod assembly;
pub(crate) mod categories;
pub(crate) mod changes;
pub(crate) mod derived;
pub(crate) mod description;
mod guard;
mod idle;
mod listed_items;
pub(crate) mod lists;
pub(crate) mod lock;
mod matching;
pub(crate) mod mirrored;
pub(crate) mod naming;
pub(crate) mod pages;
pub(crate) mod pattern;
pub(crate) mod permits;
pub(crate) mod principal;
pub(crate) mod provider;
mod resources;
pub(crate) mod rules;
pub(crate) mod shared_uris;
pub(crate) mod snapshot;
pub(crate) mod tool;
mod uri;
pub(crate) mod view;
pub(crate) mod visible_tool;
pub(crate) mod warning;
pub(crate) mod words;
