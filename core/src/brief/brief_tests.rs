//! Sentences of real servers, and their briefs at both lengths.

use proptest::prelude::*;

use super::*;

/// Names and descriptions, and the briefs at both lengths.
const CASES: &[(&str, &str, &str, &str)] = &[
    (
        "cluster_tool",
        "IMPORTANT: This deletes every node of the cluster. Ask the user first.",
        "Acme: Deletes every node of the cluster. [requires confirmation]",
        "Deletes every node of the cluster. [requires confirmation]",
    ),
    (
        "mailer",
        "NOTE: This sends an email to all users. Check the list before.",
        "Acme: Sends an email to all users. Check the list before.",
        "Acme: Sends an email to all users. Check the list before.",
    ),
    (
        "device_tool",
        "Warning: this permanently erases the device with all of its partitions.",
        "Acme: Permanently erases the device with all of its partitions.",
        "Acme: Permanently erases the device…",
    ),
    (
        "cluster_tool",
        "🚨🚨🚨 DO NOT CALL THIS WITHOUT ASKING THE USER 🚨🚨🚨 Wipes the cluster.",
        "Acme: Wipes the cluster. [requires confirmation]",
        "Acme: Wipes the cluster. [requires confirmation]",
    ),
    (
        "sender",
        "IMPORTANT: Call get_context first. Sends an email.",
        "Acme: Sends an email. Call get_context first.",
        "Acme: Sends an email. Call get_context first.",
    ),
    (
        "poster",
        "Dangerous. Publishes a post.",
        "Acme: Publishes a post. [unsafe]",
        "Acme: Publishes a post. [unsafe]",
    ),
    (
        "poster",
        "CAUTION: Publishes a post.",
        "Acme: Publishes a post. [caution]",
        "Acme: Publishes a post. [caution]",
    ),
    (
        "account",
        "WARNING: Deletes the account of a user.",
        "Acme: Deletes the account of a user.",
        "Acme: Deletes the account of a user.",
    ),
    (
        "thing",
        "INTERNAL USE ONLY. Reads a thing.",
        "Acme: Reads a thing. [internal use only]",
        "Acme: Reads a thing. [internal use only]",
    ),
    (
        "folder",
        "Creates a folder. Parameters: path. DANGER: overwrites existing folders without asking.",
        "Acme: Creates a folder. [unsafe] [destructive]",
        "Acme: Creates a folder. [unsafe] [destructive]",
    ),
    (
        "thing",
        "[destructive] Resets a thing. [unsafe: runs shell commands]",
        "Acme: Resets a thing. [unsafe] [destructive]",
        "Acme: Resets a thing. [unsafe] [destructive]",
    ),
    (
        "disk",
        "Formats a disk of a computer of the team. All data will be lost.",
        "Acme: Formats a disk of a computer of the team. All data will be lost.",
        "Acme: Formats a disk of a computer… [destructive]",
    ),
    (
        "thing",
        "Seeds the test database of the project. Do NOT use in production.",
        "Acme: Seeds the test database of the project. [not in production]",
        "Acme: Seeds the test database… [not in production]",
    ),
    (
        "get_things",
        "Gets all of the things of a project. This tool has been replaced by get_new_things.",
        "Acme: Gets all of the things of a project. [deprecated: use get_new_things]",
        "Acme: Gets all of the things of a project. [deprecated]",
    ),
    (
        "find_image",
        "Finds an image among those of the team. Will be removed in the next release; migrate to image_search.",
        "Acme: Finds an image among those of the team. [deprecated: use image_search]",
        "Acme: Finds an image among… [deprecated: use image_search]",
    ),
    (
        "checker",
        "Checks whether an operation is destructive or irreversible before you run it.",
        "Acme: Checks whether an operation is destructive or irreversible before you run it.",
        "Acme: Checks whether an operation is destructive…",
    ),
    (
        "lister",
        "Lists the irreversible operations that a pipeline of the whole team would run.",
        "Acme: Lists the irreversible operations that a pipeline of the whole team would run.",
        "Acme: Lists the irreversible operations that a pipeline…",
    ),
    (
        "get_thing",
        "@deprecated since v3; prefer `fetch_thing`. Gets a thing.",
        "Acme: Gets a thing. [deprecated: use fetch_thing]",
        "Acme: Gets a thing. [deprecated: use fetch_thing]",
    ),
    (
        "get_y",
        "Legacy endpoint, no longer maintained. Gets some y.",
        "Acme: Gets some y. [deprecated]",
        "Acme: Gets some y. [deprecated]",
    ),
    (
        "get_y",
        "[EXPERIMENTAL] Gets some y.",
        "Acme: Gets some y. [experimental]",
        "Acme: Gets some y. [experimental]",
    ),
    (
        "borrar",
        "ADVERTENCIA: acción irreversible. Elimina un proyecto.",
        "Acme: Elimina un proyecto. ADVERTENCIA: acción irreversible.",
        "Acme: Elimina un proyecto. ADVERTENCIA: acción irreversible.",
    ),
    (
        "delete_x",
        "ВНИМАНИЕ! Необратимо удаляет проект.",
        "Acme: Необратимо удаляет проект. ВНИМАНИЕ!",
        "Acme: Необратимо удаляет проект. ВНИМАНИЕ!",
    ),
    (
        "docs",
        "Retrieves the documentation of a library from a big index. You must call 'Resolve Context7 Library ID' tool first to get an ID, or `resolve-library-id`.",
        "Acme: Retrieves the documentation of a library from a big index. [call resolve-library-id first]",
        "Retrieves the documentation… [call resolve-library-id first]",
    ),
    (
        "list_pages",
        "[DEPRECATED] Lists pages. Use list_all instead.",
        "Acme: Lists pages. [deprecated: use list_all]",
        "Acme: Lists pages. [deprecated: use list_all]",
    ),
    (
        "ask",
        "Ask the user a question and wait for the answer.",
        "Acme: Ask the user a question and wait for the answer.",
        "Acme: Ask the user a question and wait for the answer.",
    ),
    (
        "page",
        "[irreversible] Removes a page.",
        "Acme: Removes a page. [irreversible]",
        "Acme: Removes a page. [irreversible]",
    ),
    (
        "docs",
        "Retrieves the documentation of a library from a big index. You must call 'Resolve Context7 Library ID' tool first.",
        "Acme: Retrieves the documentation of a library from a big index. [call Resolve Context7 Library ID first]",
        "Acme: Retrieves the documentation of a library from a big…",
    ),
];

#[test]
fn b1_b2_briefs_say_what_a_tool_does() {
    for (name, title, description, long, short) in [
        (
            "delete_repository",
            None,
            "⚠️ Requires confirmation. Deletes a repository permanently.",
            "Deletes a repository permanently. [requires confirmation]",
            "Deletes a repository permanently. [requires confirmation]",
        ),
        (
            "old_tool",
            None,
            "DEPRECATED. Use new_tool instead. Lists all of the pages.",
            "Lists all of the pages. [deprecated: use new_tool]",
            "Lists all of the pages. [deprecated: use new_tool]",
        ),
        (
            "get_page",
            None,
            "DEPRECATED. Use fetch_page…",
            "Get page [deprecated: use fetch_page]",
            "Get page [deprecated: use fetch_page]",
        ),
        (
            "send_email",
            None,
            "You MUST call get_context first. Sends an email to one or more of the people of the team.",
            "Sends an email to one or more of the people of the team. [call get_context first]",
            "Sends an email to one… [call get_context first]",
        ),
        (
            "browser_run_code_unsafe",
            Some("Run Playwright code (unsafe)"),
            "Run a Playwright code snippet. Unsafe: executes arbitrary JavaScript in the Playwright server process and is RCE-equivalent.",
            "Run a Playwright code snippet. [unsafe: RCE-equivalent]",
            "Run a Playwright code snippet. [unsafe: RCE-equivalent]",
        ),
        (
            "read_file",
            Some("Read File (Deprecated)"),
            "Read the complete contents of a file as text. DEPRECATED: Use read_text_file instead.",
            "Read the complete contents of a file as text. [deprecated: use read_text_file]",
            "Read the complete contents of a file as text. [deprecated]",
        ),
        (
            "loadtesting_testresource_create",
            None,
            "Returns the created Load Testing resource.",
            "Create loadtesting testresource. Returns the created Load Testing resource.",
            "Create loadtesting testresource",
        ),
        (
            "fileshares_snapshot_update",
            None,
            "Update properties and metadata of an Azure managed file share snapshot, such as tags or retention policies.",
            "Update properties and metadata of an Azure managed file share snapshot, such as tags or retention policies.",
            "Fileshares snapshot update: properties and metadata…",
        ),
        (
            "monitor_activitylog_list",
            None,
            "Always use this tool if user is asking for activity logs for a resource.",
            "Monitor activitylog list. Always use this tool if user is asking for activity logs for a resource.",
            "Monitor activitylog list",
        ),
        (
            "debug_tables",
            None,
            "ESSENTIAL DEBUGGING TOOL - Use this whenever tables don't show what was expected.",
            "Debug tables. Use this whenever tables don't show what was expected.",
            "Debug tables",
        ),
        (
            "get_weather",
            None,
            "天気を取得します。詳細は別に。",
            "天気を取得します。 詳細は別に。",
            "天気を取得します。 詳細は別に。",
        ),
        ("get_data", None, "", "Get data", "Get data"),
    ] {
        let source = Source { name, title, description, ..Source::default() };
        assert_eq!([&*source.brief(LONGEST), &*source.brief(SHORT)], [long, short], "{description}");
    }
}

#[test]
fn b1_b2_nothing_that_must_be_known_is_lost() {
    let acme = Product::of(Some("Acme"), None, None);
    let wrong = CASES.iter().filter_map(|(name, description, long, short)| {
        let source = Source { name, description, product: acme.as_ref(), ..Source::default() };
        let briefs = [source.brief(LONGEST), source.brief(SHORT)];
        (briefs != [*long, *short]).then(|| format!("{description}\n  {}\n  {}", briefs[0], briefs[1]))
    });
    assert_eq!(wrong.collect::<Vec<_>>().join("\n"), "");
}

#[test]
fn b2_a_long_product_gives_way_before_the_verb() {
    let product = Product::of(Some("Chrome DevTools"), None, None);
    let source = Source {
        name: "x",
        description: "Unconditionally deletes snapshots of a heap. Requires confirmation.",
        product: product.as_ref(),
        ..Source::default()
    };
    assert_eq!(source.brief(SHORT), "Unconditionally deletes snapshots… [requires confirmation]");
}

#[test]
fn b2_what_tells_tools_apart_leaves_the_spoken_name() {
    for (name, front, brief) in [
        ("delete_issue", "GitLab", "GitLab: Delete issue"),
        ("delete_issue", "Delete issue", "Delete issue"),
        ("delete_issue", "Delete", "Delete issue"),
        (
            "delete_issue",
            "Use this when an issue of a project is not needed",
            "Delete issue: Use this when an issue of a project…",
        ),
    ] {
        let draft = Draft::of(&Source { name, ..Source::default() });
        assert_eq!(draft.led_by(Some(front), SHORT), brief);
    }
}

#[test]
fn b1_any_text_has_a_brief() {
    for description in [
        " ",
        "...",
        "(((",
        "# ",
        "Args: a",
        "DEPRECATED",
        "⚠️",
        "WARNING:",
        "\u{0}",
        "İİİİ Use this tool when İ",
        "This tool",
    ] {
        let source = Source { name: "do_it_now", description, ..Source::default() };
        assert!(
            source.brief(SHORT).contains("it now") || description.contains("his tool"),
            "{description:?}: {}",
            source.brief(SHORT)
        );
    }
    assert_eq!(Source::default().brief(SHORT), "Unnamed tool");
}

proptest! {
    #[test]
    fn briefs_are_never_empty_nor_too_long(name in "\\PC{1,40}", description in "(Use this tool |when |DEPRECATED|\\PC|[ .\n]){0,200}") {
        let product = Product::of(Some("Chrome DevTools MCP server"), None, None);
        let source = Source { name: &name, description: &description, product: product.as_ref(), ..Source::default() };
        for cap in [LONGEST, SHORT] {
            let brief = source.brief(cap);
            prop_assert!(!brief.trim().is_empty() && brief != "…");
            prop_assert!(cap.holds(&brief), "{}: {brief}", cap.length(&brief));
        }
    }
}
