//! The methods of MCP.

use mcp_disclosure_core::Era;

use crate::DRAFTS;

/// MCP methods that the gateway answers or forwards, and the eras that have them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::EnumString)]
pub(super) enum Method {
    #[strum(serialize = "ping")]
    Ping,
    #[strum(serialize = "server/discover")]
    Discover,
    #[strum(serialize = "subscriptions/listen")]
    Listen,
    #[strum(serialize = "tools/list")]
    ToolsList,
    #[strum(serialize = "tools/manifest")]
    ToolsManifest,
    #[strum(serialize = "tools/describe")]
    ToolsDescribe,
    #[strum(serialize = "tools/resolve")]
    ToolsResolve,
    #[strum(serialize = "tools/call")]
    ToolsCall,
    #[strum(serialize = "resources/list")]
    ResourcesList,
    #[strum(serialize = "resources/templates/list")]
    TemplatesList,
    #[strum(serialize = "resources/read")]
    ResourcesRead,
    #[strum(serialize = "resources/subscribe")]
    ResourcesSubscribe,
    #[strum(serialize = "resources/unsubscribe")]
    ResourcesUnsubscribe,
    #[strum(serialize = "prompts/list")]
    PromptsList,
    #[strum(serialize = "prompts/get")]
    PromptsGet,
    #[strum(serialize = "completion/complete")]
    Complete,
    #[strum(serialize = "logging/setLevel")]
    SetLevel,
    #[strum(
        serialize = "tasks/get",
        serialize = "tasks/result",
        serialize = "tasks/list",
        serialize = "tasks/cancel",
        serialize = "tasks/update"
    )]
    Tasks,
    #[strum(serialize = "skills/list", serialize = "skills/get", serialize = "resources/directory/read")]
    Skills,
}

impl Method {
    /// Whether the era has it.
    pub(super) fn is_of(self, era: Era) -> bool {
        match self {
            Self::ToolsManifest | Self::ToolsDescribe | Self::ToolsResolve => DRAFTS,
            Self::Ping | Self::SetLevel | Self::ResourcesSubscribe | Self::ResourcesUnsubscribe => {
                era == Era::Session
            }
            Self::Discover | Self::Listen => era == Era::Stateless,
            _ => true,
        }
    }

    /// Whether it passes what every call passes.
    pub(super) fn is_call(self) -> bool {
        matches!(self, Self::ToolsCall | Self::ToolsResolve)
    }
}
