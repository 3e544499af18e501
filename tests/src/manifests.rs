//! What a list costs on the wire, with and without a manifest (SEP-2636).

use mcp_disclosure_client::{Host, Link, Preferences, Traffic};
use mcp_disclosure_core::RawObject;

use crate::{Bench, Setup};

/// Connects, and has the list of tools; what was known of it before is not fetched again. What that costs, and the list.
pub async fn cost(bench: &Bench, setup: Setup, known: Vec<RawObject>) -> (Traffic, Vec<RawObject>) {
    let host = host(bench, setup, known).await;
    let listed = host.list().await.unwrap();
    let traffic = host.traffic();
    host.close().await;
    (traffic, listed)
}

async fn host(bench: &Bench, setup: Setup, known: Vec<RawObject>) -> Host {
    let link = match setup.is_http() {
        true => Link::url(&format!("http://{}/mcp", bench.address)).unwrap(),
        false => {
            let (input, output) = tokio::io::split(bench.pipe());
            Link::streams(input, output)
        }
    };
    let preferences = Preferences { eras: vec![setup.era], listens: false, ..Preferences::of(["full"]) };
    Host::connect(link, preferences.knowing(known)).await.unwrap()
}
