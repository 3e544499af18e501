//! Limits on the resources that peers may use. Errors name them as `limits.NAME`.
//!
//! The table at the end of this file is the only place where a limit is declared: at most twelve that operators set, with
//! their defaults and the text for help, schemas and documentation, and those that no operator needs to set, with the reason for
//! their values.

use std::{num::NonZeroU64, time::Duration};

use mcp_disclosure_core::nearest::nearest;
use mcp_disclosure_transport::{Bound, Bounds};
use serde::Deserialize;

/// A limit's documentation.
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    /// Its name.
    pub name: &'static str,
    /// The unit of the value: `bytes`, `count`, `seconds`, `milliseconds`.
    pub unit: &'static str,
    /// Its default.
    pub default: u64,
    /// What it limits.
    pub text: &'static str,
}

/// Values of one unit.
macro_rules! unit {
    (bytes) => { usize };
    (count) => { usize };
    (seconds) => { std::time::Duration };
    (milliseconds) => { std::time::Duration };
    (bytes $value:expr) => { unit!(count $value) };
    (count $value:expr) => { usize::try_from($value).unwrap_or(usize::MAX) };
    (seconds $value:expr) => { std::time::Duration::from_secs($value) };
    (milliseconds $value:expr) => { std::time::Duration::from_millis($value) };
}

macro_rules! limits {
    (public $($(#[doc = $text:literal])+ $name:ident: $unit:ident = $default:literal;)+
     fixed $($(#[doc = $what:literal])+ $fixed:ident: $of:ident = $value:literal, since $why:literal;)+) => {
        /// The limits in force.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct Limits {
            $($(#[doc = $text])+ pub $name: unit!($unit),)+
            $($(#[doc = $what])+ #[doc = concat!("\n\nIt is fixed, since ", $why, ".")] pub $fixed: unit!($of),)+
        }

        /// Limits set by the operator; the others have their defaults.
        #[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
        #[serde(deny_unknown_fields, default)]
        pub struct LimitSettings {
            $($(#[doc = $text])+
            pub $name: Option<NonZeroU64>,)+
        }

        /// Every limit that can be set, in the order of the documentation.
        pub const LIMITS: &[Limit] = &[$(Limit {
            name: stringify!($name),
            unit: stringify!($unit),
            default: $default,
            text: concat!($($text),+),
        },)+];

        /// Limits that cannot be set, with the reason for their values.
        const FIXED: &[(&str, u64, &str, &str)] =
            &[$((stringify!($fixed), $value, stringify!($of), $why),)+];

        impl LimitSettings {
            /// Fills in defaults.
            pub fn resolve(&self) -> Limits {
                Limits {
                    $($name: unit!($unit self.$name.map_or($default, NonZeroU64::get)),)+
                    $($fixed: unit!($of $value),)+
                }
            }

            /// Sets a limit by name.
            ///
            /// # Errors
            /// For an unknown name; suggests the nearest known one. For one that cannot be set it says why.
            pub fn set(&mut self, name: &str, value: NonZeroU64) -> Result<(), String> {
                match name {
                    $(stringify!($name) => self.$name = Some(value),)+
                    _ => return Err(fixed(name).unwrap_or_else(|| unknown(name))),
                }
                Ok(())
            }
        }
    };
}

impl Limits {
    /// The limits of a connection to an upstream.
    pub fn bounds(&self) -> Bounds {
        // One that cannot be set has no setting to name.
        let fixed = |most| Bound { most, setting: "" };
        Bounds {
            message_bytes: Bound {
                most: self.upstream_message_bytes,
                setting: "limits.upstream_message_bytes",
            },
            message_depth: Bound { most: self.message_depth, setting: "limits.message_depth" },
            batch_messages: fixed(self.upstream_batch_messages),
            queue_bytes: fixed(self.upstream_queue_bytes),
            queue_share_bytes: fixed(self.client_queue_bytes),
            stderr_lines: self.upstream_stderr_lines,
            stderr_characters: self.log_field_characters,
            resume_wait: self.upstream_resume_wait,
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        LimitSettings::default().resolve()
    }
}

/// Why a limit of this name cannot be set, if there is one.
pub fn fixed(name: &str) -> Option<String> {
    let (name, value, unit, why) = FIXED.iter().find(|(fixed, ..)| *fixed == name)?;
    let unit = if *unit == "count" { "" } else { unit };
    Some(
        format!("limits.{name} cannot be set any more: it is {value} {unit}").trim_end().to_owned()
            + &format!(", since {why}"),
    )
}

fn unknown(name: &str) -> String {
    let names = LIMITS.iter().map(|limit| limit.name);
    match nearest(name, names.clone(), 1).first() {
        Some(near) => format!("there is no limit '{name}'; did you mean '{near}'?"),
        None => format!("there is no limit '{name}'; known are {}", names.collect::<Vec<_>>().join(", ")),
    }
}

limits! {
    public
    /// Size of a message from a client.
    message_bytes: bytes = 16_777_216;
    /// Size of a message from an upstream, such as a result; one that is larger fails before it is read whole.
    upstream_message_bytes: bytes = 67_108_864;
    /// Depth of nested objects and arrays in a message, from either side.
    message_depth: count = 128;
    /// Size of one list of an upstream, all pages together, with 1,024 bytes for each item.
    upstream_list_bytes: bytes = 67_108_864;
    /// All results of over 64 kB not yet read by their clients; beyond it the principal or address that holds the most loses its oldest.
    unread_bytes: bytes = 268_435_456;
    /// Sessions of one principal or address.
    sessions_per_peer: count = 1_000;
    /// Time after which a session without requests since its handshake is ended.
    unused_session: seconds = 60;
    /// Tasks of one principal or address that are under way, or whose results can still be fetched.
    tasks_per_peer: count = 100;
    /// Dedicated connections to upstreams, such as child processes, of one principal or address, if each session has its own.
    upstreams_per_peer: count = 32;
    /// HTTP connections; at most half of the files that the process may open. Beyond it, connections of the peer that has the most are closed for new ones.
    connections: count = 1_000;
    /// Description fetches per minute by all clients of one principal or address together, whatever sessions they have.
    peer_fetches: count = 600;
    /// Gateways of this program in a row, each an upstream of the one before; one that would be deeper does not start or is refused.
    gateway_depth: count = 8;
    fixed
    /// Groups that are read of one upstream.
    upstream_groups: count = 1_000, since "a model that is shown more groups than tools fit into a context finds nothing in them";
    /// Maximum delay before an event stream of an HTTP upstream is resumed, and how long attempts may fail.
    upstream_resume_wait: milliseconds = 30_000, since "a server that restarts is usually back within that; `restart` says what happens after";
    /// Messages in one JSON-RPC batch of an upstream, which revision 2025-03-26 has.
    upstream_batch_messages: count = 1_000, since "a batch is one exchange, and longer lists have pages";
    /// Messages not yet read by one upstream, in total.
    upstream_queue_bytes: bytes = 16_777_216, since "an upstream that has not read a message of the largest size yet gets no second one";
    /// Requests of one upstream to one client (elicitation, sampling, roots) that have no answer yet; their parameters may have as many bytes as `upstream_queue_bytes`.
    questions_per_upstream: count = 64, since "a person answers them one at a time";
    /// Queued notifications and requests per stream of a client; separately, events kept per session for resuming streams, and requests of one principal or address not yet read by one upstream.
    client_queue_bytes: bytes = 4_194_304, since "a client that is further behind has lost its connection, or reads no more";
    /// All messages not yet read by one principal or address, including responses.
    client_unread_bytes: bytes = 67_108_864, since "one caller holds a quarter of `unread_bytes` at most";
    /// Events kept for one principal or address for resuming streams.
    client_replay_bytes: bytes = 67_108_864, since "it is what one caller may have unread, too";
    /// Requests of one principal or address being received or in progress, in total.
    request_bytes: bytes = 67_108_864, since "four requests of the largest size of one caller are received at a time";
    /// Client info: the parameters of `initialize`, or the `_meta` of a request.
    client_info_bytes: bytes = 65_536, since "it is kept with each session, and is some names and numbers";
    /// Resources that one principal or address is subscribed to.
    subscriptions_per_peer: count = 1_000, since "each is looked up for each message of an upstream about resources";
    /// Size of the URI of a subscription.
    subscription_uri_bytes: bytes = 8_192, since "it is what most servers and proxies take of a URI";
    /// The query of the address at which an HTTP client connects.
    address_query_bytes: bytes = 8_192, since "it is what most servers and proxies take of an address";
    /// Sets of such connections started concurrently for one principal or address; others wait.
    starts_per_peer: count = 2, since "programs that start at the same time slow each other, and other callers, down";
    /// Time for an HTTP client to send the head of a request.
    request_head: seconds = 10, since "a head is one packet or two, and who sends it slower holds a connection for nothing";
    /// Memory for compiled schemas of all tools together, estimated; those used least recently are compiled again.
    compiled_schemas_bytes: bytes = 67_108_864, since "a schema that is used again after others is compiled again, and nothing else is lost";
    /// Characters of a field of a log line; a message has four times as many.
    log_field_characters: count = 256, since "a line that is cut there is still on one screen";
    /// Lines of an upstream's stderr that are logged in a minute; separately, lines about output that is not valid MCP.
    upstream_stderr_lines: count = 600, since "ten lines a second are more than people read";
    /// Records of the audit log that are not written yet. Beyond that they are lost and counted, or calls are refused under `--audit-strict`.
    audit_queue: count = 4_096, since "as many wait only where the disk does not keep up, and then any number would fill";
    /// How long a call waits for its record to be written under `--audit-strict`; then it is refused.
    audit_wait: milliseconds = 5_000, since "clients wait longer than that for a result, and an operator wants to know sooner";
    /// Names in one `tools/describe` of a client with complete lists (SEP-2636).
    describe_names: count = 50, since "more definitions than that are a complete list";
    /// Patterns in the filter of a list (SEP-2564).
    filter_patterns: count = 100, since "each is matched against every name";
    /// Characters of such a pattern.
    filter_pattern_characters: count = 256, since "no name is longer that clients accept";
}

/// Limits on the number of sessions and on their idle time.
#[derive(Clone, Copy, Debug)]
pub struct SessionLimits {
    /// Maximum number of sessions opened here; with a store, at most as many copies of others' are kept besides.
    pub most: usize,
    /// A session unused for this long is ended.
    pub idle: Duration,
}

impl Default for SessionLimits {
    fn default() -> Self {
        Self { most: 10_000, idle: Duration::from_secs(60 * 60) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_can_be_set_since_few_can_be_chosen_well() {
        assert!(LIMITS.len() <= 12);
    }
}
