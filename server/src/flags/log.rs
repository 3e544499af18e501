//! `--log` and `--log-format`.

use clap::Args;
use mcp_disclosure_core::nearest::misspelt;
use tracing_subscriber::{EnvFilter, filter::LevelFilter};

use crate::log::LogFormat;

/// The default log filter.
pub const LOG: &str = "info,rmcp=warn";

const LEVELS: [&str; 6] = ["error", "warn", "info", "debug", "trace", "off"];

/// What is logged, and how.
#[derive(Clone, Debug, Args)]
pub struct LogArguments {
    /// What to log to stderr: error, warn, info, debug, trace, or a filter such as
    /// "warn,mcp_disclosure_gateway=debug"
    #[arg(
        long,
        global = true,
        hide_short_help = true,
        help_heading = "Log",
        value_name = "FILTER",
        env = "MCP_DISCLOSURE_LOG",
        default_value = LOG,
        value_parser = parse
    )]
    pub log: String,

    /// How the log on stderr is written: lines for people, or a JSON object a line
    #[arg(
        long,
        global = true,
        hide_short_help = true,
        help_heading = "Log",
        value_enum,
        value_name = "FORMAT",
        env = "MCP_DISCLOSURE_LOG_FORMAT",
        default_value_t
    )]
    pub log_format: LogFormat,
}

/// Checks a filter, and returns it as it is.
///
/// `EnvFilter` takes any word for the name of a part of the program, and then logs nothing else: of words alone, only names
/// in the form of a module are taken for one here.
fn parse(text: &str) -> Result<String, String> {
    // A filter by fields may contain any character.
    let directives = if text.contains('[') { "" } else { text };
    for directive in directives.split(',').filter(|directive| !directive.is_empty()) {
        match directive.rsplit_once('=') {
            Some((_, level)) => known(level)?,
            None if directive.contains(['_', ':']) => {}
            None => known(directive)?,
        }
    }
    EnvFilter::try_new(text).map(|_| text.to_owned()).map_err(|error| error.to_string())
}

fn known(level: &str) -> Result<(), String> {
    if !level.is_empty() && level.parse::<LevelFilter>().is_ok() {
        return Ok(());
    }
    Err(match misspelt(level, LEVELS) {
        Some(near) => format!("'{level}' is not a level; did you mean '{near}'?"),
        None => format!(
            "'{level}' is not a level, which are {}; a part of the program is given with its level, as in mcp_disclosure_gateway=debug",
            LEVELS.join(", ")
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn w5_a_level_that_does_not_exist_is_refused_with_the_nearest() {
        for (filter, near) in [
            ("debg", "debug"),
            ("inf", "info"),
            ("warning", "warn"),
            ("ERR", "error"),
            ("info,rmcp=wran", "warn"),
            ("mcp_disclosure_gateway=debgu", "debug"),
        ] {
            let refused = parse(filter).unwrap_err();
            assert!(refused.ends_with(&format!("did you mean '{near}'?")), "{filter}: {refused}");
        }
        let refused = parse("quiet").unwrap_err();
        assert!(refused.contains("error, warn, info, debug, trace, off; a part"), "{refused}");
        assert!(parse("7").is_err());
    }

    #[test]
    fn w5_filters_are_taken_as_they_are() {
        for filter in [
            LOG,
            "",
            "DEBUG",
            "off",
            "3",
            "warn,hyper=trace",
            "mcp_disclosure_gateway",
            "mcp_disclosure_gateway::session=trace,error",
            "info,mcp_disclosure_gateway[request{id=quiet}]=trace",
        ] {
            assert_eq!(parse(filter).as_deref(), Ok(filter));
        }
    }
}
