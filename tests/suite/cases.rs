//! One named test for each combination that a rule holds in.

/// Tests of a rule, one for each combination given.
macro_rules! cases {
    ($rule:ident: $($case:ident = $strategy:literal $transport:ident $era:ident),* $(,)?) => {
        mod $rule {
            $(
                #[tokio::test]
                async fn $case() {
                    super::$rule(kit::Setup {
                        strategy: $strategy,
                        transport: kit::Transport::$transport,
                        era: kit::setup::Era::$era,
                    })
                    .await;
                }
            )*
        }
    };
}

/// Collects combinations by strategy and era, over both transports, and makes cases of them.
macro_rules! rows {
    ($rule:ident [$($row:tt)*]) => { cases! { $rule: $($row)* } };
    ($rule:ident [$($row:tt)*] full sessions $($rest:tt)*) => {
        rows! { $rule [$($row)*
            full_stdio_session = "full" Stdio Session, full_http_session = "full" Http Session,
        ] $($rest)* }
    };
    ($rule:ident [$($row:tt)*] full stateless $($rest:tt)*) => {
        rows! { $rule [$($row)*
            full_stdio_stateless = "full" Stdio Stateless, full_http_stateless = "full" Http Stateless,
        ] $($rest)* }
    };
    ($rule:ident [$($row:tt)*] resource sessions $($rest:tt)*) => {
        rows! { $rule [$($row)*
            resource_stdio_session = "resource" Stdio Session, resource_http_session = "resource" Http Session,
        ] $($rest)* }
    };
    ($rule:ident [$($row:tt)*] resource stateless $($rest:tt)*) => {
        rows! { $rule [$($row)*
            resource_stdio_stateless = "resource" Stdio Stateless, resource_http_stateless = "resource" Http Stateless,
        ] $($rest)* }
    };
    ($rule:ident [$($row:tt)*] describe sessions $($rest:tt)*) => {
        rows! { $rule [$($row)*
            describe_stdio_session = "describe" Stdio Session, describe_http_session = "describe" Http Session,
        ] $($rest)* }
    };
    ($rule:ident [$($row:tt)*] describe stateless $($rest:tt)*) => {
        rows! { $rule [$($row)*
            describe_stdio_stateless = "describe" Stdio Stateless, describe_http_stateless = "describe" Http Stateless,
        ] $($rest)* }
    };
    ($rule:ident [$($row:tt)*] info sessions $($rest:tt)*) => {
        rows! { $rule [$($row)*
            info_stdio_session = "info" Stdio Session, info_http_session = "info" Http Session,
        ] $($rest)* }
    };
    ($rule:ident [$($row:tt)*] info stateless $($rest:tt)*) => {
        rows! { $rule [$($row)*
            info_stdio_stateless = "info" Stdio Stateless, info_http_stateless = "info" Http Stateless,
        ] $($rest)* }
    };
    ($rule:ident [$($row:tt)*] search sessions $($rest:tt)*) => {
        rows! { $rule [$($row)*
            search_stdio_session = "search" Stdio Session, search_http_session = "search" Http Session,
        ] $($rest)* }
    };
    ($rule:ident [$($row:tt)*] search stateless $($rest:tt)*) => {
        rows! { $rule [$($row)*
            search_stdio_stateless = "search" Stdio Stateless, search_http_stateless = "search" Http Stateless,
        ] $($rest)* }
    };
    ($rule:ident [$($row:tt)*] groups sessions $($rest:tt)*) => {
        rows! { $rule [$($row)*
            groups_stdio_session = "groups" Stdio Session, groups_http_session = "groups" Http Session,
        ] $($rest)* }
    };
    ($rule:ident [$($row:tt)*] groups stateless $($rest:tt)*) => {
        rows! { $rule [$($row)*
            groups_stdio_stateless = "groups" Stdio Stateless, groups_http_stateless = "groups" Http Stateless,
        ] $($rest)* }
    };
    ($rule:ident [$($row:tt)*] concerns_search both $($rest:tt)*) => {
        rows! { $rule [$($row)*
            concerns_search_stdio_session = "concerns+search" Stdio Session,
            concerns_search_http_stateless = "concerns+search" Http Stateless,
        ] $($rest)* }
    };
}

/// Rules that hold under every strategy, over every transport, in every era.
macro_rules! everywhere {
    ($($rule:ident),* $(,)?) => { $(rows! { $rule []
        full sessions full stateless
        resource sessions resource stateless
        describe sessions describe stateless
        info sessions info stateless
        search sessions search stateless
        groups sessions groups stateless
        concerns_search both
    })* };
}

/// Rules of strategies whose lists have the upstreams' tools.
macro_rules! where_tools_are_listed {
    ($($rule:ident),* $(,)?) => { $(rows! { $rule []
        full sessions full stateless
        resource sessions resource stateless
        describe sessions describe stateless
        info sessions info stateless
    })* };
}

/// Rules of `full` alone.
macro_rules! under_full {
    ($($rule:ident),* $(,)?) => { $(rows! { $rule []
        full sessions full stateless
    })* };
}

/// Rules of `resource` alone.
macro_rules! under_resource {
    ($($rule:ident),* $(,)?) => { $(rows! { $rule []
        resource sessions resource stateless
    })* };
}

/// Rules of `describe` alone.
macro_rules! under_describe {
    ($($rule:ident),* $(,)?) => { $(rows! { $rule []
        describe sessions describe stateless
    })* };
}

/// Rules of `info` alone.
macro_rules! under_info {
    ($($rule:ident),* $(,)?) => { $(rows! { $rule []
        info sessions info stateless
    })* };
}

/// Rules of `search` alone, and behind a filter.
macro_rules! under_search {
    ($($rule:ident),* $(,)?) => { $(rows! { $rule []
        search sessions search stateless
        concerns_search both
    })* };
}

/// Rules of `groups` alone.
macro_rules! under_groups {
    ($($rule:ident),* $(,)?) => { $(rows! { $rule []
        groups sessions groups stateless
    })* };
}

/// Rules of strategies whose lists withhold schemas.
macro_rules! where_schemas_are_withheld {
    ($($rule:ident),* $(,)?) => { $(rows! { $rule []
        resource sessions resource stateless
        describe sessions describe stateless
        info sessions info stateless
        search sessions search stateless
        groups sessions groups stateless
    })* };
}

/// Rules of the era with sessions, under every strategy.
macro_rules! with_sessions {
    ($($rule:ident),* $(,)?) => { $(rows! { $rule []
        full sessions resource sessions describe sessions info sessions
        search sessions groups sessions
    })* };
}

/// Rules of the stateless era, under every strategy.
macro_rules! without_sessions {
    ($($rule:ident),* $(,)?) => { $(rows! { $rule []
        full stateless resource stateless describe stateless info stateless
        search stateless groups stateless
    })* };
}

/// Rules of HTTP, in both eras.
macro_rules! over_http {
    ($($rule:ident),* $(,)?) => { $(cases! { $rule:
        full_http_session = "full" Http Session,
        full_http_stateless = "full" Http Stateless,
    })* };
}

/// Rules of one combination only.
macro_rules! only {
    ($case:ident = $strategy:literal $transport:ident $era:ident; $($rule:ident),* $(,)?) => {
        $(cases! { $rule: $case = $strategy $transport $era })*
    };
}
