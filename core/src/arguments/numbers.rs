//! Numbers, where they are known exactly.
//!
//! Integers of 64 bits are exact. Anything else is the floating-point number nearest to what was written, as most servers
//! read it; from 2^53 on that may differ from the number, and only what holds all the same is said.

use std::cmp::Ordering;

use serde_json::Number;

use super::check::Fit;

/// 2^53: below it every integer has a floating-point number of its own.
const EXACT: f64 = 9_007_199_254_740_992.0;
/// The significant digits that survive being read as a floating-point number.
const DIGITS: usize = 15;

/// `None` where it is not known.
pub(super) fn compare(one: &Number, other: &Number) -> Option<Ordering> {
    if let (Some(one), Some(other)) = (one.as_i128(), other.as_i128()) {
        return Some(one.cmp(&other));
    }
    // Rounding keeps the order of what it keeps apart.
    let (one, other) = (one.as_f64()?, other.as_f64()?);
    one.partial_cmp(&other).filter(|order| order.is_ne() || one.abs() < EXACT)
}

pub(super) fn is_integer(number: &Number) -> Fit {
    match number.as_f64() {
        Some(float) if number.is_f64() && float.abs() >= EXACT => Fit::Unknown,
        Some(float) => (!number.is_f64() || float.fract() == 0.0).into(),
        None => Fit::Unknown,
    }
}

/// Whether the decimal numbers that were written are multiples.
pub(super) fn is_multiple(number: &Number, of: &Number) -> Fit {
    let multiple = || {
        let ((number, scale), (of, of_scale)) = (decimal(number)?, decimal(of)?);
        let least = scale.min(of_scale);
        let whole = |digits: i128, scale: i32| {
            digits.checked_mul(10_i128.checked_pow(u32::try_from(scale - least).ok()?)?)
        };
        Some(whole(number, scale)?.checked_rem(whole(of, of_scale)?)? == 0)
    };
    multiple().map_or(Fit::Unknown, Fit::from)
}

/// Its digits and the power of ten that they are multiplied by.
fn decimal(number: &Number) -> Option<(i128, i32)> {
    if let Some(integer) = number.as_i128() {
        return Some((integer, 0));
    }
    number.as_f64().filter(|float| float.abs() < EXACT)?;
    let text = number.to_string();
    let (digits, power) = text.split_once('e').unwrap_or((&text, "0"));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let digits = [whole, fraction].concat();
    (digits.trim_start_matches(['-', '0']).len() <= DIGITS).then_some(())?;
    Some((digits.parse().ok()?, power.parse::<i32>().ok()? - i32::try_from(fraction.len()).ok()?))
}
