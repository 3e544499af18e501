//! Continue: a list under `mcpServers`, in YAML or JSON; older files have it under `experimental`.

use super::{
    file_context::FileContext,
    node::Node,
    shape::{Elsewhere, Keys, Means, Shape},
    variables::Style,
};

pub(super) const SHAPE: Shape =
    Shape { hosts: "Continue", servers, keys: KEYS, style: Style::Secrets, elsewhere: Elsewhere::nothing };

const HUB: &str = "copy its definition from the hub into the file";

const KEYS: Keys = &[
    ("type", Means::Transport),
    ("command", Means::Command),
    ("args", Means::Arguments),
    ("env", Means::Environment),
    ("cwd", Means::Directory),
    ("url", Means::Address),
    ("apiKey", Means::Bearer),
    ("requestOptions", Means::Parts(&[("headers", Means::Headers)])),
    ("uses", Means::Foreign(HUB)),
    ("namespace", Means::Foreign(HUB)),
    (
        "transport",
        Means::Parts(&[
            ("type", Means::Transport),
            ("command", Means::Command),
            ("args", Means::Arguments),
            ("env", Means::Environment),
            ("cwd", Means::Directory),
            ("url", Means::Address),
            ("requestOptions", Means::Parts(&[("headers", Means::Headers)])),
        ]),
    ),
];

fn servers<'n>(root: &'n Node, _: &FileContext<'_>) -> Vec<&'n Node> {
    let older = root.path(&["experimental", "modelContextProtocolServers"]);
    root.get("mcpServers").into_iter().chain(older).filter(|servers| servers.is_list()).collect()
}
