//! Time spans as files and flags write them.

use std::{fmt, time::Duration};

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{Error, Visitor},
};

/// A time span, written as a number of seconds that may have a fraction: more than 0, at most 1e9.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seconds(Duration);

/// What is accepted, for messages.
const WANTED: &str = "a number of seconds, more than 0 and at most 1e9";

impl Seconds {
    /// Parses a number.
    ///
    /// # Errors
    /// What is accepted instead.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        text.parse().ok().and_then(Self::new).ok_or(WANTED)
    }

    fn new(seconds: f64) -> Option<Self> {
        let span = (seconds > 0.0 && seconds <= 1e9).then(|| Duration::from_secs_f64(seconds));
        // Less than a nanosecond is rounded.
        span.filter(|span| !span.is_zero()).map(Self)
    }
}

impl From<Seconds> for Duration {
    fn from(seconds: Seconds) -> Self {
        seconds.0
    }
}

impl<'de> Deserialize<'de> for Seconds {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Number;

        impl Visitor<'_> for Number {
            type Value = Seconds;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str(WANTED)
            }

            fn visit_f64<E: Error>(self, seconds: f64) -> Result<Seconds, E> {
                Seconds::new(seconds).ok_or_else(|| E::custom(format_args!("{seconds} is not {WANTED}")))
            }

            #[allow(clippy::cast_precision_loss, reason = "what is imprecise is too large")]
            fn visit_i64<E: Error>(self, seconds: i64) -> Result<Seconds, E> {
                self.visit_f64(seconds as f64)
            }
        }

        deserializer.deserialize_any(Number)
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
