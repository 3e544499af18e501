//! Concerns of an upstream (concern-based-filtering): what it declares, our clients can choose; what a client chooses reaches
//! the upstreams that are that client's alone, in their handshake or by `updateConcerns`.

use std::{collections::HashSet, sync::atomic::Ordering};

use mcp_disclosure_core::{Notes, RawObject, RawText, Supplement, UpstreamLists};
use mcp_disclosure_transport::{CallError, ErrorText, code};
use serde_json::Value;

use crate::upstream::{Owner, Upstream, handshake::chosen_in};

/// The method that changes a host's choices.
const UPDATE: &str = "updateConcerns";

/// A method that no server has.
const UNHEARD_OF: &str = "mcp-disclosure/none";

/// The outcome of sending choices to an upstream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Told {
    /// It has no such concerns, or follows these choices already.
    Nothing,
    /// Its lists have changed.
    Taken,
    /// It follows choices from its handshake on only, so a new one is needed.
    ByHandshake,
    /// It ended instead of answering.
    Ended,
    /// It follows none.
    Refused,
}

impl Upstream {
    /// The lists with the concerns that it declares, and whether it follows choices itself.
    pub(crate) fn choosable(&self, lists: UpstreamLists) -> UpstreamLists {
        let follows_choices = self.follows_choices.load(Ordering::Relaxed);
        UpstreamLists { concerns: self.introduction.concerns(), follows_choices, ..lists }
    }

    /// Whether its lists are those of choices.
    pub(crate) fn is_chosen(&self) -> bool {
        !self.told.lock().is_empty()
    }

    /// Tells it a client's choices, `by_method` where it is not known to end then.
    pub(crate) async fn tell(&self, chosen: &Notes, by_method: bool) -> Told {
        let (chosen, told) = (self.introduction.understood(chosen), self.told.lock().clone());
        if chosen == told || !self.introduction.eras.session {
            return Told::Nothing;
        }
        let withdrawn: Vec<_> = told.keys().filter(|name| !chosen.contains_key(*name)).cloned().collect();
        // The source has no word for withdrawing a choice; gateways of this program take `null`.
        if !by_method || !withdrawn.is_empty() && self.introduction.extension().is_none() {
            return Told::ByHandshake;
        }
        let mut update = chosen.clone();
        update.extend(withdrawn.into_iter().map(|name| (name, Value::Null)));
        let told = self.update(&update).await;
        if told == Told::Taken {
            *self.told.lock() = chosen;
            self.follows_choices.store(true, Ordering::Relaxed);
        }
        told
    }

    /// Says again what its handshake said, since it may read choices by the method alone.
    pub(crate) async fn repeat(&self) -> Told {
        let told = self.told.lock().clone();
        if told.is_empty() { Told::Nothing } else { self.update(&told).await }
    }

    async fn update(&self, choices: &Notes) -> Told {
        match self.query(Owner::Ours, UPDATE, chosen_in(RawObject::empty(), choices)).await {
            Ok(_) => Told::Taken,
            Err(CallError::Answered(error)) if self.is_unknown(&error).await => Told::ByHandshake,
            Err(CallError::Ended { .. }) => Told::Ended,
            Err(error) => {
                self.refuses(&error.in_full());
                Told::Refused
            }
        }
    }

    /// Whether it does not know a method: some SDKs answer any such request as one with invalid parameters.
    async fn is_unknown(&self, refused: &ErrorText) -> bool {
        if refused.code() == code::METHOD_NOT_FOUND {
            return true;
        }
        match self.query(Owner::Ours, UNHEARD_OF, RawObject::empty()).await {
            Err(CallError::Answered(other)) => {
                (other.code(), other.message()) == (refused.code(), refused.message())
            }
            _ => false,
        }
    }

    /// Notes that it cannot be sent choices, and why.
    pub(crate) fn refuses(&self, why: &str) {
        tracing::warn!(upstream = %self.name, why, "the upstream refused choices of concerns; its lists are filtered here instead");
        self.follows_choices.store(false, Ordering::Relaxed);
    }

    /// Its lists with what it leaves out of them for its choices: that stays known by its exact name, and fits no choice of
    /// the same concerns.
    pub(crate) fn with_excluded(
        &self,
        mut lists: UpstreamLists,
        known: Option<&UpstreamLists>,
    ) -> UpstreamLists {
        let Some(known) = known else { return lists };
        let told = self.told.lock().clone();
        let nothing: Notes = told.keys().map(|name| (name.clone(), Value::Array(Vec::new()))).collect();
        if nothing.is_empty() {
            return lists;
        }
        let listed = names(&lists.tools);
        for tool in &known.tools {
            let Some(name) = tool.string("name").filter(|name| !listed.contains(name)) else { continue };
            let said = known.supplements.get(&name).and_then(|said| said.parts.clone()).unwrap_or_default();
            let parts = Some(said.with_value("concerns", &nothing));
            lists.supplements.insert(name, Supplement { parts, ..Supplement::default() });
            lists.tools.push(tool.clone());
        }
        let listed = names(&lists.prompts);
        let prompts = known.prompts.iter().filter_map(|prompt| RawObject::of(prompt).ok());
        let left_out =
            prompts.filter(|prompt| prompt.string("name").is_some_and(|name| !listed.contains(&name)));
        lists.prompts.extend(left_out.map(|prompt| {
            let meta = prompt.object("_meta").unwrap_or_default().with_value("concerns", &nothing);
            prompt.with("_meta", meta.text()).into_text()
        }));
        lists
    }
}

fn names(items: &[RawText]) -> HashSet<String> {
    items.iter().filter_map(|item| item.string("name")).collect()
}
