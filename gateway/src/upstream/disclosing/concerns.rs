//! Concerns of an upstream (concern-based-filtering): what it declares, our clients can choose; what they choose reaches
//! it where the connection is that client's alone.

use mcp_disclosure_core::{Concern, RawObject, UpstreamLists};
use mcp_disclosure_transport::{CallError, code};

use crate::{
    backend::Backend,
    upstream::{Introduction, Upstream},
};

/// The method that changes a host's choices.
pub(crate) const UPDATE: &str = "updateConcerns";

/// Maximum concerns that are read of one upstream.
const MOST: usize = 64;

impl Introduction {
    /// The concerns that it declares, from any of their places; invalid ones are left out.
    fn concerns(&self) -> Vec<Concern> {
        let experimental = || self.capabilities.object("experimental")?.object("concerns");
        let places = [
            self.capabilities.member("concerns").map(str::to_owned),
            experimental().and_then(|place| place.member("concerns").map(str::to_owned)),
            self.extension().and_then(|settings| settings.member("concerns").map(str::to_owned)),
        ];
        let declared = places.into_iter().flatten().next();
        let declared = declared.and_then(|text| serde_json::from_str::<Vec<RawObject>>(&text).ok());
        declared.unwrap_or_default().iter().take(MOST).filter_map(Concern::read).collect()
    }
}

/// The concerns of an upstream that our clients may choose by: those that can have an effect, since the choices reach it
/// or its lists say what fits.
pub(in crate::upstream) fn choosable(upstream: &Upstream, lists: &UpstreamLists) -> Vec<Concern> {
    let mut all = lists.tools.iter().chain(&lists.resources).chain(&lists.templates).chain(&lists.prompts);
    let mut shows = || all.any(|item| item.get().contains("\"concerns\""));
    if upstream.handler.is_dedicated() || shows() { upstream.introduction.concerns() } else { Vec::new() }
}

impl Backend {
    /// Passes a client's choices on to the upstreams that declare concerns, if they are that client's alone. `params` has
    /// them under `concerns`.
    pub(crate) async fn pass_on_concerns(&self, params: &RawObject) {
        let Some(chosen) = params.member("concerns").filter(|_| self.client().is_some()) else { return };
        let params = RawObject::empty().with("concerns", chosen);
        let upstreams = self.upstreams();
        let declaring = upstreams.iter().filter(|upstream| !upstream.introduction().concerns().is_empty());
        let passing = declaring.map(|upstream| async {
            match upstream.query(UPDATE, params.clone()).await {
                Ok(_) => {}
                // It reads choices in the handshake only.
                Err(CallError::Answered(error)) if error.code() == code::METHOD_NOT_FOUND => {}
                Err(error) => {
                    tracing::warn!(upstream = %upstream.name(), error = error.in_full(), "choices of concerns were not taken");
                }
            }
        });
        futures::future::join_all(passing).await;
    }
}
