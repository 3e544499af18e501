//! The fuzz targets: properties that must hold for any input.
//!
//! [`message`] parses and encodes lines of JSON-RPC, [`http_front`] runs conversations of a client with a gateway,
//! [`argument_check`] checks arguments against schemas. Inputs are text that can be read and written by hand; see
//! `seeds`.

#![forbid(unsafe_code)]

mod answer;
pub mod argument_check;
mod bench;
pub mod http_front;
mod lines;
pub mod message;
mod object;
mod script;
mod upstream;
