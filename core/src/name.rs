//! The protocol's strings with a meaning of their own, made by parsing.

use std::{borrow::Borrow, fmt, ops::Deref, sync::Arc};

use serde::{Deserialize, Serialize};

use crate::Error;

macro_rules! text {
    ($(#[$docs:meta])* $name:ident, $what:literal) => {
        $(#[$docs])*
        #[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(try_from = "String")]
        pub struct $name(Arc<str>);

        impl $name {
            /// Takes the text as it is; empty text is the only thing refused.
            pub fn parse(text: &str) -> Result<Self, Error> {
                if text.is_empty() {
                    return Err(Error::EmptyName { what: $what });
                }
                Ok(Self(text.into()))
            }

            /// The text as it came.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl TryFrom<String> for $name {
            type Error = Error;
            fn try_from(text: String) -> Result<Self, Error> {
                Self::parse(&text)
            }
        }

        impl Deref for $name {
            type Target = str;
            fn deref(&self) -> &str {
                &self.0
            }
        }

        impl Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(&*self.0, formatter)
            }
        }
    };
}

text!(
    /// A tool's name, to the letter and in its own case. Names that real servers use break the
    /// specification's advice on characters and length, so none but the empty one is refused.
    ToolName,
    "tool name"
);

text!(
    /// The name under which an upstream is known: the prefix of names that clash, and the name in
    /// messages about it.
    UpstreamName,
    "upstream name"
);

text!(
    /// The name of a strategy, as in flags, addresses and offers. A stack's name joins its parts by `+`.
    StrategyName,
    "strategy name"
);

text!(
    /// A resource's URI. It stays the text that came: parsing never rewrites it.
    ResourceUri,
    "resource URI"
);

impl ToolName {
    /// The name of a tool that two upstreams bring: `<upstream>__<tool>`.
    pub fn qualified(upstream: &UpstreamName, tool: &Self) -> Self {
        Self(format!("{upstream}__{tool}").into())
    }
}

impl ResourceUri {
    /// The part before `?` or `#`.
    pub fn base(&self) -> &str {
        self.0.split(['?', '#']).next().unwrap_or_default()
    }

    /// The query, without `?` and without a fragment; empty where there is none.
    pub fn query(&self) -> &str {
        let whole = self.0.split('#').next().unwrap_or_default();
        whole.split_once('?').map_or("", |(_, query)| query)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uri_is_taken_apart_but_never_rewritten() {
        let uri = ResourceUri::parse("resource:///tool_descriptions?tools=a%2Cb#x?y").unwrap();
        assert_eq!(uri.base(), "resource:///tool_descriptions");
        assert_eq!(uri.query(), "tools=a%2Cb");
        assert_eq!(uri.as_str(), "resource:///tool_descriptions?tools=a%2Cb#x?y");
        assert!(ResourceUri::parse("").is_err());
    }
}
