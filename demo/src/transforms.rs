//! Transforms: the discrete Fourier transform and convolution.

use rustfft::FftPlanner;
use rustfft::num_complex::Complex64;

/// Products of lengths up to here are convolved directly, which keeps integers exact.
const DIRECT: usize = 1 << 20;

/// The discrete Fourier transform; the inverse divides by the length.
pub(crate) fn fft(mut values: Vec<Complex64>, inverse: bool) -> Vec<Complex64> {
    let length = values.len();
    let mut planner = FftPlanner::new();
    let plan = if inverse { planner.plan_fft_inverse(length) } else { planner.plan_fft_forward(length) };
    plan.process(&mut values);
    if inverse {
        values.iter_mut().for_each(|value| *value /= length as f64);
    }
    values
}

/// The full convolution, of length `a.len() + b.len() - 1`.
pub(crate) fn convolve(a: &[f64], b: &[f64]) -> Vec<f64> {
    let length = a.len() + b.len() - 1;
    if a.len() * b.len() <= DIRECT {
        let mut result = vec![0.0; length];
        for (i, one) in a.iter().enumerate() {
            for (j, two) in b.iter().enumerate() {
                result[i + j] += one * two;
            }
        }
        return result;
    }
    let padded = |values: &[f64]| {
        let mut padded: Vec<Complex64> = values.iter().map(|value| Complex64::from(*value)).collect();
        padded.resize(length.next_power_of_two(), Complex64::ZERO);
        fft(padded, false)
    };
    let product = padded(a).into_iter().zip(padded(b)).map(|(one, two)| one * two).collect();
    fft(product, true).into_iter().take(length).map(|value| value.re).collect()
}
