//! The content of results: JSON, and the errors of tool-descriptions-resource §6.

use std::time::Duration;

use mcp_disclosure_core::RawObject;
pub(crate) use mcp_disclosure_core::delivered::{content_of, wants_description};

use crate::Error;

/// Whether a tool's result is an error.
pub(crate) fn is_failed(result: &RawObject) -> bool {
    result.member("isError") == Some("true")
}

/// The refusal in `{"error": {"code": …, "message": …}}`, if there is one.
pub(crate) fn refusal(content: &RawObject) -> Option<Error> {
    let error = content.object("error")?;
    let code = error.string("code")?;
    let seconds: Option<f64> = error.member("retry_after_seconds").and_then(|text| text.parse().ok());
    let retry_after = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    Some(Error::Refused { code, message: error.string("message").unwrap_or_default(), retry_after })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(text: &str) -> RawObject {
        RawObject::parse(text).unwrap()
    }

    #[test]
    fn a_refusal_has_the_time_to_retry_after() {
        let limited = object(r#"{"error":{"code":"RATE_LIMITED","message":"m","retry_after_seconds":2}}"#);
        let Some(Error::Refused { code, retry_after, .. }) = refusal(&limited) else { panic!() };
        assert_eq!((code.as_str(), retry_after), ("RATE_LIMITED", Some(Duration::from_secs(2))));
        assert!(refusal(&object(r#"{"error":{"name":"error","description":"a tool"}}"#)).is_none());
        let odd = object(r#"{"error":{"code":"X","retry_after_seconds":-1}}"#);
        assert!(matches!(refusal(&odd), Some(Error::Refused { retry_after: None, .. })));
    }
}
