//! The vocabulary and the trait of progressive tool disclosure for MCP.
//!
//! No I/O, no runtime, no clock, no protocol library: this crate takes values and returns values. It has two floors: values
//! and the trait ([`DisclosureStrategy`], with what it is given in [`Context`]), and the catalogue below it ([`Snapshot`], and
//! [`View`], the part of it that exists for a caller). [`Receipts`] prove deliveries, and [`Registry`] lists strategies.

pub mod adaptive;
mod arguments;
pub mod availability;
pub mod brief;
mod cap;
mod catalogue;
mod concern;
mod context;
mod decision;
pub mod delivered;
pub mod digest;
mod effect;
mod error;
mod executors;
mod fetch;
mod finder;
#[cfg(any(test, feature = "fixtures"))]
#[path = "tests/fixtures.rs"]
pub mod fixtures;
pub mod full;
pub mod given;
pub mod index;
pub mod inner_call;
pub mod layout;
mod lesson;
mod listing;
mod markdown;
mod memory;
mod name;
pub mod nearest;
mod own_tool;
mod pins;
pub mod printable;
mod profile;
mod raw;
mod raw_text;
pub mod receipt;
pub mod receipt_name;
mod registry;
mod setting;
pub mod size;
pub mod slim;
mod stack;
mod strategy;
pub mod take;

pub use adaptive::Selected;
pub use arguments::{ArgumentProblem, Checked, Schema, Verdict, type_of};
pub use cap::Cap;
pub use catalogue::categories::{ListedCategory, PermittedItems};
pub use catalogue::description::{DescriptionError, DescriptionFile, Supplement};
pub use catalogue::lists::{ListHints, Material, UpstreamLists};
pub use catalogue::lock::{
    DefinitionChange, Definitions as ListedDefinitions, Lock, OnChange, Record, Review, changes_between,
    qualified,
};
pub use catalogue::mirrored::Mirrored;
pub use catalogue::naming::{Naming, NamingError};
pub use catalogue::pages::with_pages;
pub use catalogue::pattern::Pattern;
pub use catalogue::permits::{Grant, ListedResources, Permits, Quotas};
pub use catalogue::principal::Principal;
pub use catalogue::provider::{OwnGroup, OwnInfo, Provider};
pub use catalogue::rules::{Rule, Rules, Switches};
pub use catalogue::shared_uris::{matches_template, our_uri, own_uri};
pub use catalogue::snapshot::{About, Category, Entry, Primitive, Snapshot};
pub use catalogue::tool::{CHEAP_SCHEMA_BYTES, PERMISSIVE_SCHEMA, Tool, is_withheld};
pub use catalogue::view::View;
pub use catalogue::visible_tool::VisibleTool;
pub use catalogue::warning::Warning;
pub use catalogue::words::case_parts;
pub use concern::{Concern, ConcernError, Mapping, Values, plain};
pub use context::{ClientTraits, Context, Era, Services, Unlimited};
pub use decision::{Decision, Fault, Refusal, ToolAnswer, ToolCall};
pub use digest::Digest;
pub use effect::{Effect, Effects, Note};
pub use error::Error;
pub use executors::{Called, Executor, Executors};
pub use fetch::{FetchBounds, Names, SOME_TOOL, descriptions_uri, fetching_tool};
pub use finder::{Finder, Hit};
pub use full::Full;
pub use lesson::Lesson;
pub use listing::{Listing, Shown};
pub use memory::{Memory, Noted, Notes};
pub use name::{EXTENSION, GROUPS, Kind, SKILLS, SKILLS_INDEX, ToolName, UI, UpstreamName, offers_groups};
pub use own_tool::OwnTool;
pub use profile::{Extension, Profile, Role, Variant};
pub use raw::RawObject;
pub use raw_text::{RawText, Texts};
pub use receipt::{Handles, Marks, Receipt, ReceiptKey, ReceiptProblem, Receipts, SessionReceipts};
pub use registry::{Builder, PlugIn, Registry, Settings};
pub use setting::{Setting, SettingKind, SettingValue};
pub use size::ListSize;
pub use slim::Definitions;
pub use stack::Stack;
pub use strategy::{Advertisement, DisclosureStrategy, Lifecycle, Objection, Own};
