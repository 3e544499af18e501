//! A session over HTTP with a program under test, from threads that block.

use std::net::SocketAddr;

use serde_json::{Value, json};

use crate::{
    messages::{call, hello, request},
    process::post,
};

/// A session.
#[derive(Clone, Debug)]
pub struct Session {
    /// Where the program listens.
    pub address: SocketAddr,
    /// Its id.
    pub id: String,
}

impl Session {
    /// Opens one.
    #[track_caller]
    pub fn open(address: SocketAddr) -> Self {
        let (id, answer) = post(address, None, &hello(json!({})));
        Self { address, id: id.unwrap_or_else(|| panic!("no session: {answer}")) }
    }

    /// Sends a request; the answer, whole.
    #[track_caller]
    pub fn request(&self, method: &str, params: Value) -> Value {
        post(self.address, Some(&self.id), &request(2, method, params)).1
    }

    /// Calls a tool; the answer, whole.
    #[track_caller]
    pub fn call(&self, tool: &str, arguments: Value) -> Value {
        post(self.address, Some(&self.id), &call(2, tool, arguments)).1
    }
}
