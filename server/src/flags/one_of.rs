//! Values of flags that are enums of the libraries.

use std::str::FromStr;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use strum::{EnumMessage, VariantArray};

/// Parses a library enum by name; help shows the documentation of its variants.
pub(super) fn one_of<T>() -> impl TypedValueParser<Value = T>
where
    T: VariantArray + EnumMessage + FromStr<Err = strum::ParseError> + Clone + Send + Sync,
    &'static str: From<&'static T>,
{
    let values = T::VARIANTS.iter().map(|value| {
        let help = value.get_documentation().unwrap_or_default();
        PossibleValue::new(<&str>::from(value)).help(help.trim_end_matches('.').to_owned())
    });
    PossibleValuesParser::new(values).try_map(|name| name.parse::<T>())
}
