//! The number of used tools from which a strategy costs more than `full`.

use std::sync::Arc;

use mcp_disclosure_client::Concerns;

use crate::{
    Error, Row,
    agent::{Agent, Behavior},
    baseline::Listed,
    connection::{Bench, ClientKind, Connection},
    seen,
};

/// The smallest number of used tools with which an ordinary host reads more than `limit`, what it reads under `full`, which
/// does not depend on that number; `initial` is what it reads at the start. `None` if it never does, or if nothing teaches a tool.
///
/// More and more tools are learned on one connection. A larger sample contains the smaller ones, so costs only grow. What a choice
/// leaves out cannot be learned, and so is not used.
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
    let connection = Connection::open(bench, row, ClientKind::Ordinary, Concerns::new()).await?;
    let mut agent = Agent::new(&connection.host, Behavior::Workflow, false, &row.profile);
    agent.plan.listed = Arc::clone(listed);
    drop(connection.fresh());
    let (mut used, mut spent, mut found) = (0, initial, None);
    for tool in bench.play.subject.sample(usize::MAX) {
        let served = listed.served_name(&tool.name);
        if !agent.plan.teaches(served) {
            break;
        }
        agent.plan.look_for(served, Some(tool), None);
        let learned = agent.learn(served).await;
        let is_learned = learned.map_err(|source| connection.failed("learning tools", source))?;
        let moves = connection.moves();
        if !is_learned {
            continue;
        }
        (used, spent) = (used + 1, spent + seen::tokens(&moves, &bench.counter).both());
        if spent > limit {
            found = Some(used);
            break;
        }
    }
    connection.host.close().await;
    Ok(found)
}
