//! Scales of plots.

/// From 0 to a round number at or above the largest value, with ticks on the way.
pub(super) struct Scale {
    step: f64,
    ticks: usize,
}

impl Scale {
    /// A scale of about so many ticks.
    pub(super) fn to(most: f64, about: usize) -> Self {
        let rough = (most.max(1.0) / about as f64).max(1.0);
        let power = 10f64.powf(rough.log10().floor());
        let steps = [1.0, 2.0, 5.0, 10.0].map(|step| step * power);
        let step = steps.into_iter().find(|step| *step >= rough).unwrap_or(rough);
        Self { step, ticks: (most.max(1.0) / step).ceil() as usize }
    }

    /// How far along a value stands, in percent.
    pub(super) fn percent(&self, value: f64) -> f64 {
        value / (self.step * self.ticks as f64) * 100.0
    }

    pub(super) fn ticks(&self) -> impl Iterator<Item = f64> {
        (0..=self.ticks).map(|tick| tick as f64 * self.step)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_reach_the_largest() {
        for (most, last, count) in
            [(4483.0, 5000.0, 6), (11.0, 12.0, 7), (0.0, 1.0, 2), (37332.0, 40000.0, 5)]
        {
            let scale = Scale::to(most, 5);
            let ticks: Vec<f64> = scale.ticks().collect();
            assert_eq!((ticks.last().copied(), ticks.len()), (Some(last), count), "{most}");
            assert!(scale.percent(most) <= 100.0);
        }
    }
}
