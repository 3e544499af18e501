//! What a shape of hosts' files is: where the servers are, and what the keys of an entry mean.

use super::{file_context::FileContext, node::Node, permissions::Ruling};

/// A shape of file.
pub(super) struct Shape {
    /// The hosts with this shape, for messages.
    pub(super) hosts: &'static str,
    /// The tables or lists of servers, highest precedence first; none in a file of another shape.
    pub(super) servers: Tables,
    /// The keys of an entry.
    pub(super) keys: Keys,
    /// The syntax of variables.
    pub(super) style: Style,
    /// What is said of a server outside its entry, by the server's name.
    pub(super) elsewhere: Elsewhere,
}

pub(super) type Tables = for<'n> fn(&'n Node, &FileContext<'_>) -> Vec<&'n Node>;
pub(super) type Elsewhere = fn(&Node, &FileContext<'_>, &str) -> Ruling;

/// A host's syntax of variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    /// `${VAR}`, `${VAR:-otherwise}`, `${env:VAR}`, `${workspaceFolder}`, `${userHome}`, `${input:x}`, `${file:x}`.
    Dollar,
    /// The same, and `$VAR` if it is set.
    BareDollar,
    /// `{env:VAR}` and `{file:x}`.
    Braces,
    /// `${{ secrets.VAR }}`.
    Secrets,
    /// No variables.
    Literal,
}

/// A file that is read in a shape.
#[derive(Clone, Copy)]
pub(super) struct Reading<'a> {
    pub(super) shape: &'a Shape,
    /// The whole file, which may say something of a server outside its entry.
    pub(super) root: &'a Node,
    pub(super) context: &'a FileContext<'a>,
}

/// Keys and their meanings. Other keys are ignored.
pub(super) type Keys = &'static [(&'static str, Means)];

/// The meaning of a key.
#[derive(Clone, Copy, Debug)]
pub(super) enum Means {
    /// The program: a string, a list with its arguments, or a table of these keys.
    Command,
    /// The program's arguments.
    Arguments,
    /// Variables of the program, by name.
    Environment,
    /// A file with variables of the program.
    EnvironmentFile,
    /// Names of variables that the program inherits.
    Inherited,
    /// The directory that the program runs in.
    Directory,
    /// A URL.
    Address,
    /// A Streamable HTTP URL, which takes precedence over other URLs.
    HttpAddress,
    /// Headers of each request, by name.
    Headers,
    /// The variables that hold headers, by the header's name.
    HeadersFromVariables,
    /// The token of `Authorization: Bearer`.
    Bearer,
    /// The variable that holds it.
    BearerFromVariable,
    /// The transport.
    Transport,
    /// Whether the server is disabled.
    Disabled,
    /// Whether the server is enabled.
    Enabled,
    /// Disabled tools.
    Hidden,
    /// The only enabled tools.
    Allowed,
    /// A table of more keys.
    Parts(Keys),
    /// A reference that only the host can resolve, with a hint.
    Foreign(&'static str),
}
