//! Translates hosts' variables into the form of `disclosure.toml`, so that they are looked up when an upstream is started
//! and `export` writes no secret that is not in the file itself.

use std::path::MAIN_SEPARATOR;

use super::{
    super::environment::{ESCAPED, Reference, escape, is_name, is_word, replaced},
    node::Node,
    shape::{FileContext, HOME},
    shape::{Reading, Style},
};

/// A problem with a reference, and a hint.
pub(super) type Unfilled = (String, String);

/// The text in the form of `disclosure.toml`.
pub(super) fn translate(text: &str, reading: Reading<'_>) -> Result<String, Unfilled> {
    let (style, context) = (reading.shape.style, reading.context);
    match style {
        Style::Dollar | Style::BareDollar => {
            let keep =
                |text: &str| if style == Style::Dollar { text.to_owned() } else { braced(text, context) };
            let unclosed = |what| (what, ESCAPED.to_owned());
            replaced(text, keep, "$${", unclosed, |reference| dollar(&reference, reading))
        }
        Style::Braces => between(text, &[("{env:", "}"), ("{file:", "}")], |reference| {
            match (reference.marks.0, reference.inside) {
                ("{env:", name) if is_name(name) => Ok(variable(name)),
                ("{file:", path) => file(path, &reference, context),
                _ => Err(foreign(&reference)),
            }
        }),
        Style::Secrets => {
            between(text, &[("${{", "}}")], |reference| match reference.inside.trim().split_once('.') {
                Some(("secrets" | "env", name)) if is_name(name) => Ok(variable(name)),
                _ => Err(foreign(&reference)),
            })
        }
        Style::Literal => Ok(escape(text)),
    }
}

/// Replaces a leading `~` by the variable of the home directory.
pub(super) fn with_home(text: String, context: &FileContext<'_>) -> String {
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
pub(super) fn variable(name: &str) -> String {
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
    (
        format!("{reference} can be resolved by the host only"),
        "write the value, or an environment variable".to_owned(),
    )
}

/// Writes `$VAR` as `${VAR}` if the variable is set; any other dollar is literal.
fn braced(text: &str, context: &FileContext<'_>) -> String {
    let mut braced = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('$') {
        braced.push_str(before);
        let end = after.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(after.len());
        let (name, tail) = after.split_at(end);
        if is_name(name) && (context.lookup)(name).is_some() {
            braced.push_str(&variable(name));
            rest = tail;
        } else {
            braced.push('$');
            rest = after;
        }
    }
    braced.push_str(rest);
    braced
}

/// Replaces every reference between one of these pairs of delimiters and escapes the rest.
fn between(
    text: &str,
    marks: &[(&'static str, &'static str)],
    replace: impl Fn(Reference<'_>) -> Result<String, Unfilled>,
) -> Result<String, Unfilled> {
    let mut whole = String::with_capacity(text.len());
    let mut done = 0;
    let first = |from: usize| {
        let found = marks.iter().filter_map(|marks| Some((from + text[from..].find(marks.0)?, *marks)));
        found.min_by_key(|(at, _)| *at)
    };
    while let Some((at, marks)) = first(done) {
        let start = at + marks.0.len();
        let Some(length) = text[start..].find(marks.1) else { break };
        whole.push_str(&escape(&text[done..at]));
        let inside = &text[start..start + length];
        whole.push_str(&replace(Reference { value: text, at, marks, inside })?);
        done = start + length + marks.1.len();
    }
    whole.push_str(&escape(&text[done..]));
    Ok(whole)
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
