//! One named test for each setup that a rule is tried in.
//!
//! A rule is tried along what it depends on, and along nothing else. Two invariants make that enough: a strategy sees no
//! transport, and a front sees no strategy (ARCHITECTURE.md). So what depends on the strategy takes turns with the
//! transports, and what depends on the transport is tried under `full`. Each setup is named by its strategy, transport
//! and era.

/// Tests of rules, one for each setup named.
macro_rules! cases {
    ($($setup:ident)+; $($rules:tt)*) => { cases! { @each [$($setup)+] $($rules)* } };
    (@each $setups:tt $($rule:ident),* $(,)?) => { $(cases! { @rule $rule $setups })* };
    (@rule $rule:ident [$($setup:ident)+]) => {
        mod $rule {
            $(
                #[tokio::test]
                async fn $setup() {
                    super::$rule(kit::Setup::named(stringify!($setup))).await;
                }
            )+
        }
    };
}

/// Rules that depend on the strategy and on the era: on what is remembered of a client, or comes with each request.
macro_rules! everywhere {
    ($($rules:tt)*) => { cases! {
        full_stdio_session full_http_stateless
        resource_http_session resource_stdio_stateless
        describe_stdio_session describe_http_stateless
        info_http_session info_stdio_stateless
        search_stdio_session search_http_stateless
        groups_http_session groups_stdio_stateless
        concerns_search_stdio_session concerns_search_http_stateless;
        $($rules)*
    } };
}

/// Rules that depend on the strategy alone. Each way in occurs.
macro_rules! each_strategy {
    ($($rules:tt)*) => { cases! {
        full_stdio_session resource_http_stateless describe_http_session info_stdio_stateless
        search_http_stateless groups_stdio_session concerns_search_http_session;
        $($rules)*
    } };
}

/// Rules that depend on how a client comes in, and in which era.
macro_rules! each_way_in {
    ($($rules:tt)*) => { cases! {
        full_stdio_session full_stdio_stateless full_http_session full_http_stateless;
        $($rules)*
    } };
}

/// Rules of HTTP, in both eras.
macro_rules! over_http {
    ($($rules:tt)*) => { cases! { full_http_session full_http_stateless; $($rules)* } };
}

/// Rules of the era with sessions, under every strategy.
macro_rules! with_sessions {
    ($($rules:tt)*) => { cases! {
        full_stdio_session resource_http_session describe_stdio_session
        info_http_session search_stdio_session groups_http_session;
        $($rules)*
    } };
}

/// Rules of the stateless era, under every strategy.
macro_rules! without_sessions {
    ($($rules:tt)*) => { cases! {
        full_http_stateless resource_stdio_stateless describe_http_stateless
        info_stdio_stateless search_http_stateless groups_stdio_stateless;
        $($rules)*
    } };
}

/// Rules of the era with sessions that depend on the transport.
macro_rules! each_transport_with_sessions {
    ($($rules:tt)*) => { cases! { full_stdio_session full_http_session; $($rules)* } };
}

/// Rules of the stateless era that depend on the transport.
macro_rules! each_transport_without_sessions {
    ($($rules:tt)*) => { cases! { full_stdio_stateless full_http_stateless; $($rules)* } };
}

/// Rules of strategies whose lists have the upstreams' tools.
macro_rules! where_tools_are_listed {
    ($($rules:tt)*) => { cases! {
        full_stdio_session full_http_stateless
        resource_http_session resource_stdio_stateless
        describe_stdio_session describe_http_stateless
        info_http_session info_stdio_stateless;
        $($rules)*
    } };
}

/// Rules of strategies whose lists withhold schemas.
macro_rules! where_schemas_are_withheld {
    ($($rules:tt)*) => { cases! {
        resource_http_session resource_stdio_stateless
        describe_stdio_session describe_http_stateless
        info_http_session info_stdio_stateless
        search_stdio_session search_http_stateless
        groups_http_session groups_stdio_stateless;
        $($rules)*
    } };
}

/// Rules of `full` alone, in both eras; and rules that depend on the era alone.
macro_rules! under_full {
    ($($rules:tt)*) => { cases! { full_stdio_session full_http_stateless; $($rules)* } };
}

/// Rules of `resource` alone, in both eras.
macro_rules! under_resource {
    ($($rules:tt)*) => { cases! { resource_http_session resource_stdio_stateless; $($rules)* } };
}

/// Rules of `describe` alone, in both eras.
macro_rules! under_describe {
    ($($rules:tt)*) => { cases! { describe_stdio_session describe_http_stateless; $($rules)* } };
}

/// Rules of `info` alone, in both eras.
macro_rules! under_info {
    ($($rules:tt)*) => { cases! { info_http_session info_stdio_stateless; $($rules)* } };
}

/// Rules of `search` alone, in both eras, and behind a filter.
macro_rules! under_search {
    ($($rules:tt)*) => { cases! {
        search_stdio_session search_http_stateless concerns_search_http_session;
        $($rules)*
    } };
}

/// Rules of `groups` alone, in both eras.
macro_rules! under_groups {
    ($($rules:tt)*) => { cases! { groups_http_session groups_stdio_stateless; $($rules)* } };
}
