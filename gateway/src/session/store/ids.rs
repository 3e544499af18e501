//! Names that lead back to the replica that gave them: of requests to clients, and of events of streams.

/// The replica that sent the request of this id, as JSON text: `"REPLICA-NUMBER"`.
pub(super) fn asker(id: &str) -> Option<&str> {
    let (replica, number) = id.strip_prefix('"')?.strip_suffix('"')?.split_once('-')?;
    (is_name(replica) && number.bytes().all(|byte| byte.is_ascii_digit())).then_some(replica)
}

/// The replica, the stream and the event of an id `REPLICA.STREAM-EVENT`.
pub(super) fn event(id: &str) -> Option<(&str, u64, u64)> {
    let (replica, event) = id.split_once('.').filter(|(replica, _)| is_name(replica))?;
    let (stream, event) = event.split_once('-')?;
    Some((replica, stream.parse().ok()?, event.parse().ok()?))
}

fn is_name(replica: &str) -> bool {
    (1..=32).contains(&replica.len()) && replica.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_names_the_replica_that_sent_it() {
        for (id, expected) in [
            ("\"ab12-7\"", Some("ab12")),
            ("7", None),
            ("\"7\"", None),
            ("\"-7\"", None),
            ("\"a b-7\"", None),
            ("\"ab-x\"", None),
            ("\"a*-7\"", None),
        ] {
            assert_eq!(asker(id), expected, "{id}");
        }
    }

    #[test]
    fn k1_only_ids_of_events_name_a_stream() {
        assert_eq!(event("ab12.3-4"), Some(("ab12", 3, 4)));
        for other in ["3-4", ".3-4", "a b.3-4", "a:b.3-4", "ab.3", "ab.-4", "ab.3-", "ab.3-x", "ab.x-4", ""] {
            assert_eq!(event(other), None, "{other}");
        }
    }
}
