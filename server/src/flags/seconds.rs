//! Time spans as files and flags write them.

use std::time::Duration;

use serde::{Deserialize, Serialize, Serializer};

/// A time span, written as a number of seconds that may have a fraction: more than 0, at most 1e9.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "f64")]
pub struct Seconds(Duration);

/// What is accepted, for messages.
const WANTED: &str = "a number of seconds, more than 0 and at most 1e9";

impl Seconds {
    /// Parses a number.
    ///
    /// # Errors
    /// What is accepted instead.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        text.parse::<f64>().ok().and_then(|seconds| Self::try_from(seconds).ok()).ok_or(WANTED)
    }
}

impl TryFrom<f64> for Seconds {
    type Error = String;

    fn try_from(seconds: f64) -> Result<Self, String> {
        let span = (seconds > 0.0 && seconds <= 1e9).then(|| Duration::from_secs_f64(seconds));
        // Less than a nanosecond is rounded.
        let span = span.filter(|span| !span.is_zero()).map(Self);
        span.ok_or_else(|| format!("{seconds} is not {WANTED}"))
    }
}

impl From<Seconds> for Duration {
    fn from(seconds: Seconds) -> Self {
        seconds.0
    }
}

impl Serialize for Seconds {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.subsec_nanos() {
            0 => serializer.serialize_u64(self.0.as_secs()),
            _ => serializer.serialize_f64(self.0.as_secs_f64()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_spans_that_can_be_waited_for_are_accepted() {
        for (text, millis) in [("10", 10_000), ("0.5", 500), ("1e9", 1_000_000_000_000)] {
            assert_eq!(
                Duration::from(Seconds::parse(text).unwrap()),
                Duration::from_millis(millis),
                "{text}"
            );
        }
        for text in ["0", "-1", "1e-300", "1.1e9", "inf", "nan", "10s", ""] {
            assert_eq!(Seconds::parse(text), Err(WANTED), "{text}");
        }
    }
}
