//! The index of views of any size (docs/CONTRACT.md B7).

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::{
    About, Category, Snapshot,
    fixtures::{self, file, named, view_of},
};

/// A view of servers with these numbers of tools; declared categories are given with descriptions, and without tools.
fn view(servers: &[(&str, usize)]) -> View {
    let lists = servers.iter().map(|(name, count)| named(name, (0..*count).map(|at| format!("{name}_{at}"))));
    fixtures::view(&lists.collect::<Vec<_>>())
}

#[test]
fn b7_the_most_important_comes_first_and_nothing_is_cut_silently() {
    assert_eq!(with_index("Text.", &view(&[])), "Text.");
    let index = with_index("Text.", &view(&[("small", 2), ("large", 7), ("medium", 4)]));
    let places = ["13 tools of 3 servers:", " large (7)", " medium (4)", " small (2)"];
    let places: Vec<usize> = places.iter().map(|part| index.find(part).expect(part)).collect();
    assert!(places.is_sorted(), "{index}");
    assert!(with_index("Text.", &view(&[("large", 1_000)])).starts_with("Text.\n1,000 tools:"));

    let names: Vec<String> = (0..400).map(|at| format!("server_{at}")).collect();
    let many: Vec<(&str, usize)> = names.iter().map(|name| (name.as_str(), 1)).collect();
    let index = with_short_index(&"x".repeat(500), &view(&many));
    assert!(index.len() <= MAX_BYTES && index.len() > MAX_BYTES - 100, "{}", index.len());
    let named = index.split_once("):").unwrap().1.matches(" server_").count();
    assert!(index.ends_with(&format!(" … and {} more categories", 400 - named)), "{index}");
    let index = with_index(&"x".repeat(500), &view(&many));
    assert!(
        names.iter().all(|name| index.contains(&format!(" {name}"))) && !index.contains("(1)"),
        "{index}"
    );
}

#[test]
fn b7_declared_categories_keep_the_operators_order_and_servers_are_named() {
    let lists = [named("one", ["w", "r1"]), named("two", ["r2", "x"])];
    let file = |name: &str, category: &str| {
        file(&json!({"name": name, "description": "Does it.", "inputSchema": {}, "category": category}))
    };
    let files = [file("w", "writing"), file("r1", "reading"), file("r2", "reading"), file("x", "other")];
    let category =
        |name: &str| Category { name: name.to_owned(), description: format!("All\nabout {name}.") };
    let about = About { categories: vec![category("writing"), category("reading")], ..About::default() };
    let snapshot = Snapshot::build(&lists, &files).about_itself(about);
    let index = with_index("Text.", &view_of(snapshot));
    let expected = "Text.\n4 tools of 2 servers (one, two):\n- writing (1): All about writing.\n\
                    - reading (2): All about reading.\n- other (1)";
    assert_eq!(index, expected);
}

#[test]
fn b7_every_server_is_named_before_categories_that_do_not_fit() {
    let names: Vec<String> = (0..60).map(|at| format!("server-{at:02}")).collect();
    let mut servers: Vec<(&str, usize)> = names.iter().map(|name| (name.as_str(), 3)).collect();
    // A category of another server says nothing of this one.
    servers.push(("server", 1));
    let index = with_index_within("Text.", &view(&servers), 900);
    let head = index.find("):").map(|end| &index[..end]).unwrap();
    assert!(servers.iter().all(|(name, _)| head.contains(name)), "{index}");
    assert!(head.contains(" (server, server-00,") && index.contains(" more categories"), "{index}");
    let few = with_index_within("Text.", &view(&servers[..3]), 900);
    assert!(few.starts_with("Text.\n9 tools of 3 servers: server-00"), "{few}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn b7_the_index_fits_whatever_there_is(
        servers in proptest::collection::btree_map("[a-zé]{1,40}", 1..4_usize, 0..150),
        text in "[a-z ]{0,1900}",
    ) {
        let servers: Vec<(&str, usize)> = servers.iter().map(|(name, count)| (name.as_str(), *count)).collect();
        let index = with_short_index(&text, &view(&servers));
        // A text that leaves no room still says how much there is.
        prop_assert!(index.len() <= MAX_BYTES.max(text.len() + AROUND_SERVERS), "{}", index.len());
    }
}
