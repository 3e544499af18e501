//! Resources that results refer to: links to hidden ones, and hidden embedded ones, are removed; where upstreams' URIs clash, the
//! others get those by which clients know them.
//!
//! Every result of an upstream comes as [`Unseen`], and nothing can be taken out of one but what the caller may see. A result in
//! which nothing changes keeps its original text, and with one upstream and without resource rules no result is inspected. Names of
//! members count in any case, as some clients decode them.

use std::{borrow::Cow, sync::Arc};

use mcp_disclosure_core::{
    RawObject, View,
    given::{self, is_like, may_have},
    our_uri,
    take::members,
    with_pages,
};
use mcp_disclosure_transport::{ErrorText, Json, beside::aside};

use super::{Answer, suggestions};
use crate::{
    error::upstream_failed,
    upstream::{SkillPlaces, Upstream},
};

/// The members that hold blocks, one or several: of results (those of tasks are within their states), of messages, and of requests
/// that a result asks a client for.
const CONTAINERS: [&str; 7] = ["content", "contents", "messages", "params", "resource", "result", REQUESTS];

/// The container whose blocks have names.
const REQUESTS: &str = "inputRequests";

/// The member that is the URI of a resource.
const URI: &str = "uri";

/// How deep lists and objects are nested at most. The protocol needs ten: a requested message has blocks, of which the result of
/// a tool embeds resources.
const DEEPEST: usize = 12;

/// How many items or members of one value are looked at.
const MOST: usize = 100_000;

/// The result of a request, as its upstream sent it.
#[derive(Debug)]
pub(super) struct Unseen {
    /// The upstream that sent it.
    pub(super) upstream: Arc<Upstream>,
    result: Json,
}

impl Unseen {
    pub(super) fn new(upstream: &Arc<Upstream>, result: Json) -> Self {
        Self { upstream: Arc::clone(upstream), result }
    }

    /// What the caller may see of it, with the URIs by which clients know resources.
    ///
    /// # Errors
    /// -32000 if it may refer to a hidden resource and cannot be looked through, or does nothing but refer to one.
    pub(super) fn shown(self, view: &View) -> Answer {
        let part = self.sight(view).looked_through(self.result.as_str(), false)?;
        Ok(part.map_or(self.result, Json::from))
    }

    /// The same of the result of a method beyond MCP: any member of it may be a block.
    ///
    /// # Errors
    /// As of [`shown`](Self::shown).
    pub(super) fn shown_anywhere(self, view: &View) -> Answer {
        let sight = Sight { is_anywhere: true, ..self.sight(view) };
        let part = sight.looked_through(self.result.as_str(), false)?;
        Ok(part.map_or(self.result, Json::from))
    }

    /// The same as an object.
    ///
    /// # Errors
    /// -32000 also if it is none.
    pub(super) fn object(self, view: &View) -> Result<RawObject, ErrorText> {
        let upstream = Arc::clone(&self.upstream);
        let shown = self.shown(view)?;
        RawObject::parse(shown.as_str()).map_err(|_| illegible(upstream.name()))
    }

    /// The same of what was read; `None` if all of its contents are hidden. `asked` is the URI that the upstream was asked for, and
    /// the one that the client asked for.
    ///
    /// # Errors
    /// As of [`shown`](Self::shown).
    pub(super) fn readable(self, view: &View, asked: (&str, &str)) -> Result<Option<Json>, ErrorText> {
        let sight = Sight { asked: Some(asked), ..self.sight(view) };
        let Some(part) = sight.looked_through(self.result.as_str(), false)? else {
            return Ok(Some(self.result));
        };
        let part = RawObject::parse(part).map_err(|_| illegible(self.upstream.name()))?;
        let is_empty = part.like("contents").any(|contents| contents == "[]");
        Ok((!is_empty).then(|| part.into()))
    }

    /// The same of suggestions for a request with these parameters.
    ///
    /// # Errors
    /// -32000 if they cannot be looked through.
    pub(super) fn suggested(self, view: &View, params: &RawObject) -> Answer {
        suggestions::shown(view, self.upstream.name(), params, self.result)
    }

    fn sight<'a>(&'a self, view: &'a View) -> Sight<'a> {
        Sight::of(view, self.upstream.name(), Some(&self.upstream))
    }
}

/// The same of a part of a result, whose members are requests to the client if it is `named`. `from` is the upstream, while it is
/// connected.
///
/// # Errors
/// As of [`Unseen::shown`].
pub(super) fn part(
    view: &View,
    (upstream, from): (&str, Option<&Upstream>),
    part: &RawObject,
    named: bool,
) -> Result<RawObject, ErrorText> {
    match Sight::of(view, upstream, from).looked_through(part.text(), named)? {
        Some(rest) => RawObject::parse(rest).map_err(|_| illegible(upstream)),
        None => Ok(part.clone()),
    }
}

/// That a result is not passed on, since it cannot be looked through for what is hidden.
pub(super) fn illegible(upstream: &str) -> ErrorText {
    upstream_failed(upstream, "sent a result that cannot be looked through for hidden resources")
}

/// What is left of a JSON text: the text itself, where nothing changes; `None` for nothing.
type Rest<'t> = Option<Cow<'t, str>>;

/// Who sees what of an upstream's result.
#[derive(Clone, Copy)]
struct Sight<'a> {
    view: &'a View,
    upstream: &'a str,
    /// What is known of the skills of all upstreams.
    skills: Option<&'a SkillPlaces>,
    /// Whether blocks are looked for in any member, and not only in the [containers](CONTAINERS).
    is_anywhere: bool,
    /// The resource that was asked for, as the upstream and as the client knows it.
    asked: Option<(&'a str, &'a str)>,
}

impl<'a> Sight<'a> {
    fn of(view: &'a View, upstream: &'a str, from: Option<&'a Upstream>) -> Self {
        let skills = from.map(Upstream::known_skills);
        Self { view, upstream, skills, is_anywhere: false, asked: None }
    }

    /// What is left of an object, whose members are blocks if it is `named`; `None` if all of it is.
    fn looked_through(self, object: &str, named: bool) -> Result<Option<String>, ErrorText> {
        // Every block about a resource has a `uri`, and a page has a `resourceUri`.
        let may_refer = || may_have(object, &["uri"]) || object.contains("ourceUri\"");
        let is_looked_through = self.view.guards_resources() || self.renames();
        let rest = aside(object.len(), || match is_looked_through && may_refer() {
            true => self.rest_of(object.trim_start(), named, 0),
            false => Some(object.into()),
        });
        match rest {
            Some(Cow::Borrowed(_)) => Ok(None),
            Some(Cow::Owned(part)) => Ok(Some(part)),
            None => Err(illegible(self.upstream)),
        }
    }

    /// What is left of what cannot be looked through: nothing, where anything is hidden.
    fn unreadable(self, text: &str) -> Rest<'_> {
        (!self.view.guards_resources()).then_some(text.into())
    }

    /// What is left of a block, of a list of blocks or, if they are `named`, of an object of them. What is no object or list refers
    /// to nothing.
    fn rest_of(self, text: &str, named: bool, depth: usize) -> Rest<'_> {
        match text.as_bytes().first() {
            Some(b'[' | b'{') if depth > DEEPEST => self.unreadable(text),
            Some(b'[') => {
                let items = given::items(text, MOST).filter(|items| items.len() <= MOST);
                let Some(items) = items else { return self.unreadable(text) };
                let rests: Vec<_> =
                    items.into_iter().map(|item| self.rest_of(item, false, depth + 1)).collect();
                if rests.iter().all(is_whole) {
                    return Some(text.into());
                }
                let kept: Vec<_> = rests.into_iter().flatten().collect();
                Some(format!("[{}]", kept.join(",")).into())
            }
            Some(b'{') => {
                let Some(members) = members(text, MOST) else { return self.unreadable(text) };
                let rests = members.iter().map(|(key, value)| match named {
                    true => self.rest_of(value, false, depth + 1),
                    false => self.rest_of_member(key, value, depth + 1),
                });
                let rests: Vec<_> = rests.collect();
                if rests.iter().all(is_whole) {
                    return Some(text.into());
                }
                let is_about_it = |key: &str| !named && (!self.is_anywhere || is_of_block(key));
                let parts = members.iter().map(|(key, _)| &**key).zip(&rests);
                if parts.clone().any(|(key, rest)| rest.is_none() && is_about_it(key)) {
                    return None;
                }
                let kept = parts.filter_map(|(key, rest)| Some((key, &**rest.as_ref()?)));
                Some(RawObject::assemble(kept).text().to_owned().into())
            }
            _ => Some(text.into()),
        }
    }

    /// What is left of a member of a block; nothing, if it makes the block one about a hidden resource.
    fn rest_of_member<'t>(self, key: &str, value: &'t str, depth: usize) -> Rest<'t> {
        match () {
            () if is_like(key, URI) => self.rest_of_uri(value),
            () if key == "_meta" && self.renames() => {
                let renamed = with_pages(&RawObject::assemble([(key, value)]), |uri| self.served(uri).into());
                let renamed = renamed.and_then(|block| block.member(key).map(str::to_owned));
                Some(renamed.map_or(value.into(), Cow::Owned))
            }
            () if self.is_anywhere || is_of_block(key) => self.rest_of(value, is_like(key, REQUESTS), depth),
            () => Some(value.into()),
        }
    }

    fn rest_of_uri(self, value: &str) -> Rest<'_> {
        let Some(uri) = given::string(value) else {
            // A null refers to nothing.
            return if value == "null" { Some(value.into()) } else { self.unreadable(value) };
        };
        if self.view.hides_resource(&uri)(self.upstream) {
            return None;
        }
        match self.served(&uri) {
            served if self.renames() && served != uri => Some(Json::of(&served).as_str().to_owned().into()),
            _ => Some(value.into()),
        }
    }

    fn served(self, uri: &str) -> String {
        // Files of another upstream's skills need not be listed as resources.
        let is_anothers = || self.skills.is_some_and(|skills| skills.are_also_of_another(self.upstream, uri));
        match self.asked {
            Some((own, asked)) if own == uri => asked.to_owned(),
            _ => match self.view.served_uri(self.upstream, uri) {
                served if *served == *uri && is_anothers() => our_uri(self.upstream, uri),
                served => served.into_owned(),
            },
        }
    }

    /// Whether clients may know a resource by another URI than the upstream does.
    fn renames(self) -> bool {
        self.view.shares_uris()
            || self.skills.is_some_and(SkillPlaces::are_of_several)
            || self.asked.is_some_and(|(own, asked)| own != asked)
    }
}

/// Whether a member makes an object one about a resource: its URI, or a container of blocks.
fn is_of_block(key: &str) -> bool {
    is_like(key, URI) || CONTAINERS.iter().any(|container| is_like(key, container))
}

fn is_whole(rest: &Rest<'_>) -> bool {
    matches!(rest, Some(Cow::Borrowed(_)))
}
