//! `requestState` of the stateless era, which a client returns to continue a request.
//!
//! It leads a client with dedicated upstreams back to the same ones. An upstream's own state need not be
//! secret and could be guessed, so the gateway prefixes it with a random id.

use mcp_disclosure_core::{RawObject, digest::is_random_id};
use mcp_disclosure_transport::Json;

use super::{Answer, rounds::Rounds};
use crate::{
    dialect::asks_for_input,
    dispatch::{RequestContext, common::fresh},
};

/// The member of parameters, and of results that ask for input.
pub(super) const MEMBER: &str = "requestState";

/// Prefixes the state in an `input_required` result with a random id, under which the backend stays reserved
/// for the next round. Other results are returned unchanged.
///
/// # Errors
/// -32603 if the operating system provides no randomness.
pub(super) fn wrap(rounds: &Rounds, cx: &RequestContext<'_>, result: Json) -> Answer {
    // A substring search is cheaper than parsing, and few results have a state.
    let may_be = result.as_str().contains(MEMBER);
    let object = may_be.then(|| RawObject::parse(result.as_str()).ok()).flatten();
    let Some(object) = object.filter(asks_for_input) else { return Ok(result) };
    let Some(state) = object.string(MEMBER) else { return Ok(result) };
    let ours = format!("{}.{state}", fresh("a state")?);
    rounds.keep(cx, &ours, None);
    Ok(object.with_value(MEMBER, &ours).into())
}

/// Restores the upstream's own state. A state unknown here is passed on all the same, since the upstream may
/// understand it.
pub(super) fn unwrap(params: &RawObject) -> RawObject {
    let Some(state) = params.string(MEMBER) else { return params.clone() };
    match state.split_once('.') {
        Some((id, state)) if is_random_id(id) => params.with_value(MEMBER, state),
        _ => params.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_in_front_is_ours_alone() {
        let unwrapped = |state: &str| unwrap(&RawObject::empty().with_value(MEMBER, state)).string(MEMBER);
        let id = fresh("a state").unwrap();
        assert_eq!(unwrapped(&format!("{id}.again")).as_deref(), Some("again"));
        assert_eq!(unwrapped(&format!("{id}.{id}.x")), Some(format!("{id}.x")));
        for as_it_is in ["again", "", ".x", "0123.x", &*id] {
            assert_eq!(unwrapped(as_it_is).as_deref(), Some(as_it_is));
        }
        assert_eq!(unwrap(&RawObject::empty()), RawObject::empty());
    }
}
