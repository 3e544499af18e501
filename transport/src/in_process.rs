//! Servers in this process: `rmcp` handlers, and functions.
//!
//! Messages are passed as values, without framing. A handler's messages are serialized from its own types, so
//! nothing is lost.

use std::{convert::Infallible, future::ready, panic::AssertUnwindSafe, sync::Arc};

use futures::FutureExt;
use rmcp::{
    ErrorData, RoleServer, Service,
    model::{ClientNotification, ClientRequest, ServerConfig, ServerResult},
    service::{DynService, NotificationContext, RequestContext, RxJsonRpcMessage, TxJsonRpcMessage},
    transport::Transport,
};

use crate::{
    Bounds, CallError, Connection, ErrorText, Handler, Json, Message, Reason, Request, Response, code,
    connection::{Carrier, Kind, Queued, Taken},
};

/// Connects to an `rmcp` handler, which runs until the connection is closed.
pub fn connect(
    service: Box<dyn DynService<RoleServer>>,
    handler: Arc<dyn Handler>,
    bounds: Bounds,
) -> Arc<Connection> {
    Connection::carried(handler, bounds, Carrier::Memory, |connection, queued| async move {
        let pipe = Pipe { connection, queued };
        match rmcp::serve_server(Guarded(service), pipe).await {
            Ok(running) => match running.waiting().await {
                Ok(_) => Reason::from("the handler ended"),
                Err(error) => Reason::from("the handler failed").because(&error.to_string()),
            },
            Err(error) => Reason::from("the handler rejected the handshake").because(&error.to_string()),
        }
    })
}

/// Connects to a function that answers requests. Notifications are dropped.
pub fn connect_function(
    answer: impl Fn(&Request) -> Result<Json, ErrorText> + Send + 'static,
    handler: Arc<dyn Handler>,
    bounds: Bounds,
) -> Arc<Connection> {
    Connection::carried(handler, bounds, Carrier::Memory, |connection, mut queued| async move {
        while let Some(taken) = connection.next_queued(&mut queued).await {
            if let Ok(Message::Request(request)) = Message::parse(&taken.outgoing.text, bounds.message_depth)
            {
                let outcome = answer(&request);
                connection.receive(&Response::new(request.id, outcome).encode(), None);
            }
        }
        "the connection was closed".into()
    })
}

/// Carries messages between a [`Connection`] and an `rmcp` service.
struct Pipe {
    connection: Arc<Connection>,
    queued: Queued,
}

impl Transport<RoleServer> for Pipe {
    type Error = Infallible;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Infallible>> + Send + 'static {
        match serde_json::to_vec(&message) {
            Ok(text) => self.connection.receive(&text, None),
            Err(error) => tracing::error!(%error, "cannot serialize a handler's message"),
        }
        ready(Ok(()))
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            let Taken { outgoing, .. } = self.connection.next_queued(&mut self.queued).await?;
            match serde_json::from_slice(&outgoing.text) {
                Ok(message) => return Some(message),
                // rmcp's types cannot represent the message, so the handler would never respond.
                Err(error) => {
                    if let Kind::Request(id) = outgoing.kind {
                        let message = format_args!("not understood: {error}");
                        let answer = ErrorText::new(code::INVALID_PARAMS, message);
                        self.connection.fail(id, CallError::Answered(answer));
                    }
                }
            }
        }
    }

    async fn close(&mut self) -> Result<(), Infallible> {
        Ok(())
    }
}

/// Responds with an error if a handler panics; otherwise the request would never be answered.
struct Guarded(Box<dyn DynService<RoleServer>>);

impl Service<RoleServer> for Guarded {
    async fn handle_request(
        &self,
        request: ClientRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<ServerResult, ErrorData> {
        let handled = AssertUnwindSafe(Service::handle_request(&self.0, request, context)).catch_unwind();
        handled.await.unwrap_or_else(|_| Err(ErrorData::internal_error("the handler panicked", None)))
    }

    async fn handle_notification(
        &self,
        notification: ClientNotification,
        context: NotificationContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let handled =
            AssertUnwindSafe(Service::handle_notification(&self.0, notification, context)).catch_unwind();
        handled.await.unwrap_or_else(|_| Err(ErrorData::internal_error("the handler panicked", None)))
    }

    fn get_info(&self) -> ServerConfig {
        Service::get_info(&self.0)
    }
}
