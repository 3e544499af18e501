//! Stages: the gateways on which strategies are compared, and links to them.

use std::{collections::HashMap, sync::Arc};

use mcp_disclosure_client::Link;
use mcp_disclosure_compare::{BASELINE, LinkFactory, Subject, Tool};
use mcp_disclosure_core::{RawObject, ReceiptKey, ToolName, View, VisibleTool, printable::counted};
use mcp_disclosure_gateway::{
    Assembly, Gateway, front::stdio::Stdio, slot::Witness, upstream::UpstreamConfig,
};

use super::{contestants::Contestants, progress::Progress, stand_in::StandIn};
use crate::{cli::source::Source, failure::Failure, log, receipts::receipt_key};

/// Buffer for messages not yet read, in bytes: that of a pipe of the operating system.
const PIPE: usize = 64 * 1024;

/// Rates are not limited: an ordinary client asks in an hour what is measured here in a second.
const UNLIMITED: u32 = 0;

/// A gateway in front of the source itself, exactly as `serve` runs it; with it a note about each upstream that could not
/// be started.
///
/// # Errors
/// See [`Gateway::start`].
pub(super) async fn real(
    source: &Source,
    contestants: &Contestants<'_>,
    progress: Option<Arc<Progress>>,
) -> Result<(Arc<Gateway>, Vec<String>), Failure> {
    let assembly = source.clone().assembly(contestants.pinned(BASELINE)?, fresh_key()?);
    if progress.is_some() {
        log::note(&format!("starting {}", counted(assembly.upstreams.len(), "upstream")));
    }
    let witness = progress.map(|progress| progress as Arc<dyn Witness>);
    let assembly = Assembly { witness, fetches_per_minute: UNLIMITED, ..assembly };
    let started = Gateway::start(assembly).await?;
    let missing = started.missing.iter().map(|missing| {
        tracing::error!("{missing}; it is left out, the others are compared");
        format!("Not compared: {missing}.")
    });
    Ok((started.gateway, missing.collect()))
}

/// The subject of a comparison, as a gateway serves it, and a stand-in for each upstream, which lists what that has listed.
///
/// # Errors
/// See [`Contestants::listed`].
pub(super) fn read(
    gateway: &Gateway,
    contestants: &Contestants<'_>,
) -> Result<(Subject, Vec<StandIn>), Failure> {
    let backend = gateway.backends().shared();
    let caller = gateway.admission().on_stdio();
    let stand_ins: Vec<StandIn> =
        backend.slots().iter().filter_map(|slot| StandIn::of(&slot.status())).collect();
    let view = View::of(Arc::clone(backend.catalogue().current().snapshot()), &caller);
    Ok((subject(&contestants.listed(view)?, &stand_ins), stand_ins))
}

/// A gateway for each row, exactly as `serve` runs it, by whose name it serves every client; all with the same upstreams.
pub(super) struct Stages(HashMap<String, Arc<Gateway>>);

impl Stages {
    /// A gateway for each row that can be served, in front of these upstreams. The other rows are left out.
    ///
    /// # Errors
    /// If the baseline cannot be served, or a row that was asked for by its name.
    pub(super) async fn start(
        source: &Source,
        upstreams: Vec<UpstreamConfig>,
        contestants: &mut Contestants<'_>,
    ) -> Result<Self, Failure> {
        let stage = async |name: &str, contestants: &Contestants<'_>| {
            let assembly = source.clone().assembly(contestants.pinned(name)?, fresh_key()?);
            let upstreams = upstreams.clone();
            let assembly = Assembly { upstreams, fetches_per_minute: UNLIMITED, ..assembly };
            Ok::<_, Failure>(Gateway::start(assembly).await?.gateway)
        };
        let mut stages = Self(HashMap::new());
        for name in contestants.rows().into_iter().map(|row| row.name) {
            let refused = match stage(&name, &*contestants).await {
                Ok(gateway) => {
                    stages.0.insert(name, gateway);
                    continue;
                }
                Err(why) if stages.0.is_empty() => Err(why),
                Err(why) => contestants.leave_out(&name, why),
            };
            if let Err(why) = refused {
                stages.close().await;
                return Err(why);
            }
        }
        Ok(stages)
    }

    /// Links to the gateway of each row, by its name.
    pub(super) fn links(&self) -> LinkFactory {
        let stages = self.0.clone();
        Arc::new(move |row| over_stdio(stages.get(row).expect("a row without a gateway was left out")))
    }

    /// Closes the gateways and their upstreams.
    pub(super) async fn close(&self) {
        for gateway in self.0.values() {
            gateway.close().await;
        }
    }
}

/// Which upstreams disclose progressively themselves: it is their complete definitions that are compared.
pub(super) fn disclosing(gateway: &Gateway) -> Vec<String> {
    let upstreams = gateway.backends().shared().upstreams();
    let found = upstreams.iter().filter_map(|upstream| {
        let introduction = upstream.introduction();
        let how = match (introduction.extension().is_some(), upstream.channel()) {
            (true, _) => "it is mcp-disclosure".to_owned(),
            (false, Some(channel)) => format!("by {channel}"),
            (false, None) => return None,
        };
        let name = upstream.name();
        Some(format!(
            "upstream '{name}' discloses progressively already ({how}); compared are complete definitions"
        ))
    });
    found.collect()
}

fn fresh_key() -> Result<ReceiptKey, Failure> {
    receipt_key(None).map_err(|problem| Failure::Configuration(vec![problem]))
}

/// The front that `serve` has on its standard streams, on streams within this process.
fn over_stdio(gateway: &Arc<Gateway>) -> Link {
    let (near, far) = tokio::io::duplex(PIPE);
    let gateway = Arc::clone(gateway);
    tokio::spawn(async move {
        let (input, output) = tokio::io::split(far);
        if let Err(error) = Stdio::new(input, output, gateway.limits()).serve(&gateway).await {
            tracing::debug!(%error, "a client's stream broke");
        }
    });
    let (input, output) = tokio::io::split(near);
    Link::streams(input, output)
}

/// The tools of a view.
fn subject(view: &View, upstreams: &[StandIn]) -> Subject {
    let sorted = view.categories().flat_map(|category| {
        category.tools().map(move |tool| (tool.name().clone(), category.name().to_owned()))
    });
    let categories: HashMap<ToolName, String> = sorted.collect();
    let tools = view.tools().map(|visible| Tool {
        name: visible.name().to_string(),
        origin: (visible.tool().upstream().to_string(), visible.tool().upstream_name().to_string()),
        category: categories.get(visible.name()).cloned().unwrap_or_default(),
        definition: visible.definition(),
        example: example(&visible),
    });
    // Names only: commands and URLs may contain secrets.
    let names: Vec<String> = upstreams.iter().map(|upstream| upstream.lists.name.to_string()).collect();
    Subject { source: names.join(", "), tools: tools.collect() }
}

/// The first example of a description file.
fn example(tool: &VisibleTool<'_>) -> Option<RawObject> {
    let examples = tool.tool().supplement().part("examples")?;
    serde_json::from_str::<Vec<RawObject>>(examples).ok()?.into_iter().next()
}
