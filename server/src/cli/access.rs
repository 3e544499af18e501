//! Flags about who may come in.

use std::net::SocketAddr;

use clap::Args;
use mcp_disclosure_gateway::Problem;

use crate::{
    config::{AccessFlags, Transport},
    failure::Failure,
    operating::AdminAddress,
};

/// Who may come in.
#[derive(Clone, Debug, Default, Args)]
pub struct AccessArguments {
    /// Serve the client on stdio as this principal of the configuration [default: it may use everything]
    #[arg(long, value_name = "NAME", help_heading = "Access")]
    pub principal: Option<String>,

    /// Narrow what the client on stdio may use to this profile of the configuration; over HTTP, clients use /mcp/@NAME
    #[arg(long, value_name = "NAME", help_heading = "Access")]
    pub profile: Option<String>,

    /// Listen beyond loopback although the configuration asks for no tokens: whoever reaches the address may use every tool
    #[arg(long, help_heading = "Access")]
    pub allow_anonymous: bool,
}

impl AccessArguments {
    /// What they say for this transport.
    ///
    /// # Errors
    /// [`Failure::Usage`] for a flag that means nothing there.
    pub(super) fn flags(
        self,
        (transport, listen): (Transport, SocketAddr),
        admin: Option<AdminAddress>,
    ) -> Result<AccessFlags, Failure> {
        let Self { principal, profile, allow_anonymous } = self;
        if transport == Transport::Stdio {
            return Ok(AccessFlags { listening: None, admin, allow_anonymous, principal, profile });
        }
        for (flag, given, hint) in [
            ("--principal", &principal, "over HTTP a client's token says who it is"),
            ("--profile", &profile, "over HTTP clients use /mcp/@NAME"),
        ] {
            if given.is_some() {
                let problem = Problem::new(format!("{flag} is about the client on stdio")).hint(hint);
                return Err(Failure::Usage(vec![problem]));
            }
        }
        Ok(AccessFlags { listening: Some(listen), admin, allow_anonymous, principal, profile })
    }
}
