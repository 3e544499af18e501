//! Whether the dialect that a schema names changes what it accepts.

use super::words::strings;
use crate::raw::RawObject;

/// The default dialect of MCP and of this program's argument check.
const DEFAULT: &str = "https://json-schema.org/draft/2020-12/schema";

/// Dialects that agree with the default one on everything but [`DIFFERING`]. In draft 4 too much differs.
const SIMILAR: [&str; 3] = [
    "http://json-schema.org/draft-06/schema",
    "http://json-schema.org/draft-07/schema",
    "https://json-schema.org/draft/2019-09/schema",
];

/// Keywords that one of these dialects lacks, ignores or understands otherwise: before 2019-09, `$ref` hides what stands
/// beside it, and formats are checked.
const DIFFERING: [&str; 26] = [
    "$anchor",
    "$dynamicAnchor",
    "$dynamicRef",
    "$id",
    "$recursiveAnchor",
    "$recursiveRef",
    "$ref",
    "$vocabulary",
    "additionalItems",
    "contains",
    "contentEncoding",
    "contentMediaType",
    "contentSchema",
    "dependencies",
    "dependentRequired",
    "dependentSchemas",
    "else",
    "format",
    "id",
    "if",
    "maxContains",
    "minContains",
    "prefixItems",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
];

/// Whether the schema is of a dialect whose keywords are known here; without `$schema` it is.
pub(super) fn is_known(root: &RawObject) -> bool {
    let Some(named) = root.member("$schema") else { return true };
    let named: Result<String, _> = serde_json::from_str(named);
    named.is_ok_and(|named| {
        let named = named.trim_end_matches('#');
        named == DEFAULT || SIMILAR.contains(&named)
    })
}

/// Whether the `$schema` of a known dialect has to stay. `root` has no white space between tokens.
///
/// Strings count as keywords wherever they stand, and a property of such a name keeps a `$schema` that could go.
pub(super) fn matters(root: &RawObject) -> bool {
    if root.string("$schema").is_none_or(|named| named.trim_end_matches('#') == DEFAULT) {
        return false;
    }
    root.text().contains("\"items\":[") || strings(root.text()).any(|string| DIFFERING.contains(&&*string))
}
