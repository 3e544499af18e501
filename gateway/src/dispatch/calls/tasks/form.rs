//! How the two eras write tasks.

use std::time::SystemTime;

use chrono::{DateTime, SecondsFormat, Utc};
use mcp_disclosure_core::{Era, RawObject};
use mcp_disclosure_transport::Json;

/// The members that differ in their names alone: up to 2025-11-25, and since.
const RENAMED: [(&str, &str); 2] = [("ttl", "ttlMs"), ("pollInterval", "pollIntervalMs")];

/// The members that only the extension has: its states come with results and questions.
const DETAILS: [&str; 4] = ["resultType", "result", "error", "inputRequests"];

/// The result of a call and the task that it creates, in the form of this era; `None` if it is a result of another kind.
pub(super) fn created(era: Era, result: &Json) -> Option<(RawObject, RawObject)> {
    // Results are large, and few are tasks.
    if !result.as_str().contains("task") {
        return None;
    }
    let result = RawObject::parse(result.as_str()).ok()?;
    let task = match era {
        Era::Session => result.object("task")?,
        Era::Stateless if result.member("resultType") == Some(r#""task""#) => {
            result.retain(|key| key != "_meta")
        }
        Era::Stateless => return None,
    };
    Some((result, task))
}

/// The result of a call that creates this task, from the result of the upstream's era.
pub(super) fn creation(from: Era, to: Era, result: &RawObject, task: &RawObject) -> RawObject {
    let task = translated(task, from, to);
    match (from, to) {
        (Era::Session, Era::Session) => result.with("task", task.text()),
        (_, Era::Stateless) => with_meta_of(result, task.with("resultType", r#""task""#)),
        (Era::Stateless, Era::Session) => with_meta_of(result, RawObject::empty().with("task", task.text())),
    }
}

fn with_meta_of(result: &RawObject, object: RawObject) -> RawObject {
    result.member("_meta").map_or(object.clone(), |meta| object.with("_meta", meta))
}

/// A task in the form of another era.
pub(super) fn translated(task: &RawObject, from: Era, to: Era) -> RawObject {
    if from == to {
        return task.clone();
    }
    let name = |key: &str| {
        let other = RENAMED.iter().find_map(|(session, stateless)| match to {
            Era::Session => (key == *stateless).then_some(*session),
            Era::Stateless => (key == *session).then_some(*stateless),
        });
        other.map(str::to_owned).unwrap_or_else(|| key.to_owned())
    };
    let kept = task.iter().filter(|(key, _)| to == Era::Stateless || !DETAILS.contains(key));
    let named: Vec<(String, &str)> = kept.map(|(key, value)| (name(key), value)).collect();
    let translated = RawObject::assemble(named.iter().map(|(key, value)| (key.as_str(), *value)));
    // Up to 2025-11-25 a call that went wrong has failed; since, what failed has no result at all.
    let went_wrong = || task.object("result").is_some_and(|result| result.member("isError") == Some("true"));
    match to {
        Era::Session if went_wrong() => translated.with("status", r#""failed""#),
        _ => translated,
    }
}

/// The time of day as RFC 3339 writes it, in UTC.
pub(super) fn now() -> String {
    DateTime::<Utc>::from(SystemTime::now()).to_rfc3339_opts(SecondsFormat::Secs, true)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(text: &str) -> RawObject {
        RawObject::parse(text).unwrap()
    }

    #[test]
    fn t3_each_era_reads_the_others_tasks() {
        let session = object(r#"{"taskId":"a","status":"working","ttl":null,"pollInterval":5,"x":1}"#);
        let stateless = object(r#"{"taskId":"a","status":"working","ttlMs":null,"pollIntervalMs":5,"x":1}"#);
        assert_eq!(translated(&session, Era::Session, Era::Stateless), stateless);
        assert_eq!(translated(&stateless, Era::Stateless, Era::Session), session);
        let ended =
            r#"{"resultType":"complete","taskId":"a","status":"completed","result":{"isError":true}}"#;
        let ended = translated(&object(ended), Era::Stateless, Era::Session);
        assert_eq!(ended.text(), r#"{"taskId":"a","status":"failed"}"#);
        let result = object(r#"{"resultType":"task","taskId":"a","ttlMs":1,"_meta":{"k":1}}"#);
        let (result, task) = created(Era::Stateless, &result.into()).unwrap();
        let there = creation(Era::Stateless, Era::Session, &result, &task);
        assert_eq!(there.text(), r#"{"task":{"taskId":"a","ttl":1},"_meta":{"k":1}}"#);
        let (result, task) = created(Era::Session, &there.into()).unwrap();
        let back = creation(Era::Session, Era::Stateless, &result, &task);
        assert_eq!(back.text(), r#"{"taskId":"a","ttlMs":1,"resultType":"task","_meta":{"k":1}}"#);
        for other in [r#"{"task":"a"}"#, r#"{"content":[{"text":"task"}]}"#, "[]"] {
            assert!(created(Era::Session, &other.to_owned().into()).is_none(), "{other}");
        }
    }
}
