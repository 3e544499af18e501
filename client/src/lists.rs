//! A server's lists, fetched page by page: what a [`Host`](crate::Host) and a gateway do alike.

use std::{collections::HashSet, time::Duration};

use mcp_disclosure_core::{Era, ListHints, RawObject, RawText, given};
use mcp_disclosure_transport::{Bound, CallError, Json};

/// Maximum pages per list.
const MOST_PAGES: usize = 10_000;

/// What an item of a list takes in memory beside its text: 300,000 resources of 33 bytes took 450 each, 100,000 tools of 48 bytes
/// 1,300.
const ITEM_BYTES: usize = 1_024;

/// A server that is asked for its lists.
pub trait Lister: Sync {
    /// Its name, for the log.
    fn name(&self) -> String;

    /// The era that it is asked in.
    fn era(&self) -> Era;

    /// The bytes that a list may have.
    fn room(&self) -> Bound;

    /// Sends a request in the form of that era, and waits for its result.
    fn ask(&self, method: &str, params: RawObject) -> impl Future<Output = Result<Json, CallError>> + Send;
}

/// All pages of a list, and the hints for the list as a whole.
#[derive(Debug, Default)]
pub struct Listed {
    /// Its items, as they were sent.
    pub items: Vec<RawText>,
    /// Its hints; `None` if there was no page.
    pub hints: Option<ListHints>,
    /// Whether it may have more pages: a cursor repeats or is no string, or there are too many.
    pub is_cut: bool,
}

/// All pages of a list; `params` are those of the first request, and `member` is where the items are.
///
/// # Errors
/// Why a page has no result; [`CallError::Invalid`] if it has no list, or the pages are larger than a list may be.
pub async fn all_pages(
    server: &impl Lister,
    method: &str,
    member: &str,
    mut params: RawObject,
) -> Result<Listed, CallError> {
    let mut all = Listed::default();
    let bound = server.room();
    let too_large = || {
        let (most, setting) = (bound.most, bound.in_brackets());
        CallError::invalid(format!(
            "{method} lists more than {most} bytes, and {ITEM_BYTES} for each item{setting}"
        ))
    };
    let (mut room, mut seen) = (bound.most, HashSet::new());
    for _ in 0..MOST_PAGES {
        let page = server.ask(method, params).await?;
        room = room.checked_sub(page.as_str().len()).ok_or_else(too_large)?;
        let page = RawObject::of(&page)
            .map_err(|_| CallError::invalid(format!("the result of {method} is not an object")))?;
        let listed = page.member(member).ok_or_else(|| {
            CallError::invalid(format!("the result of {method} is invalid: '{member}' is missing"))
        })?;
        // No more are read than there is room for: an item of one digit takes fifty times as much as the list's text.
        let listed = given::values(listed, room / ITEM_BYTES).ok_or_else(|| {
            CallError::invalid(format!("the result of {method} is invalid: '{member}' is not an array"))
        })?;
        room = room.checked_sub(listed.len() * ITEM_BYTES).ok_or_else(too_large)?;
        all.items.extend(listed.into_iter().map(|item| RawText::from(item.to_owned())));
        let hints = hints(&page, server.era());
        all.hints = Some(match all.hints {
            Some(first) => first.continued(hints),
            None => hints,
        });
        let is_last = page.member("nextCursor").is_none_or(|cursor| cursor == "null");
        match page.string("nextCursor") {
            Some(cursor) if seen.insert(cursor.clone()) => {
                params = RawObject::empty().with_value("cursor", &cursor);
            }
            _ => {
                all.is_cut = !is_last;
                return Ok(all);
            }
        }
    }
    all.is_cut = true;
    Ok(all)
}

/// A page's cache hints. The stateless era requires them; a list without any is treated as not cacheable.
fn hints(page: &RawObject, era: Era) -> ListHints {
    let unsaid = match era {
        Era::Session => ListHints::default(),
        Era::Stateless => ListHints::NONE,
    };
    let scope = page.string("cacheScope");
    ListHints {
        time_to_live: page.member("ttlMs").map_or(unsaid.time_to_live, milliseconds),
        private: scope.map_or(unsaid.private, |scope| scope != "public"),
        meta: page.object("_meta"),
    }
}

/// A number of milliseconds that clients can represent; zero if negative or not a number.
fn milliseconds(text: &str) -> Duration {
    const LONGEST: f64 = 9_007_199_254_740_991.0;
    let number = text.parse::<f64>().unwrap_or_default().clamp(0.0, LONGEST);
    Duration::from_millis(number as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn u15_hints_are_read_and_what_an_era_demands_is_not_presumed() {
        let read = |page: &str, era| {
            let ListHints { time_to_live, private, .. } = hints(&RawObject::parse(page).unwrap(), era);
            (time_to_live.as_millis(), private)
        };
        for (page, session, stateless) in [
            (r#"{}"#, (60_000, false), (0, true)),
            (r#"{"ttlMs":300000,"cacheScope":"public"}"#, (300_000, false), (300_000, false)),
            (r#"{"ttlMs":0,"cacheScope":"private"}"#, (0, true), (0, true)),
            (r#"{"ttlMs":1500.0}"#, (1500, false), (1500, true)),
            (r#"{"ttlMs":-5,"cacheScope":"shared"}"#, (0, true), (0, true)),
            (r#"{"ttlMs":"soon","cacheScope":7}"#, (0, false), (0, true)),
            (r#"{"ttlMs":1e300}"#, (9_007_199_254_740_991, false), (9_007_199_254_740_991, true)),
        ] {
            assert_eq!(
                (read(page, Era::Session), read(page, Era::Stateless)),
                (session, stateless),
                "{page}"
            );
        }
    }
}
