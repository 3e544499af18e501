//! Connections to the store: one for commands, and one on which messages are received.

use std::{future::Future, time::Duration};

use futures::future::select_ok;
use redis::{
    AsyncConnectionConfig, Client, IntoConnectionInfo, Pipeline, RedisError, RedisResult, Value,
    aio::{MultiplexedConnection, PubSub},
    cluster::ClusterClientBuilder,
    cluster_async::ClusterConnection,
    sentinel::{SentinelClient, SentinelNodeConnectionInfo, SentinelServerType},
};

use crate::address::{Address, Kind};

/// How long a command may take. With what the gateway does besides, an error is answered within a second.
pub(crate) const PATIENCE: Duration = Duration::from_millis(800);

/// How long each step of connecting may take.
const CONNECTING: Duration = Duration::from_millis(1600);

/// How long a connection waits for a reply. Who sends a command is less patient.
const REPLYING: Duration = Duration::from_secs(2);

/// A connection for commands. Cheap to clone; commands that are sent at the same time go in one packet.
#[derive(Clone)]
pub(crate) enum Link {
    One(MultiplexedConnection),
    Cluster(ClusterConnection),
}

impl std::fmt::Debug for Link {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Link(..)")
    }
}

impl Link {
    /// Sends commands on one key, or one without a key, and returns the reply to each.
    pub(crate) async fn send(&mut self, commands: &Pipeline) -> RedisResult<Vec<RedisResult<Value>>> {
        match self {
            Self::One(connection) => commands.query_async(connection).await,
            // One by itself is asked where its kind wants it, such as of all nodes.
            Self::Cluster(connection) => match commands.cmd_iter().next() {
                Some(command) if commands.len() == 1 => Ok(vec![command.query_async(connection).await]),
                _ => commands.query_async(connection).await,
            },
        }
    }
}

/// Connects, and subscribes to these channels.
pub(crate) async fn connect(address: &Address, channels: &[String; 2]) -> RedisResult<(Link, PubSub)> {
    let client = match &address.kind {
        Kind::One => Client::open(address.nodes[0].as_str())?,
        Kind::Sentinel { name, master } => within(master_of(address, name, master)).await?,
        Kind::Cluster => return within(connect_to_cluster(address, channels)).await,
    };
    let config = AsyncConnectionConfig::new()
        .set_connection_timeout(Some(CONNECTING))
        .set_response_timeout(Some(REPLYING));
    let commands = client.get_multiplexed_async_connection_with_config(&config);
    let (commands, messages) =
        within(async { tokio::try_join!(commands, listen(&client, channels)) }).await?;
    Ok((Link::One(commands), messages))
}

async fn listen(client: &Client, channels: &[String; 2]) -> RedisResult<PubSub> {
    let mut messages = client.get_async_pubsub().await?;
    messages.subscribe(channels).await?;
    Ok(messages)
}

/// The master, as the first sentinel that answers knows it now: one that is gone delays nothing.
async fn master_of(address: &Address, name: &str, master: &str) -> RedisResult<Client> {
    let info = master.into_connection_info()?;
    let node = SentinelNodeConnectionInfo::default().set_redis_connection_info(info.redis_settings().clone());
    let node = match master.starts_with("rediss") {
        true => node.set_tls_mode(redis::TlsMode::Secure),
        false => node,
    };
    let asking = address.nodes.iter().map(|sentinel| {
        let (sentinels, node) = (vec![sentinel.as_str()], node.clone());
        Box::pin(async move {
            let mut sentinel =
                SentinelClient::build(sentinels, name, Some(node), SentinelServerType::Master)?;
            sentinel.async_get_client().await
        })
    });
    Ok(select_ok(asking).await?.0)
}

/// A message that is published on any node of a cluster reaches all of them. So the first node that answers will do.
async fn connect_to_cluster(address: &Address, channels: &[String; 2]) -> RedisResult<(Link, PubSub)> {
    let client = ClusterClientBuilder::new(address.nodes.iter().map(String::as_str))
        .connection_timeout(PATIENCE)
        .response_timeout(REPLYING)
        .overall_response_timeout(Some(REPLYING))
        .build()?;
    let listening = address
        .nodes
        .iter()
        .map(|node| Box::pin(async move { listen(&Client::open(node.as_str())?, channels).await }));
    let (commands, (messages, _)) = tokio::try_join!(client.get_async_connection(), select_ok(listening))?;
    Ok((Link::Cluster(commands), messages))
}

pub(crate) async fn within<T>(step: impl Future<Output = RedisResult<T>>) -> RedisResult<T> {
    tokio::time::timeout(CONNECTING, step).await.unwrap_or_else(|_| {
        // The store does not answer.
        Err(std::io::Error::from(std::io::ErrorKind::TimedOut).into())
    })
}

/// The error of a store that closed the connection.
pub(crate) fn closed() -> RedisError {
    std::io::Error::new(std::io::ErrorKind::ConnectionReset, "connection closed").into()
}
