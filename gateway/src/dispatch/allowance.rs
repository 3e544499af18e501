//! What an operator lets one caller use in a minute: calls, other requests and fetches; and calls at the same time.

use std::{
    collections::HashMap,
    num::NonZeroU32,
    sync::Arc,
    time::{Duration, Instant},
};

use governor::{
    DefaultDirectRateLimiter, Quota, RateLimiter,
    clock::{Clock, DefaultClock},
};
use mcp_disclosure_core::{Principal, Quotas};
use mcp_disclosure_transport::{Budget, ErrorText, Share, code};
use parking_lot::Mutex;
use serde_json::json;

/// A minute's use is forgotten after this long without any.
const FORGOTTEN: Duration = Duration::from_secs(120);

/// Requests that a call may need beside it: a handshake, and the lists.
const BESIDE_A_CALL: u32 = 5;

/// Beside calls there may be this many requests in a minute, however few calls are allowed.
const FEWEST_REQUESTS: u32 = 30;

/// In the `data` of an error: the seconds after which the same request may pass, as in HTTP's header.
pub(crate) const RETRY_AFTER: &str = "retry_after";

/// A caller, what its use is counted for, and the limits. Whatever else changes about what it may use, its use stays counted.
type Key = (Arc<str>, Arc<str>, Quotas);

/// All allowances in use, and when they were used.
#[derive(Debug, Default)]
pub(super) struct Allowances(Mutex<HashMap<Key, (Arc<Allowance>, Instant)>>);

/// The use that one grant makes of its quotas for one caller.
#[derive(Debug)]
pub(super) struct Allowance {
    fetches: Option<Limited>,
    calls: Option<Limited>,
    requests: Option<Limited>,
    /// Calls, whether or not they pass.
    attempts: Option<Limited>,
    running: Budget,
}

/// How much is allowed in a minute, and what is left of it.
type Limited = (NonZeroU32, DefaultDirectRateLimiter);

/// A call in progress, until this is dropped; its allowances are kept as long.
pub(super) type Running = Vec<(Arc<Allowance>, Share)>;

impl Allowances {
    /// The allowances of a caller: of its principal, or else of its peer. Few have any.
    pub(super) fn of(&self, principal: &Principal, peer: &str) -> Vec<Arc<Allowance>> {
        let quotas = principal.permits().quotas();
        if quotas.is_empty() {
            return Vec::new();
        }
        let who: Arc<str> = principal.id().unwrap_or(peer).into();
        let mut all = self.0.lock();
        let allowance = |(account, quotas): &(Arc<str>, Quotas)| {
            let key = (Arc::clone(&who), Arc::clone(account), *quotas);
            let new = || (Arc::new(Allowance::new(*quotas)), Instant::now());
            let (allowance, used) = all.entry(key).or_insert_with(new);
            *used = Instant::now();
            Arc::clone(allowance)
        };
        quotas.iter().map(allowance).collect()
    }

    /// Removes those that were not used for a while.
    pub(super) fn sweep(&self) {
        self.0
            .lock()
            .retain(|_, (allowance, used)| Arc::strong_count(allowance) > 1 || used.elapsed() < FORGOTTEN);
    }
}

impl Allowance {
    fn new(quotas: Quotas) -> Self {
        let limited = |most: Option<NonZeroU32>| most.map(|most| (most, RateLimiter::direct(quota(most))));
        Self {
            fetches: limited(quotas.fetches_per_minute),
            calls: limited(quotas.calls_per_minute),
            requests: limited(requests(&quotas)),
            attempts: limited(attempts(&quotas)),
            running: Budget::new(quotas.concurrent_calls.map_or(usize::MAX, |most| most.get() as usize)),
        }
    }

    /// Counts a fetch.
    ///
    /// # Errors
    /// How long to wait.
    pub(super) fn fetch(&self) -> Result<(), Duration> {
        self.fetches.as_ref().map_or(Ok(()), admit)
    }

    /// Counts a request that is no call under all of these.
    ///
    /// # Errors
    /// -32005, with the setting that limits it.
    pub(super) fn request(all: &[Arc<Self>]) -> Result<(), ErrorText> {
        limited(all.iter().filter_map(|allowance| allowance.requests.as_ref()), |most| {
            format!(
                "too many requests: beside calls of tools {most} a minute are allowed (limits.requests_per_minute = {most})"
            )
        })
    }

    /// Counts a call that may be refused before it is started, under all of these.
    ///
    /// # Errors
    /// -32005, with the settings that limit it.
    pub(super) fn attempt(all: &[Arc<Self>]) -> Result<(), ErrorText> {
        limited(all.iter().filter_map(|allowance| allowance.attempts.as_ref()), |most| {
            format!(
                "too many calls: with those that are refused, {most} a minute are allowed (the greater of limits.calls_per_minute and limits.requests_per_minute)"
            )
        })
    }

    /// Starts a call under all of these; `is_counted`: again, since it is decided anew.
    ///
    /// # Errors
    /// -32005, with the setting that limits it.
    pub(super) fn call(all: &[Arc<Self>], is_counted: bool) -> Result<Running, ErrorText> {
        let running = all.iter().map(|allowance| {
            let most = allowance.running.most();
            let place = allowance.running.take(1).map(|share| (Arc::clone(allowance), share));
            place.ok_or_else(|| {
                let message = format_args!(
                    "too many calls at a time: {most} are running, as many as are allowed (limits.concurrent_calls = {most}); wait for one to finish"
                );
                ErrorText::new(code::LIMIT_REACHED, message)
            })
        });
        let running = running.collect::<Result<Running, _>>()?;
        let limits = all.iter().filter(|_| !is_counted).filter_map(|allowance| allowance.calls.as_ref());
        limited(limits, |most| {
            format!("too many calls: {most} a minute are allowed (limits.calls_per_minute = {most})")
        })?;
        Ok(running)
    }
}

/// How many requests beside calls are allowed in a minute. Where calls are limited, others are too: most of what is called can be
/// asked for as well.
fn requests(quotas: &Quotas) -> Option<NonZeroU32> {
    let beside = |calls: NonZeroU32| calls.get().saturating_mul(BESIDE_A_CALL).max(FEWEST_REQUESTS);
    quotas.requests_per_minute.or_else(|| NonZeroU32::new(beside(quotas.calls_per_minute?)))
}

/// How many calls are looked at in a minute, where calls are limited: never fewer than may pass.
fn attempts(quotas: &Quotas) -> Option<NonZeroU32> {
    Some(quotas.calls_per_minute?.max(requests(quotas)?))
}

/// Counts something under all of these limits; `refused` says what is over one.
fn limited<'l>(
    limits: impl Iterator<Item = &'l Limited>,
    refused: impl Fn(NonZeroU32) -> String,
) -> Result<(), ErrorText> {
    for limit in limits {
        admit(limit).map_err(|wait| {
            let seconds = wait.as_secs() + 1;
            let message = format_args!("{}; try again in {seconds} s", refused(limit.0));
            ErrorText::new(code::LIMIT_REACHED, message).with_data(&json!({RETRY_AFTER: seconds}))
        })?;
    }
    Ok(())
}

fn admit((_, limiter): &Limited) -> Result<(), Duration> {
    let now = DefaultClock::default().now();
    limiter.check().map_err(|until| until.wait_time_from(now))
}

/// This many in a minute, in bursts or evenly.
pub(super) fn quota(count: NonZeroU32) -> Quota {
    Quota::per_minute(count).allow_burst(count)
}

#[cfg(test)]
mod tests {
    use mcp_disclosure_core::{Grant, Permits};

    use super::*;

    /// What has these limits in a minute, of calls and of other requests; 0 is none.
    fn limited(calls: u32, requests: u32) -> [Arc<Allowance>; 1] {
        let (calls_per_minute, requests_per_minute) = (NonZeroU32::new(calls), NonZeroU32::new(requests));
        [Arc::new(Allowance::new(Quotas { calls_per_minute, requests_per_minute, ..Quotas::default() }))]
    }

    #[test]
    fn a3_quotas_are_counted_by_principal_and_name_the_setting() {
        let count = NonZeroU32::new;
        let quotas = Quotas {
            calls_per_minute: count(3),
            concurrent_calls: count(2),
            fetches_per_minute: count(1),
            ..Quotas::default()
        };
        let principal = |id: &str| Principal::new(id, Permits::of([Grant { quotas, ..Grant::default() }]));
        let all = Allowances::default();
        let of = |id: &str| all.of(&principal(id), "peer");
        let first = Allowance::call(&of("ann"), false).unwrap();
        let _second = Allowance::call(&of("ann"), false).unwrap();
        let refused = Allowance::call(&of("ann"), false).unwrap_err();
        assert!(refused.message().contains("limits.concurrent_calls = 2"), "{}", refused.message());
        drop(first);
        drop(Allowance::call(&of("ann"), false).unwrap());
        let refused = Allowance::call(&of("ann"), false).unwrap_err();
        assert!(refused.message().contains("limits.calls_per_minute = 3"), "{}", refused.message());
        Allowance::call(&of("bob"), false).unwrap();
        assert!(of("ann")[0].fetch().is_ok() && of("ann")[0].fetch().is_err());
        assert!(all.of(&Principal::anonymous(), "peer").is_empty());
    }

    #[test]
    fn a3_requests_beside_calls_and_calls_that_are_refused_have_limits_of_their_own() {
        for (calls, requests, beside, attempts) in
            [(1, 0, 30, 30), (60, 0, 300, 300), (60, 7, 7, 60), (6, 70, 70, 70)]
        {
            let allowances = limited(calls, requests);
            assert!((0..beside).all(|_| Allowance::request(&allowances).is_ok()));
            let refused = Allowance::request(&allowances).unwrap_err();
            let named = format!("limits.requests_per_minute = {beside}");
            assert!(refused.message().contains(&named), "{}", refused.message());
            let wait: u64 = refused.data().unwrap().member(RETRY_AFTER).unwrap().parse().unwrap();
            assert!(refused.message().ends_with(&format!("try again in {wait} s")), "{}", refused.message());
            // No call that passes meets the limit of those that are refused.
            assert!((0..attempts).all(|_| Allowance::attempt(&allowances).is_ok()));
            let refused = Allowance::attempt(&allowances).unwrap_err();
            assert!(refused.message().contains("limits.calls_per_minute"), "{}", refused.message());
            Allowance::call(&allowances, false).unwrap();
        }
        let unlimited = [limited(0, 0), limited(0, 1)];
        assert!((0..1_000).all(|_| Allowance::request(&unlimited[0]).is_ok()));
        assert!((0..1_000).all(|_| Allowance::attempt(&unlimited[1]).is_ok()));
    }

    #[test]
    fn a3_use_stays_counted_when_something_else_about_a_caller_changes() {
        let quotas = Quotas { calls_per_minute: NonZeroU32::new(1), ..Quotas::default() };
        let all = Allowances::default();
        let call = |tools: &str, accounts: &[&str]| {
            let tools = Some(vec![tools.to_owned()]);
            let grant = |account: &&str| {
                let (account, tools) = ((*account).to_owned(), tools.clone());
                Grant { quotas, account, tools, ..Grant::nothing() }
            };
            let principal = Principal::new("ann", Permits::of(accounts.iter().map(grant)));
            Allowance::call(&all.of(&principal, "peer"), false).is_ok()
        };
        assert!(call("a/*", &[""]));
        assert!(!call("b/*", &[""]));
        // A profile counts by itself, and one limit counts a call once.
        assert!(call("a/*", &["@small", "@small"]));
        assert!(!call("a/*", &["", "@other"]));
    }
}
