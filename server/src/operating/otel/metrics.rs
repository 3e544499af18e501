//! The numbers of `/metrics` as OTLP: the same names, the same labels.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use opentelemetry_proto::{
    tonic::{
        collector::metrics::v1::ExportMetricsServiceRequest,
        common::v1::{AnyValue, InstrumentationScope, KeyValue, any_value},
        metrics::v1::{
            AggregationTemporality, Gauge, Histogram, HistogramDataPoint, Metric, NumberDataPoint,
            ResourceMetrics, ScopeMetrics, Sum, metric::Data, number_data_point::Value,
        },
        resource::v1::Resource,
    },
    transform::common::tonic::ResourceAttributesWithSchema,
};
use prometheus::proto::{MetricFamily, MetricType};

use crate::operating::{metrics::Metrics, state::Served};

/// All numbers, as of now.
pub(super) fn message(
    resource: &ResourceAttributesWithSchema,
    numbers: &Metrics,
    served: &Served,
) -> ExportMetricsServiceRequest {
    let now = SystemTime::now();
    let times = Times { begun: nanoseconds(now - numbers.begun.elapsed()), now: nanoseconds(now) };
    let metrics = numbers.families(served).iter().filter_map(|family| times.metric(family)).collect();
    let resource = Resource { attributes: resource.attributes.0.clone(), ..Resource::default() };
    let scope = InstrumentationScope { name: "mcp-disclosure".to_owned(), ..InstrumentationScope::default() };
    let scope = ScopeMetrics { scope: Some(scope), metrics, ..ScopeMetrics::default() };
    let all = ResourceMetrics {
        resource: Some(resource),
        scope_metrics: vec![scope],
        ..ResourceMetrics::default()
    };
    ExportMetricsServiceRequest { resource_metrics: vec![all] }
}

/// When counting began, and now, in nanoseconds since 1970.
#[derive(Clone, Copy)]
struct Times {
    begun: u64,
    now: u64,
}

impl Times {
    fn metric(self, family: &MetricFamily) -> Option<Metric> {
        let cumulative = AggregationTemporality::Cumulative.into();
        let data = match family.get_field_type() {
            MetricType::COUNTER => Data::Sum(Sum {
                data_points: self.points(family, |metric| metric.get_counter().get_value()),
                aggregation_temporality: cumulative,
                is_monotonic: true,
            }),
            MetricType::GAUGE => Data::Gauge(Gauge {
                data_points: self.points(family, |metric| metric.get_gauge().get_value()),
            }),
            MetricType::HISTOGRAM => Data::Histogram(Histogram {
                data_points: family.get_metric().iter().map(|metric| self.histogram(metric)).collect(),
                aggregation_temporality: cumulative,
            }),
            // There are none.
            MetricType::SUMMARY | MetricType::UNTYPED => return None,
        };
        let unit = if family.name().ends_with("_seconds") { "s" } else { "" };
        Some(Metric {
            name: family.name().to_owned(),
            description: family.help().to_owned(),
            unit: unit.to_owned(),
            data: Some(data),
            ..Metric::default()
        })
    }

    fn points(
        self,
        family: &MetricFamily,
        value: impl Fn(&prometheus::proto::Metric) -> f64,
    ) -> Vec<NumberDataPoint> {
        let point = |metric| NumberDataPoint {
            attributes: labels(metric),
            start_time_unix_nano: self.begun,
            time_unix_nano: self.now,
            value: Some(Value::AsDouble(value(metric))),
            ..NumberDataPoint::default()
        };
        family.get_metric().iter().map(point).collect()
    }

    /// Buckets of Prometheus count all that is below a bound; those of OTLP what is between two, and above the last.
    fn histogram(self, metric: &prometheus::proto::Metric) -> HistogramDataPoint {
        let histogram = metric.get_histogram();
        let bounded = histogram.get_bucket().iter().filter(|bucket| bucket.upper_bound().is_finite());
        let (explicit_bounds, below): (Vec<f64>, Vec<u64>) =
            bounded.map(|bucket| (bucket.upper_bound(), bucket.cumulative_count())).unzip();
        let count = histogram.get_sample_count();
        let all = below.iter().copied().chain([count]);
        let before = [0].into_iter().chain(below.iter().copied());
        HistogramDataPoint {
            attributes: labels(metric),
            start_time_unix_nano: self.begun,
            time_unix_nano: self.now,
            count,
            sum: Some(histogram.get_sample_sum()),
            bucket_counts: all.zip(before).map(|(all, before)| all.saturating_sub(before)).collect(),
            explicit_bounds,
            ..HistogramDataPoint::default()
        }
    }
}

fn labels(metric: &prometheus::proto::Metric) -> Vec<KeyValue> {
    let label = |label: &prometheus::proto::LabelPair| {
        let value = any_value::Value::StringValue(label.value().to_owned());
        let value = Some(AnyValue { value: Some(value) });
        KeyValue { key: label.name().to_owned(), value, ..KeyValue::default() }
    };
    metric.get_label().iter().map(label).collect()
}

fn nanoseconds(time: SystemTime) -> u64 {
    let since: Duration = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}
