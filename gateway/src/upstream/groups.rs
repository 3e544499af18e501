//! Upstreams that offer groups (`io.modelcontextprotocol/groups`): what they have in groups they do not list, so that each
//! group is read, and its members join the lists. The lists are complete then, and the groups are kept beside them.

use std::collections::{HashSet, VecDeque};

use futures::{StreamExt, stream};
use mcp_disclosure_client::lists::all_pages;
use mcp_disclosure_core::{OwnGroup, RawObject, RawText, UpstreamLists, offers_groups};
use mcp_disclosure_transport::Json;

use super::{CallError, Owner, Upstream};

/// Requests at the same time.
const AT_ONCE: usize = 4;

/// Maximum length of the texts of a group, in bytes. Models read them.
const MOST_TEXT: usize = 16 * 1024;

/// What is read of the groups of an upstream.
#[derive(Debug, Default)]
struct Read {
    groups: Vec<OwnGroup>,
    tools: Vec<RawText>,
    prompts: Vec<RawText>,
    resources: Vec<RawText>,
    /// How many groups could not be read, and why the first of them.
    failures: Option<(usize, String)>,
    /// Why there was no answer, if there was none: the groups may be there all the same.
    unanswered: Option<CallError>,
}

/// The lists with the members of the upstream's groups, and the groups, for as long as a request may take and within limits.
/// What cannot be read is left out, with a warning; but where there are lists already, those are better than any that lack what
/// was not answered.
///
/// # Errors
/// If lists are fetched again, and an answer is missing.
pub(super) async fn read_through(
    upstream: &Upstream,
    lists: UpstreamLists,
    is_again: bool,
) -> Result<UpstreamLists, CallError> {
    if !offers_groups(&upstream.introduction().capabilities) {
        return Ok(lists);
    }
    let (waited, mut read) = (upstream.terms.timeouts.request, Read::default());
    let reading = tokio::time::timeout(waited, read.all(upstream)).await;
    if let Err(error) = reading.unwrap_or(Err(CallError::TimedOut { waited })) {
        read.refused(error);
    }
    if let Some(error) = read.unanswered.take().filter(|_| is_again) {
        return Err(error);
    }
    if let Some((failed, reason)) = &read.failures {
        tracing::warn!(
            upstream = %upstream.name(), failed, reason,
            "it offers groups that could not be read; what only they have is not served"
        );
    }
    Ok(UpstreamLists {
        tools: joined(lists.tools, read.tools, "name"),
        prompts: joined(lists.prompts, read.prompts, "name"),
        resources: joined(lists.resources, read.resources, "uri"),
        groups: read.groups,
        ..lists
    })
}

/// A list, and what it lacks of others, each once.
fn joined(mut list: Vec<RawText>, others: Vec<RawText>, key: &str) -> Vec<RawText> {
    let mut seen: HashSet<String> = list.iter().filter_map(|item| item.string(key)).collect();
    list.extend(others.into_iter().filter(|item| item.string(key).is_some_and(|key| seen.insert(key))));
    list
}

async fn fetch(upstream: &Upstream, group: OwnGroup) -> (OwnGroup, Result<Json, CallError>) {
    let params = RawObject::empty().with_value("name", &group.name);
    let result = upstream.query(Owner::Ours, "groups/get", params).await;
    (group, result)
}

impl Read {
    /// Reads all groups, within limits. What was read stays where this is given up.
    ///
    /// # Errors
    /// If they are not listed.
    async fn all(&mut self, upstream: &Upstream) -> Result<(), CallError> {
        let top = all_pages(upstream, "groups/list", "groups", RawObject::empty()).await?.items;
        let mut next: VecDeque<OwnGroup> = top.iter().filter_map(|group| entry(group, true)).collect();
        let mut seen: HashSet<String> = HashSet::new();
        let (most, mut room) = (upstream.limits().upstream_groups, upstream.limits().upstream_list_bytes);
        while !next.is_empty() {
            let batch: Vec<OwnGroup> =
                next.drain(..).filter(|group| seen.insert(group.name.clone())).collect();
            let allowed = most.saturating_sub(self.groups.len()).min(batch.len());
            if allowed < batch.len() {
                self.failed(batch.len() - allowed, format!("there are more than {most}"));
            }
            let fetches = stream::iter(batch.into_iter().take(allowed)).map(|group| fetch(upstream, group));
            let mut fetching = fetches.buffered(AT_ONCE);
            while let Some((group, result)) = fetching.next().await {
                let result = match result.map(|result| RawObject::of(&result)) {
                    Ok(Ok(result)) => result,
                    Ok(Err(_)) => {
                        self.failed(1, "the result is not an object".to_owned());
                        continue;
                    }
                    Err(error) => {
                        self.refused(error);
                        continue;
                    }
                };
                let Some(left) = room.checked_sub(result.text().len()) else {
                    let reason = "they are larger than a list may be (limits.upstream_list_bytes)";
                    self.failed(1, reason.to_owned());
                    return Ok(());
                };
                room = left;
                next.extend(self.take(group, &result));
            }
        }
        Ok(())
    }

    fn failed(&mut self, count: usize, reason: String) {
        let (failed, first) = self.failures.take().unwrap_or((0, reason));
        self.failures = Some((failed + count, first));
    }

    fn refused(&mut self, error: CallError) {
        self.failed(1, error.to_string());
        if !matches!(error, CallError::Answered(_)) {
            self.unanswered.get_or_insert(error);
        }
    }

    /// Keeps a group and its members. Returns the groups nested in it.
    fn take(&mut self, mut group: OwnGroup, result: &RawObject) -> Vec<OwnGroup> {
        let contents = result.object("contents").unwrap_or_default();
        let items = |member: &str| -> Vec<RawText> { contents.value(member).unwrap_or_default() };
        let named = |items: &[RawText], key: &str| -> Vec<String> {
            items.iter().filter_map(|item| item.string(key)).collect()
        };
        let (tools, prompts, resources) = (items("tools"), items("prompts"), items("resources"));
        group.tools = named(&tools, "name");
        group.prompts = named(&prompts, "name");
        group.resources = named(&resources, "uri");
        group.instructions = result.string("instructions").filter(|text| text.len() <= MOST_TEXT);
        let nested: Vec<OwnGroup> = items("groups").iter().filter_map(|group| entry(group, false)).collect();
        group.groups = nested.iter().map(|group| group.name.clone()).collect();
        self.groups.push(group);
        self.tools.extend(tools);
        self.prompts.extend(prompts);
        self.resources.extend(resources);
        nested
    }
}

/// A group as it is listed. One without a name cannot be asked for.
fn entry(group: &RawText, is_top: bool) -> Option<OwnGroup> {
    let group = RawObject::of(group).ok()?;
    let text = |member: &str| group.string(member).filter(|text| text.len() <= MOST_TEXT);
    Some(OwnGroup {
        name: text("name").filter(|name| !name.is_empty())?,
        title: text("title"),
        description: text("description").unwrap_or_default(),
        meta: group.object("_meta"),
        is_top,
        ..OwnGroup::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn g6_members_join_the_lists_once() {
        let raw = |text: &str| RawText::parse(text.to_owned()).unwrap();
        let list = vec![raw(r#"{"name":"a"}"#)];
        let others =
            vec![raw(r#"{"name":"b","x":1.0}"#), raw(r#"{"name":"a"}"#), raw("7"), raw(r#"{"name":"b"}"#)];
        let joined: Vec<String> =
            joined(list, others, "name").iter().map(|item| item.get().to_owned()).collect();
        assert_eq!(joined, [r#"{"name":"a"}"#, r#"{"name":"b","x":1.0}"#]);
    }

    #[test]
    fn g8_what_is_no_group_is_left_out() {
        let raw = |text: &str| RawText::parse(text.to_owned()).unwrap();
        for wrong in ["7", "{}", r#"{"name":""}"#, r#"{"name":7}"#] {
            assert_eq!(entry(&raw(wrong), true), None, "{wrong}");
        }
        let mut read = Read::default();
        let group = entry(&raw(r#"{"name":"g","description":"d"}"#), true).unwrap();
        let result = r#"{"contents":{"tools":[{"name":"t"},7],"groups":[{"name":"h"},{}],"prompts":7}}"#;
        let nested = read.take(group, &RawObject::parse(result).unwrap());
        assert_eq!((nested.len(), &*nested[0].name, nested[0].is_top), (1, "h", false));
        assert_eq!(read.groups[0].tools, ["t"]);
        assert_eq!(read.groups[0].groups, ["h"]);
    }
}
