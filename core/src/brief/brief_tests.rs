use proptest::prelude::*;

use super::*;

proptest! {
    #[test]
    fn briefs_are_never_empty_nor_too_long(name in "\\PC{1,40}", description in "(\\PC|[ .\n]){0,400}") {
        let source = Source { name: &name, description: &description, ..Source::default() };
        for cap in [LONGEST, SHORT] {
            let brief = source.brief(cap);
            prop_assert!(!brief.trim().is_empty() && brief != "…");
            prop_assert!(cap.holds(&brief), "{}: {brief}", cap.length(&brief));
        }
    }
}
