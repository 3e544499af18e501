//! What is listed, and what `groups/get` delivers.

use super::*;

#[test]
fn g4_g6_g7_g9_every_tool_is_at_the_top_or_in_described_groups_and_the_same_everywhere() {
    for view in cases() {
        let groups = request(&view, "groups/list", &json!({})).unwrap();
        let mut described = groups["groups"].as_array().unwrap().iter().map(|group| &group["description"]);
        assert!(described.all(|text| !text.as_str().unwrap().trim().is_empty()), "{groups}");
        let top = listed(&view, &native(Era::Session));
        let mut definitions: std::collections::HashMap<String, Value> = std::collections::HashMap::new();
        for (name, contents) in reachable(&view) {
            assert!(contents["instructions"].is_string() || contents["contents"].is_object(), "{name}");
            for tool in contents["contents"]["tools"].as_array().into_iter().flatten() {
                let name = tool["name"].as_str().unwrap();
                assert!(!top.iter().any(|listed| listed == name), "{name} is listed twice");
                assert_eq!(definitions.entry(name.to_owned()).or_insert_with(|| tool.clone()), tool);
            }
        }
        let all = listed(&view, &ClientTraits::plain(Era::Session));
        assert_eq!(top.len() + definitions.len(), all.len());
        assert!(all.iter().all(|name| top.contains(name) || definitions.contains_key(name)));
    }
}

#[test]
fn g8_upstreams_and_their_categories_are_nested_one_level() {
    let view = view(&[forge(), files(), tiny()]);
    let top = request(&view, "groups/list", &json!({})).unwrap();
    assert_eq!(names(&top["groups"]), ["forge", "files"]);
    let forge = get(&view, "forge");
    let expected = ["forge-issue", "forge-label", "forge-branch", "forge-release", "forge-comment"];
    assert_eq!(names(&forge["contents"]["groups"]), expected);
    assert_eq!(forge["instructions"], "Use forge with care.");
    assert_eq!(names(&get(&view, "files")["contents"]["tools"]).len(), 4);
    // One tool of a few bytes costs less than its group.
    assert_eq!(listed(&view, &native(Era::Session)), ["now"]);
}

#[test]
fn g8_the_categories_of_one_upstream_are_not_nested_and_its_instructions_stay() {
    let view = view(&[forge()]);
    let top = request(&view, "groups/list", &json!({})).unwrap();
    assert_eq!(names(&top["groups"]).len(), 5);
    let listing = strategy().list(&view, &native(Era::Session));
    assert_eq!(listing.instructions.as_deref(), Some("Use forge with care."));
}

#[test]
fn g8_an_upstreams_own_groups_are_under_its_name_and_circles_end() {
    let alone = view(&[grouped()]);
    let top = request(&alone, "groups/list", &json!({})).unwrap();
    assert_eq!(names(&top["groups"]), ["own-a", "own-c"]);
    assert_eq!(top["groups"][0]["description"], "About a");
    assert_eq!(listed(&alone, &native(Era::Session)), ["five", "six"]);
    let beside = view(&[grouped(), files()]);
    assert_eq!(names(&get(&beside, "own")["contents"]["groups"]), ["own-a", "own-c"]);
    assert_eq!(names(&get(&beside, "own")["contents"]["tools"]), ["five", "six"]);
    for view in [alone, beside] {
        assert_eq!(names(&get(&view, "own-a")["contents"]["groups"]), ["own-b"]);
        assert_eq!(names(&get(&view, "own-b")["contents"]["tools"]), ["four"]);
        assert!(get(&view, "own-b")["contents"]["groups"].is_null());
        assert!(request(&view, "groups/get", &json!({"name": "own-lost"})).is_err());
    }
}

#[test]
fn g10_g16_what_is_hidden_is_unknown_and_its_parent_does_not_show_it() {
    let lists = [forge(), files(), grouped()];
    let some = permitted_only(&["list_issue", "three"]);
    let permitted = View::of(snapshot(&lists), &some);
    let narrowed = keeping(view(&lists), |name| ["list_issue", "three"].contains(&name));
    for view in [permitted, narrowed] {
        let shown: HashSet<String> = reachable(&view).into_iter().map(|(name, _)| name).collect();
        assert!(
            shown.iter().all(|name| !["forge-label", "files", "own-a", "own-b"].contains(&name.as_str())),
            "{shown:?}"
        );
        for (_, contents) in reachable(&view) {
            assert!(names(&contents["contents"]["groups"]).iter().all(|name| shown.contains(*name)));
        }
        let error = |name: &str| request(&view, "groups/get", &json!({"name": name})).unwrap_err();
        let answered = |name: &str| match error(name) {
            Fault::NotFound { message, data } => {
                (message, data["name"] == name, data.as_object().unwrap().len())
            }
            other => panic!("{other:?}"),
        };
        assert_eq!(answered("forge-label"), answered("never-there"));
        assert_eq!(answered("own-b"), ("Group not found".to_owned(), true, 1));
    }
}

#[test]
fn g15_only_the_groups_at_the_top_are_announced() {
    let digest =
        |lists: &[UpstreamLists]| strategy().list(&view(lists), &native(Era::Session)).announced.unwrap();
    let mut changed = files();
    let schema = json!({"type": "object", "description": "another one that is as long as the old one and a little longer, so that its group stays"});
    changed.tools[0] =
        raw(&json!({"name": "read_file", "description": "Does read_file.", "inputSchema": schema}));
    assert_eq!(digest(&[forge(), files()]), digest(&[forge(), files()]));
    assert_eq!(digest(&[forge(), files()]), digest(&[forge(), changed]));
    assert_ne!(digest(&[forge(), files()]), digest(&[forge()]));
}

#[test]
fn g17_the_pages_are_the_list_and_foreign_cursors_are_refused() {
    let view = view(&[forge()]);
    let paged = GroupsStrategy::new(GroupsConfig { page: 2.try_into().unwrap(), ..GroupsConfig::default() });
    let ask = |params: &Value| request_of(&paged, &view, &native(Era::Session), "groups/list", params);
    let (mut seen, mut params, mut cursors) = (Vec::new(), json!({}), Vec::new());
    loop {
        let page = ask(&params).unwrap().unwrap();
        seen.extend(page["groups"].as_array().unwrap().clone());
        let Some(cursor) = page.get("nextCursor") else { break };
        cursors.push(cursor.clone());
        params = json!({"cursor": cursor});
    }
    assert_eq!(json!(seen), request(&view, "groups/list", &json!({})).unwrap()["groups"]);
    assert_eq!(cursors.len(), 2);
    let other = self::view(&[forge(), files()]);
    let foreign = request_of(&paged, &other, &native(Era::Session), "groups/list", &params);
    let wrong = |result| matches!(result, Err(Fault::InvalidParams(_)));
    assert!(wrong(foreign));
    for cursor in [json!("2"), json!(2), json!(""), json!("-"), json!("0-x"), json!("99999999999999999999-1")]
    {
        assert!(wrong(ask(&json!({"cursor": cursor}))), "{cursor}");
    }
}
