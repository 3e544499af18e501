//! Translates hosts' variables into the form of `disclosure.toml`, so that they are looked up when an upstream is started
//! and `export` writes no secret that is not in the file itself.

use std::{path::MAIN_SEPARATOR, sync::LazyLock};

use regex_lite::{Captures, Regex};

use super::{FileContext, HOME, Reading, Style, node::Node};
use crate::config::{DOLLAR, ESCAPED, Reference, escape, is_name, is_word, references, replaced};

/// A problem with a reference, and a hint.
pub(crate) type Unfilled = (String, String);

/// `{env:VAR}` and `{file:PATH}`.
static BRACES: LazyLock<Regex> = LazyLock::new(|| references(r"\{(?:env|file):([^}]*)\}"));

/// `${{ secrets.VAR }}`.
static SECRETS: LazyLock<Regex> = LazyLock::new(|| references(r"(?s)\$\{\{(.*?)\}\}"));

/// `$VAR`.
static BARE: LazyLock<Regex> = LazyLock::new(|| references(r"\$([A-Za-z_][A-Za-z0-9_]*)"));

/// The text in the form of `disclosure.toml`.
pub(crate) fn translate(text: &str, reading: Reading<'_>) -> Result<String, Unfilled> {
    let context = reading.context;
    let dollar = |reference: Reference<'_>| dollar(&reference, reading);
    match reading.shape.style {
        Style::Dollar => replaced(text, &DOLLAR, str::to_owned, dollar),
        Style::BareDollar => replaced(text, &DOLLAR, |text| braced(text, context), dollar),
        Style::Braces => replaced(text, &BRACES, escape, |reference| match reference.marks.0 {
            "{file:" => file(reference.inside, &reference, context),
            _ if is_name(reference.inside) => Ok(variable(reference.inside)),
            _ => Err(foreign(&reference)),
        }),
        Style::Secrets => {
            replaced(text, &SECRETS, escape, |reference| match reference.inside.trim().split_once('.') {
                Some(("secrets" | "env", name)) if is_name(name) => Ok(variable(name)),
                _ => Err(foreign(&reference)),
            })
        }
        Style::Literal => Ok(escape(text)),
    }
}

/// Replaces a leading `~` by the variable of the home directory.
pub(crate) fn with_home(text: String, context: &FileContext<'_>) -> String {
    match text.strip_prefix('~') {
        Some(rest)
            if (rest.is_empty() || rest.starts_with(['/', '\\'])) && (context.lookup)(HOME).is_some() =>
        {
            format!("{}{rest}", variable(HOME))
        }
        _ => text,
    }
}

/// A variable in the form of `disclosure.toml`.
pub(crate) fn variable(name: &str) -> String {
    format!("${{{name}}}")
}

/// The definition of an input, which VS Code prompts the user for.
fn definition<'n>(root: &'n Node, id: &str) -> Option<&'n Node> {
    let inputs = root.get("inputs").or_else(|| root.path(&["mcp", "inputs"]))?;
    inputs.items().iter().find(|input| input.get("id").and_then(Node::text) == Some(id))
}

/// The environment variable that replaces an input of VS Code.
fn input_variable(id: &str) -> String {
    let id = id.replace(|character: char| !character.is_ascii_alphanumeric(), "_");
    format!("MCP_DISCLOSURE_INPUT_{}", id.to_ascii_uppercase())
}

fn dollar(reference: &Reference<'_>, reading: Reading<'_>) -> Result<String, Unfilled> {
    if let Some(literal) = reference.literal("$${") {
        return literal.map_err(|what| (what, ESCAPED.to_owned()));
    }
    let context = reading.context;
    let folder = || escape(&context.folder().to_string_lossy());
    let inside = reference.inside;
    Ok(match inside.split_once(':') {
        Some(("input", id)) => return input(id, reference, reading),
        Some(("file", path)) => return file(path, reference, context),
        Some(("env", name)) if is_name(name.split_once(":-").map_or(name, |(name, _)| name)) => {
            variable(inside)
        }
        Some((name, default)) if is_name(name) && default.starts_with('-') => variable(inside),
        Some(_) => return Err(foreign(reference)),
        None => match inside {
            "workspaceFolder" | "workspaceRoot" | "cwd" => folder(),
            "workspaceFolderBasename" => {
                escape(&context.folder().file_name().unwrap_or_default().to_string_lossy())
            }
            "userHome" => variable(HOME),
            "pathSeparator" | "/" => MAIN_SEPARATOR.to_string(),
            name if is_name(name) => variable(name),
            _ => return Err(foreign(reference)),
        },
    })
}

/// A value that VS Code prompts the user for: from the environment, else the input's default.
fn input(id: &str, reference: &Reference<'_>, reading: Reading<'_>) -> Result<String, Unfilled> {
    let ours = input_variable(id);
    if (reading.context.lookup)(&ours).is_some() {
        return Ok(variable(&ours));
    }
    let default = definition(reading.root, id).and_then(|input| input.get("default")?.scalar());
    default.map(|default| escape(&default)).ok_or_else(|| {
        // The variable's name repeats the id.
        let hint = if is_word(id) {
            format!("set the environment variable {ours} to its value")
        } else {
            "write the value, or give the input an id of letters, digits, '-' and '_'".to_owned()
        };
        (format!("{reference} is prompted for by the host"), hint)
    })
}

/// The trimmed content of a file.
fn file(path: &str, reference: &Reference<'_>, context: &FileContext<'_>) -> Result<String, Unfilled> {
    let home = (context.lookup)(HOME).unwrap_or_default();
    let path = match path.strip_prefix("~/") {
        Some(rest) => std::path::Path::new(&home).join(rest),
        None => context.folder().join(path),
    };
    let text = std::fs::read_to_string(path)
        .map_err(|error| (format!("{reference}: {error}"), "the file must be readable, in UTF-8".to_owned()));
    Ok(escape(text?.trim()))
}

fn foreign(reference: &Reference<'_>) -> Unfilled {
    let hint = "write the value, or an environment variable";
    (format!("{reference} can be resolved by the host only"), hint.to_owned())
}

/// Writes `$VAR` as `${VAR}` if the variable is set; any other dollar is literal.
fn braced(text: &str, context: &FileContext<'_>) -> String {
    let is_set = |name: &str| (context.lookup)(name).is_some();
    let braced =
        |found: &Captures<'_>| if is_set(&found[1]) { variable(&found[1]) } else { found[0].to_owned() };
    BARE.replace_all(text, braced).into_owned()
}

#[cfg(test)]
mod tests {
    use super::{
        super::{node::Value, shape::Shape, shapes::SHAPES},
        *,
    };

    fn translated(
        text: &str,
        style: Style,
        root: &Node,
        context: &FileContext<'_>,
    ) -> Result<String, Unfilled> {
        let shape = &Shape { style, ..SHAPES[0] };
        translate(text, Reading { shape, root, context })
    }

    #[test]
    fn variables_are_translated_and_other_text_keeps_its_meaning() {
        let environment = |name: &str| (name == "SET" || name == HOME).then(|| "value".to_owned());
        let context =
            FileContext::new(std::path::Path::new("/work/app/.vscode/mcp.json"), "/now".into(), &environment);
        let root = Node::new(0, 0, Value::Null);
        let home = variable(HOME);
        for (style, text, expected) in [
            (Style::Dollar, "a ${SET} ${env:SET} ${X:-y:z}$", Ok("a ${SET} ${env:SET} ${X:-y:z}$")),
            (Style::Dollar, "${userHome}|$${SET}|$SET|5$", Ok(&*format!("{home}|$${{SET}}|$SET|5$"))),
            (Style::Dollar, "${workspaceFolder}/${workspaceFolderBasename}", Ok("/work/app/app")),
            (Style::Dollar, "a ${SET", Err("'${' at character 3 is not closed")),
            (Style::Dollar, "${command:x}", Err("'${command:x}' can be resolved by the host only")),
            (Style::Dollar, "${file:no/such}", Err("'${…}' at character 1: No such file")),
            (Style::BareDollar, "$SET$UNSET$5$", Ok("${SET}$UNSET$5$")),
            (Style::Braces, "{env:SET}${SET}{env:", Ok("${SET}$${SET}{env:")),
            (Style::Braces, "{file:no/such}", Err("'{file:…}' at character 1: No such file")),
            (Style::Braces, "{env:SET}{file:token}", Err("'{file:token}': No such file")),
            (Style::Secrets, "${{ secrets.SET }}${{env.X}}${Y}", Ok("${SET}${X}$${Y}")),
            (
                Style::Secrets,
                "${{ inputs.X }}",
                Err("'${{…}}' at character 1 can be resolved by the host only"),
            ),
            (Style::Literal, "${SET}$SET~", Ok("$${SET}$SET~")),
        ] {
            match (translated(text, style, &root, &context), expected) {
                (Ok(read), Ok(expected)) => assert_eq!(read, expected, "{text}"),
                (Err((what, _)), Err(start)) => assert!(what.starts_with(start), "{text}: {what}"),
                (read, _) => panic!("{text}: {read:?}"),
            }
        }
        for (path, read) in
            [("~/x", format!("{home}/x")), ("~", home.clone()), ("~x", "~x".into()), ("x~", "x~".into())]
        {
            assert_eq!(with_home(path.to_owned(), &context), read);
        }
    }

    #[test]
    fn no_message_quotes_a_secret() {
        let environment = |name: &str| (name == "SET").then(|| "value".to_owned());
        let context =
            FileContext::new(std::path::Path::new("/work/app/.mcp.json"), "/now".into(), &environment);
        let root = Node::new(0, 0, Value::Null);
        let [resolved, file] = [" can be resolved by the host only", ": No such file"];
        for (style, text, place, problem) in [
            (Style::Dollar, "s3cret${s3cret", "'${' at character 7", " is not closed"),
            (Style::Dollar, "s3cret${s3cret!}s3cret", "'${…}' at character 7", resolved),
            (Style::Dollar, "${s3cret!:-s3cret}", "'${…}' at character 1", resolved),
            (Style::Dollar, "${env:s3cret!}", "'${…}' at character 1", resolved),
            (Style::Dollar, "${env:s3cret!:-s3cret}", "'${…}' at character 1", resolved),
            (Style::Dollar, "${input:s3cret!}", "'${…}' at character 1", " is prompted for by the host"),
            (Style::Dollar, "${file:/s3cret}", "'${…}' at character 1", file),
            (Style::BareDollar, "$SET s3cret${s3cret!}", "'${…}' at character 12", resolved),
            (Style::Braces, "s3cret{env:s3cret!}", "'{env:…}' at character 7", resolved),
            (Style::Braces, "{env:SET} {file:/s3cret}", "'{file:…}' at character 11", file),
            (Style::Secrets, "s3cret${{s3cret!}}", "'${{…}}' at character 7", resolved),
            (Style::Secrets, "${{ secrets.s3cret! }}", "'${{…}}' at character 1", resolved),
        ] {
            let (what, hint) = translated(text, style, &root, &context).unwrap_err();
            assert!(what.starts_with(&format!("{place}{problem}")), "{what}");
            assert!(!format!("{what} {hint}").to_lowercase().contains("s3cret"), "{what} ({hint})");
        }
    }
}
