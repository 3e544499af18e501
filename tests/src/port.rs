//! A port of this machine on which nothing listens.

use std::net::SocketAddr;

use tokio::net::TcpSocket;

/// A port that no other program is given for as long as this lives: a socket has it that never listens, so connections are
/// refused. A server that a test starts with this number can take it, and take it again.
#[derive(Debug)]
pub struct HeldPort(TcpSocket);

impl HeldPort {
    /// Takes one of the loopback interface.
    ///
    /// # Panics
    /// If there is none.
    pub fn take() -> Self {
        let socket = TcpSocket::new_v4().expect("a socket");
        // Two sockets have one port only if both say so, as servers do.
        socket.set_reuseaddr(true).expect("an option of sockets");
        socket.bind(([127, 0, 0, 1], 0).into()).expect("a port");
        Self(socket)
    }

    /// The port's address.
    pub fn address(&self) -> SocketAddr {
        self.0.local_addr().expect("an address")
    }
}
