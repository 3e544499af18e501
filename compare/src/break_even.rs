//! The number of used tools from which a strategy costs more than `full`.

use std::sync::Arc;

use crate::{
    Error, Row,
    baseline::Listed,
    connection::ClientKind,
    probe::{AT_ONCE, Probe, tokens},
    run::Bench,
};

/// The smallest number of used tools with which an ordinary host reads more than `limit`, what it reads under `full`, which
/// does not depend on that number; `initial` is what it reads at the start. `None` if it never does.
///
/// More and more tools are learned on one connection, in the steps in which a host learns them. A larger sample contains the
/// smaller ones, so costs only grow.
pub(crate) async fn break_even(
    bench: &Bench<'_>,
    row: &Row,
    listed: &Arc<Listed>,
    initial: u64,
    limit: u64,
) -> Result<Option<usize>, Error> {
    if initial > limit {
        return Ok(Some(0));
    }
    let names: Vec<&str> =
        bench.subject.sample(bench.subject.tools.len()).iter().map(|tool| &*tool.name).collect();
    let mut probe = Probe::enter(bench, row, ClientKind::Ordinary, Arc::clone(listed)).await?;
    let (mut used, mut spent, mut found) = (0, initial, None);
    for next in names.chunks(AT_ONCE) {
        let before = probe.plan.browsing.clone();
        let Some(steps) = probe.learn(next).await? else { break };
        if spent + tokens(&steps) > limit {
            // Which of these tools it is shows by learning fewer of them.
            for count in 1..=next.len() {
                probe.plan.browsing = before.clone();
                let steps = probe.learn(&next[..count]).await?.unwrap_or_default();
                if spent + tokens(&steps) > limit {
                    found = Some(used + count);
                    break;
                }
            }
            break;
        }
        (used, spent) = (used + next.len(), spent + tokens(&steps));
    }
    probe.connection.host.close().await;
    Ok(found)
}
