//! Samples of figures, with their statistics.

use std::time::Duration;

/// A sample of figures, in milliseconds unless stated otherwise.
#[derive(Clone, Debug, Default)]
pub struct Sample(Vec<f64>);

impl Sample {
    /// An empty sample.
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// Adds a duration, in milliseconds.
    pub fn time(&mut self, duration: Duration) {
        self.add(duration.as_secs_f64() * 1e3);
    }

    /// Adds a figure.
    pub fn add(&mut self, figure: f64) {
        self.0.push(figure);
    }

    /// Adds another sample's figures.
    pub fn extend(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// The number of figures.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether the sample is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The median.
    pub fn median(&self) -> f64 {
        self.quantile(0.5)
    }

    /// The 99th percentile.
    pub fn p99(&self) -> f64 {
        self.quantile(0.99)
    }

    fn quantile(&self, part: f64) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        let rank = (sorted.len() as f64 * part).ceil() as usize;
        sorted.get(rank.saturating_sub(1)).copied().unwrap_or(f64::NAN)
    }
}
