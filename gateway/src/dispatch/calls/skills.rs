//! Skills (SEP-2640): what upstreams offer becomes one list, and a skill leads back to its upstream by the URIs of its files.
//!
//! Its files are resources, and hidden as such. Where two upstreams' skills have a URI in common, both get URIs of ours for all
//! their files, so that relative references keep their meaning (docs/CONTRACT.md U18).

use std::{cmp::Reverse, collections::HashMap, sync::Arc};

use mcp_disclosure_core::{
    ListHints, RawObject, RawText, SKILLS_INDEX, UpstreamName, View, given::shown, our_uri,
};
use mcp_disclosure_transport::{ErrorText, Json, beside::aside, code};

use super::{Answer, Calls, links, read::is_not_found};
use crate::{
    backend::Backend,
    dialect::{complete, list_result},
    dispatch::{RequestContext, common::text_of, lists::no_cursor},
    slot::Slot,
    upstream::CallError,
};

/// The member of a skill, and of a directory, that has its files.
const FILES: &str = "resources";

/// How a text of JSON begins that is the URI of a skill's file.
const SCHEME: &str = r#""skill:"#;

/// The members of an entry of an index that are the skill's URI.
const INDEXED: [&str; 2] = ["url", "uri"];

impl Calls {
    /// A request about skills, or about a directory of their files.
    ///
    /// # Errors
    /// -32601 if no upstream has it; -32602 if there is no such skill or directory; the upstream's error.
    pub(crate) async fn of_skills(&self, cx: &RequestContext<'_>) -> Answer {
        let (view, declared) = (&cx.page.view, cx.reach().await?.skills());
        match &*cx.request.method {
            "skills/list" => self.skill_list(cx).await,
            "skills/get" => {
                let read = |upstream: &UpstreamName, is_ours, result: RawObject| {
                    let skill = Skill::read(view, upstream, &result.share("skill")?)?;
                    let skill = if is_ours { skill.renamed() } else { skill.text };
                    Some(result.with("skill", skill.text()))
                };
                self.found(cx, ("skill", declared.is_some()), read).await
            }
            _ => {
                let read = |upstream: &UpstreamName, is_ours, result: RawObject| {
                    let files = files(&result, |uri| match is_ours {
                        _ if view.hides_resource(uri)(upstream) => None,
                        true => Some(our_uri(upstream, uri)),
                        false => Some(view.served_uri(upstream, uri).into_owned()),
                    });
                    Some(result.with_list(FILES, &files))
                };
                self.found(cx, ("directory", declared == Some(true)), read).await
            }
        }
    }

    /// `skills/list`: those of all upstreams, in one page. An upstream that does not answer has none.
    async fn skill_list(&self, cx: &RequestContext<'_>) -> Answer {
        no_cursor(cx.params)?;
        let (view, backend) = (&cx.page.view, cx.reached());
        // They are not remembered, and no notification would tell of them.
        backend.settled_anew().await;
        cx.still_holds()?;
        let upstreams = backend.upstreams();
        let asked = upstreams.iter().filter(|upstream| upstream.introduction().may_have_skills().is_some());
        let listed = asked.map(|upstream| async move {
            let skills = match upstream.skills().await {
                Ok(skills) => skills,
                Err(CallError::Answered(error)) if error.code() == code::METHOD_NOT_FOUND => return None,
                Err(error) => {
                    tracing::warn!(upstream = %upstream.name(), error = error.in_full(), "skills not listed");
                    Vec::new()
                }
            };
            let read = |skill: &RawText| Skill::read(view, upstream.name(), skill);
            Some(skills.iter().filter_map(read).collect::<Vec<_>>())
        });
        let listed: Vec<_> = futures::future::join_all(listed).await.into_iter().flatten().collect();
        if listed.is_empty() && backend.skills().is_none() {
            return Err(ErrorText::method_not_found());
        }
        Ok(list_result(cx.era(), "skills", &served(view, listed.concat()), &ListHints::NONE))
    }

    /// What is read of the answer of the first upstream that has what a request names, by a URI of ours or not, which is a `kind` of
    /// thing that upstreams are known to have, or may have.
    async fn found(
        &self,
        cx: &RequestContext<'_>,
        (kind, mut is_known): (&str, bool),
        read: impl Fn(&UpstreamName, bool, RawObject) -> Option<RawObject>,
    ) -> Answer {
        let uri = text_of(cx.params, "uri")?;
        let led = cx.page.view.leads_to(&uri);
        let own = led.as_ref().map_or(&uri, |(_, own)| own);
        for slot in candidates(cx, led.as_ref().map(|(upstream, _)| *upstream), own).await {
            let asking = cx.upstream_call(&*cx.request.method, cx.params.with_value("uri", own));
            match self.relay(cx, &slot, asking).await {
                Ok(result) => {
                    is_known = true;
                    let result = result.object(&cx.page.view)?;
                    if let Some(found) = slot.name().and_then(|name| read(name, led.is_some(), result)) {
                        return Ok(complete(cx.era(), found.into()));
                    }
                }
                Err(error) if is_not_found(&error) => is_known |= error.code() != code::METHOD_NOT_FOUND,
                Err(error) => return Err(error),
            }
        }
        match is_known {
            true => Err(ErrorText::invalid_params(format_args!("Unknown {kind}: {}", shown(&uri)))),
            false => Err(ErrorText::method_not_found()),
        }
    }

    /// The index of all upstreams' skills; `None` if there is nothing to join, and nothing to hide.
    pub(super) async fn index(&self, cx: &RequestContext<'_>, params: &RawObject) -> Option<Json> {
        let view = &cx.page.view;
        let slots = cx.backend.slots();
        if slots.len() < 2 && !view.guards_resources() {
            return None;
        }
        let is_refused_of = view.refuses_resource(SKILLS_INDEX);
        let (mut indexes, mut skills, mut bytes) = (Vec::new(), Vec::new(), 0);
        for slot in slots.iter().filter(|slot| slot.has("resources")) {
            let Some(name) = slot.name().filter(|name| !is_refused_of(name)) else { continue };
            let request = cx.upstream_call("resources/read", params.clone());
            let Ok(read) = self.relay(cx, slot, request).await else { continue };
            let Ok(read) = read.shown(view) else { continue };
            bytes += read.as_str().len();
            let Some((found, listed)) = aside(read.as_str().len(), || {
                let found = contents(&read)?;
                let listed: Vec<RawText> = found.2.value("skills").unwrap_or_default();
                let listed = listed.iter().filter_map(|entry| Skill::indexed(view, name, entry));
                Some((found, listed.collect::<Vec<_>>()))
            }) else {
                continue;
            };
            skills.extend(listed);
            indexes.push((read, found));
        }
        if indexes.len() == 1 && !view.guards_resources() {
            return indexes.pop().map(|(read, _)| read);
        }
        let (_, (read, content, index)) = indexes.into_iter().next()?;
        aside(bytes, || {
            let index = index.with_list("skills", &served(view, skills));
            let content = content.with_value("text", index.text());
            Some(read.with_list("contents", [&content]).into())
        })
    }
}

/// Asks upstreams for the skills that they have not listed, where a result refers to one: several may have it.
pub(super) async fn looked_for(backend: &Backend, result: &Json) {
    let slots = backend.slots();
    if slots.len() < 2 || !result.as_str().contains(SCHEME) {
        return;
    }
    let upstreams = slots.iter().filter_map(|slot| slot.upstream());
    futures::future::join_all(upstreams.map(|upstream| async move { upstream.looks_for_skills().await }))
        .await;
}

/// The result of a reading, its only content, and the index that this is.
fn contents(read: &Json) -> Option<(RawObject, RawObject, RawObject)> {
    let read = RawObject::parse(read.as_str()).ok()?;
    let contents: Vec<RawText> = read.value("contents")?;
    let content = RawObject::of(contents.first()?).ok()?;
    let index = RawObject::parse(content.string("text")?).ok()?;
    Some((read, content, index))
}

/// A skill of an upstream, without files that are hidden.
#[derive(Clone, Debug)]
struct Skill {
    upstream: UpstreamName,
    text: RawObject,
    /// The upstream's URIs of it and of its files.
    uris: Vec<String>,
}

impl Skill {
    /// Reads an entry of a list; `None` if it does not exist for the caller, or is none.
    fn read(view: &View, upstream: &UpstreamName, entry: &RawText) -> Option<Self> {
        let entry = RawObject::of(entry).ok()?;
        let uri = entry.string("uri").filter(|uri| !view.hides_resource(uri)(upstream))?;
        let is_judged_here = |key: &str| matches!(key, "uri" | FILES);
        let others = entry.retain(|key| !is_judged_here(key));
        let seen = links::part(view, (upstream, None), &others, false).ok()?;
        let entry = if seen == others { entry } else { entry.retain(is_judged_here).over(&seen) };
        let mut uris = vec![uri];
        let text = match entry.member(FILES) {
            Some(_) => {
                let kept = files(&entry, |uri| {
                    let kept = (!view.hides_resource(uri)(upstream)).then(|| uri.to_owned());
                    uris.extend(kept.clone());
                    kept
                });
                entry.with_list(FILES, &kept)
            }
            None => entry,
        };
        Some(Self { upstream: upstream.clone(), text, uris })
    }

    /// Reads an entry of an index.
    fn indexed(view: &View, upstream: &UpstreamName, entry: &RawText) -> Option<Self> {
        let entry = RawObject::of(entry).ok()?;
        let uris: Vec<String> = INDEXED.iter().filter_map(|key| entry.string(key)).collect();
        let is_hidden = uris.iter().any(|uri| view.hides_resource(uri)(upstream));
        (!is_hidden).then(|| Self { upstream: upstream.clone(), text: entry, uris })
    }

    /// The skill with URIs of ours.
    fn renamed(&self) -> RawObject {
        let ours = |uri: &str| our_uri(&self.upstream, uri);
        let named = INDEXED.iter().fold(self.text.clone(), |text, key| match text.string(key) {
            Some(uri) => text.with_value(key, &ours(&uri)),
            None => text,
        });
        match named.member(FILES) {
            Some(_) => named.with_list(FILES, &files(&named, |uri| Some(ours(uri)))),
            None => named,
        }
    }
}

/// The skills as clients know them.
fn served(view: &View, skills: Vec<Skill>) -> Vec<RawObject> {
    let mut owners: HashMap<&str, Option<&UpstreamName>> = HashMap::new();
    for skill in &skills {
        for uri in &skill.uris {
            let owner = owners.entry(uri).or_insert(Some(&skill.upstream));
            *owner = owner.filter(|owner| **owner == skill.upstream);
        }
    }
    let clashes = |skill: &Skill| {
        let is_shared = |uri: &String| {
            owners.get(uri.as_str()).is_some_and(Option::is_none)
                || *view.served_uri(&skill.upstream, uri) != **uri
        };
        skill.uris.iter().any(is_shared)
    };
    skills.iter().map(|skill| if clashes(skill) { skill.renamed() } else { skill.text.clone() }).collect()
}

/// The files of a skill or directory under other URIs, without those that get none.
fn files(object: &RawObject, mut renamed: impl FnMut(&str) -> Option<String>) -> Vec<RawObject> {
    let files: Vec<RawText> = object.value(FILES).unwrap_or_default();
    let files = files.iter().filter_map(|file| {
        let file = RawObject::of(file).ok()?;
        let uri = file.string("uri")?;
        let renamed = renamed(&uri)?;
        Some(if renamed == uri { file } else { file.with_value("uri", &renamed) })
    });
    files.collect()
}

/// The upstreams that may have what a URI of theirs names, all or this one: first the one that lists it, so that no other answers in
/// its place.
async fn candidates(cx: &RequestContext<'_>, only: Option<&UpstreamName>, uri: &str) -> Vec<Arc<Slot>> {
    let is_refused_of = cx.page.view.refuses_resource(uri);
    let reads_directory = cx.request.method != "skills/get";
    let mut found: Vec<(usize, Arc<Slot>)> = Vec::new();
    for slot in &*cx.reached().slots() {
        let Some(name) = slot.name() else { continue };
        let has = slot.introduction().and_then(|introduction| introduction.may_have_skills());
        let is_it = only.is_none_or(|only| only == name);
        if !is_it || is_refused_of(name) || !has.is_some_and(|reads| reads || !reads_directory) {
            continue;
        }
        let upstream = slot.upstream();
        if let Some(upstream) = &upstream {
            upstream.looks_for_skills().await;
        }
        found.push((upstream.map_or(0, |upstream| upstream.has_of_skill(uri)), Arc::clone(slot)));
    }
    found.sort_by_key(|(length, _)| Reverse(*length));
    found.into_iter().map(|(_, slot)| slot).collect()
}
