//! The standard variables of OpenTelemetry, as far as they concern what is sent.

use std::time::Duration;

use mcp_disclosure_gateway::Problem;
use percent_encoding::percent_decode_str;
use reqwest::{
    Url,
    header::{HeaderMap, HeaderName, HeaderValue},
};

const ENDPOINT: &str = "OTEL_EXPORTER_OTLP";

/// What is exported, and where to.
#[derive(Debug)]
pub(in crate::operating) struct Settings {
    pub(super) traces: Option<Receiver>,
    pub(super) metrics: Option<Receiver>,
    /// The longest time between two deliveries of spans.
    pub(super) spans_every: Duration,
    /// The time between two deliveries of metrics.
    pub(super) metrics_every: Duration,
    /// How many spans may wait.
    pub(super) queue: usize,
    /// How many spans one delivery has at most.
    pub(super) batch: usize,
}

/// Where one kind of data is sent.
#[derive(Clone, Debug)]
pub(super) struct Receiver {
    pub(super) url: Url,
    /// Marked as sensitive: they have the credentials.
    pub(super) headers: HeaderMap,
    pub(super) timeout: Duration,
}

impl Settings {
    /// What these variables ask for. Nothing is exported without an endpoint.
    ///
    /// # Errors
    /// Every value that cannot be followed.
    pub(super) fn read(variable: &dyn Fn(&str) -> Option<String>) -> Result<Option<Self>, Vec<Problem>> {
        if variable("OTEL_SDK_DISABLED").is_some_and(|value| value.trim().eq_ignore_ascii_case("true")) {
            return Ok(None);
        }
        let mut reader = Reader { variable, problems: Vec::new() };
        let settings = Self {
            traces: reader.receiver("TRACES", "v1/traces"),
            metrics: reader.receiver("METRICS", "v1/metrics"),
            spans_every: Duration::from_millis(reader.number("OTEL_BSP_SCHEDULE_DELAY", 5_000)),
            metrics_every: Duration::from_millis(reader.number("OTEL_METRIC_EXPORT_INTERVAL", 60_000)),
            queue: reader.count("OTEL_BSP_MAX_QUEUE_SIZE", 2_048),
            batch: reader.count("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", 512),
        };
        if !reader.problems.is_empty() {
            return Err(reader.problems);
        }
        Ok((settings.traces.is_some() || settings.metrics.is_some()).then_some(settings))
    }
}

struct Reader<'a> {
    variable: &'a dyn Fn(&str) -> Option<String>,
    problems: Vec<Problem>,
}

impl Reader<'_> {
    /// The variable for this signal, else the one for all signals: its name and its value.
    fn of(&self, signal: &str, name: &str) -> Option<(String, String)> {
        let names = [format!("{ENDPOINT}_{signal}_{name}"), format!("{ENDPOINT}_{name}")];
        names.into_iter().find_map(|name| (self.variable)(&name).map(|value| (name, value.trim().to_owned())))
    }

    fn wrong(&mut self, name: &str, what: &str, hint: &str) {
        self.problems.push(Problem::new(format!("{name}: {what}")).hint(hint));
    }

    fn receiver(&mut self, signal: &str, path: &str) -> Option<Receiver> {
        let chosen = format!("OTEL_{signal}_EXPORTER");
        match (self.variable)(&chosen).as_deref().map(str::trim) {
            None | Some("otlp") => {}
            Some("none") => return None,
            Some(_) => self.wrong(&chosen, "this program exports by OTLP only", "use otlp or none"),
        }
        let (name, endpoint) = self.of(signal, "ENDPOINT")?;
        let is_its_own = name.contains(signal);
        let url = self.url(&name, &endpoint, if is_its_own { "" } else { path })?;
        if let Some((name, protocol)) = self.of(signal, "PROTOCOL")
            && protocol != "http/protobuf"
        {
            let hint = "use http/protobuf, and the port of the receiver for HTTP, which is mostly 4318";
            self.wrong(&name, "this program exports by http/protobuf only", hint);
        }
        for unsupported in ["CERTIFICATE", "CLIENT_CERTIFICATE", "CLIENT_KEY"] {
            if let Some((name, _)) = self.of(signal, unsupported) {
                let hint = "remove it; the system's certificates are trusted";
                self.wrong(&name, "certificates of its own are not supported", hint);
            }
        }
        let headers = self.headers(signal);
        let name = self.of(signal, "TIMEOUT").map_or_else(|| format!("{ENDPOINT}_TIMEOUT"), |(name, _)| name);
        let timeout = Duration::from_millis(self.number(&name, 10_000));
        Some(Receiver { url, headers, timeout })
    }

    /// The endpoint with a path below it, or as it is.
    fn url(&mut self, name: &str, endpoint: &str, path: &str) -> Option<Url> {
        let url = if path.is_empty() {
            endpoint.to_owned()
        } else {
            format!("{}/{path}", endpoint.trim_end_matches('/'))
        };
        let url = Url::parse(&url).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
        if url.is_none() {
            self.wrong(name, "this is no URL of HTTP", "write http://HOST:4318 or https://HOST");
        }
        url
    }

    /// `name=value` pairs with commas between, values percent-encoded. Values are never shown.
    fn headers(&mut self, signal: &str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        let Some((variable, pairs)) = self.of(signal, "HEADERS") else { return headers };
        for pair in pairs.split(',').filter(|pair| !pair.trim().is_empty()) {
            let read = pair.split_once('=').and_then(|(name, value)| {
                let name = HeaderName::from_bytes(name.trim().as_bytes()).ok()?;
                let value: Vec<u8> = percent_decode_str(value.trim()).collect();
                let mut value = HeaderValue::from_bytes(&value).ok()?;
                value.set_sensitive(true);
                Some((name, value))
            });
            match read {
                Some((name, value)) => drop(headers.insert(name, value)),
                None => self.wrong(&variable, "a part of it is no header", "write NAME=VALUE,NAME=VALUE"),
            }
        }
        headers
    }

    fn count(&mut self, name: &str, otherwise: u64) -> usize {
        usize::try_from(self.number(name, otherwise)).unwrap_or(usize::MAX)
    }

    /// At most a day in milliseconds, and no queue that fills the memory.
    fn number(&mut self, name: &str, otherwise: u64) -> u64 {
        let Some(value) = (self.variable)(name) else { return otherwise };
        let number = value.trim().parse::<u64>().ok().filter(|number| (1..=86_400_000).contains(number));
        if number.is_none() {
            self.wrong(name, "this is no number from 1 to 86400000", "write one, or remove the variable");
        }
        number.unwrap_or(otherwise)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(variables: &[(&str, &str)]) -> Result<Option<Settings>, Vec<Problem>> {
        let find = |name: &str| variables.iter().find(|(known, _)| *known == name);
        Settings::read(&|name| find(name).map(|(_, value)| (*value).to_owned()))
    }

    #[test]
    fn o3_nothing_is_exported_without_an_endpoint_or_when_disabled() {
        let endpoint = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://c:4318/");
        assert!(read(&[("OTEL_SERVICE_NAME", "x")]).unwrap().is_none());
        assert!(read(&[endpoint, ("OTEL_SDK_DISABLED", "True")]).unwrap().is_none());
        let none = [("OTEL_TRACES_EXPORTER", "none"), ("OTEL_METRICS_EXPORTER", "none")];
        assert!(read(&[endpoint, none[0], none[1]]).unwrap().is_none());
        let traces = read(&[endpoint, none[1]]).unwrap().unwrap();
        assert!(traces.metrics.is_none());
        assert_eq!(traces.traces.unwrap().url.as_str(), "http://c:4318/v1/traces");
    }

    #[test]
    fn o3_variables_of_one_kind_of_data_come_first() {
        let settings = read(&[
            ("OTEL_EXPORTER_OTLP_ENDPOINT", "https://c/base"),
            ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://t:1/as/it/is"),
            ("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer%20s3cret,x-a=1"),
            ("OTEL_EXPORTER_OTLP_METRICS_HEADERS", "x-b=2"),
            ("OTEL_EXPORTER_OTLP_TIMEOUT", "3000"),
            ("OTEL_EXPORTER_OTLP_TRACES_TIMEOUT", "1000"),
        ]);
        let settings = settings.unwrap().unwrap();
        let (traces, metrics) = (settings.traces.unwrap(), settings.metrics.unwrap());
        assert_eq!(
            (traces.url.as_str(), metrics.url.as_str()),
            ("http://t:1/as/it/is", "https://c/base/v1/metrics")
        );
        assert_eq!((traces.timeout.as_secs(), metrics.timeout.as_secs()), (1, 3));
        assert_eq!(
            (traces.headers["authorization"].to_str().unwrap(), traces.headers.len()),
            ("Bearer s3cret", 2)
        );
        assert_eq!((metrics.headers["x-b"].to_str().unwrap(), metrics.headers.len()), ("2", 1));
        assert!(!format!("{traces:?}").contains("s3cret"));
    }

    #[test]
    fn o3_what_cannot_be_followed_is_named_and_its_value_is_not_shown() {
        let endpoint = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://c:4318");
        for (name, value) in [
            ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"),
            ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "http/json"),
            ("OTEL_EXPORTER_OTLP_HEADERS", "s3cret"),
            ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "c:4317"),
            ("OTEL_EXPORTER_OTLP_CERTIFICATE", "/c.pem"),
            ("OTEL_EXPORTER_OTLP_TIMEOUT", "-1"),
            ("OTEL_BSP_MAX_QUEUE_SIZE", "0"),
            ("OTEL_TRACES_EXPORTER", "console"),
        ] {
            let problems = read(&[endpoint, (name, value)]).unwrap_err();
            let text = problems[0].to_string();
            assert!(text.starts_with(name) && !text.contains("s3cret"), "{text}");
        }
    }
}
