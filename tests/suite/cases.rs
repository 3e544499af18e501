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

/// Rules that hold under every strategy, over every transport, in every era.
macro_rules! everywhere {
    ($($rule:ident),* $(,)?) => { $(cases! { $rule:
        full_stdio_session = "full" Stdio Session,
        full_stdio_stateless = "full" Stdio Stateless,
        full_http_session = "full" Http Session,
        full_http_stateless = "full" Http Stateless,
        resource_stdio_session = "resource" Stdio Session,
        resource_stdio_stateless = "resource" Stdio Stateless,
        resource_http_session = "resource" Http Session,
        resource_http_stateless = "resource" Http Stateless,
        describe_stdio_session = "describe" Stdio Session,
        describe_stdio_stateless = "describe" Stdio Stateless,
        describe_http_session = "describe" Http Session,
        describe_http_stateless = "describe" Http Stateless,
        info_stdio_session = "info" Stdio Session,
        info_stdio_stateless = "info" Stdio Stateless,
        info_http_session = "info" Http Session,
        info_http_stateless = "info" Http Stateless,
    })* };
}

/// Rules of `full` alone.
macro_rules! under_full {
    ($($rule:ident),* $(,)?) => { $(cases! { $rule:
        full_stdio_session = "full" Stdio Session,
        full_stdio_stateless = "full" Stdio Stateless,
        full_http_session = "full" Http Session,
        full_http_stateless = "full" Http Stateless,
    })* };
}

/// Rules of `resource` alone.
macro_rules! under_resource {
    ($($rule:ident),* $(,)?) => { $(cases! { $rule:
        resource_stdio_session = "resource" Stdio Session,
        resource_stdio_stateless = "resource" Stdio Stateless,
        resource_http_session = "resource" Http Session,
        resource_http_stateless = "resource" Http Stateless,
    })* };
}

/// Rules of `describe` alone.
macro_rules! under_describe {
    ($($rule:ident),* $(,)?) => { $(cases! { $rule:
        describe_stdio_session = "describe" Stdio Session,
        describe_stdio_stateless = "describe" Stdio Stateless,
        describe_http_session = "describe" Http Session,
        describe_http_stateless = "describe" Http Stateless,
    })* };
}

/// Rules of strategies whose lists withhold schemas.
macro_rules! where_schemas_are_withheld {
    ($($rule:ident),* $(,)?) => { $(cases! { $rule:
        resource_stdio_session = "resource" Stdio Session,
        resource_stdio_stateless = "resource" Stdio Stateless,
        resource_http_session = "resource" Http Session,
        resource_http_stateless = "resource" Http Stateless,
        describe_stdio_session = "describe" Stdio Session,
        describe_stdio_stateless = "describe" Stdio Stateless,
        describe_http_session = "describe" Http Session,
        describe_http_stateless = "describe" Http Stateless,
        info_stdio_session = "info" Stdio Session,
        info_stdio_stateless = "info" Stdio Stateless,
        info_http_session = "info" Http Session,
        info_http_stateless = "info" Http Stateless,
    })* };
}

/// Rules of `info` alone.
macro_rules! under_info {
    ($($rule:ident),* $(,)?) => { $(cases! { $rule:
        info_stdio_session = "info" Stdio Session,
        info_stdio_stateless = "info" Stdio Stateless,
        info_http_session = "info" Http Session,
        info_http_stateless = "info" Http Stateless,
    })* };
}

/// Rules of the era with sessions, under every strategy.
macro_rules! with_sessions {
    ($($rule:ident),* $(,)?) => { $(cases! { $rule:
        full_stdio_session = "full" Stdio Session,
        full_http_session = "full" Http Session,
        resource_stdio_session = "resource" Stdio Session,
        resource_http_session = "resource" Http Session,
        describe_stdio_session = "describe" Stdio Session,
        describe_http_session = "describe" Http Session,
        info_stdio_session = "info" Stdio Session,
        info_http_session = "info" Http Session,
    })* };
}

/// Rules of the stateless era, under every strategy.
macro_rules! without_sessions {
    ($($rule:ident),* $(,)?) => { $(cases! { $rule:
        full_stdio_stateless = "full" Stdio Stateless,
        full_http_stateless = "full" Http Stateless,
        resource_stdio_stateless = "resource" Stdio Stateless,
        resource_http_stateless = "resource" Http Stateless,
        describe_stdio_stateless = "describe" Stdio Stateless,
        describe_http_stateless = "describe" Http Stateless,
        info_stdio_stateless = "info" Stdio Stateless,
        info_http_stateless = "info" Http Stateless,
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
