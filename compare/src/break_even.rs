//! The number of used tools from which a strategy costs more than `full`.

use std::sync::Arc;

use mcp_disclosure_client::Concerns;

use crate::{
    Error, Row,
    agent::{Agent, Behavior},
    baseline::Listed,
    bench::Bench,
    connection::{ClientKind, Connection},
    seen,
};

/// The smallest number of used tools with which an ordinary host reads more than `limit`, what it reads under `full`, which
/// does not depend on that number; `initial` is what it reads at the start. `None` if it never does, or if it cannot learn
/// a tool.
///
/// More and more tools are learned on one connection. A larger sample contains the smaller ones, so costs only grow.
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
    let (mut spent, mut found) = (initial, None);
    for (tool, used) in bench.subject.sample(bench.subject.tools.len()).into_iter().zip(1..) {
        let served = listed.served_name(&tool.name);
        if !agent.plan.teaches(served) {
            break;
        }
        agent.plan.look_for(served, Some(tool), None);
        agent.learn(served).await.map_err(|source| connection.failed("learning tools", source))?;
        spent += seen::tokens(&connection.moves(), &bench.counter).both();
        if spent > limit {
            found = Some(used);
            break;
        }
    }
    connection.host.close().await;
    Ok(found)
}
