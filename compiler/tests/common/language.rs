//! The table of ops in docs/language.md, which the compiler's own tests compare
//! with the compiler's.

const REFERENCE: &str = include_str!("../../../docs/language.md");

/// An op of the language.
pub struct Op {
    pub name: &'static str,
    /// May be given without their names.
    pub unnamed: Vec<&'static str>,
    pub named: Vec<&'static str>,
}

/// Every op of the table.
pub fn ops() -> Vec<Op> {
    let (_, section) = REFERENCE.split_once("\n## Ops\n").expect("a section");
    let rows = section.lines().skip_while(|line| !line.starts_with("|---"));
    let rows = rows.skip(1).take_while(|line| line.starts_with('|'));
    let ops: Vec<Op> = rows.map(op).collect();
    assert!(ops.len() > 30, "{} ops", ops.len());
    ops
}

fn op(row: &'static str) -> Op {
    let mut columns = row.split('|').skip(1).map(str::trim);
    let call = columns.next().expect("an op").trim_matches('`');
    let options = columns.next().expect("options");
    let (name, unnamed) = call.split_once('(').unwrap_or((call, ""));
    Op {
        name,
        unnamed: names(unnamed.trim_end_matches(')').split(", ")),
        named: names(options.split('`').skip(1).step_by(2)),
    }
}

/// `stride` of `stride=1`
fn names(options: impl Iterator<Item = &'static str>) -> Vec<&'static str> {
    let name = |option: &'static str| option.split_once('=').map_or(option, |(name, _)| name);
    options.filter(|o| !o.is_empty()).map(name).collect()
}

/// The arguments of each use of an op in a body.
fn uses<'a>(body: &'a str, op: &str) -> Vec<&'a str> {
    let word = |c: char| c.is_alphanumeric() || c == '_';
    let places = body.match_indices(op).filter(|(at, _)| {
        let before = body[..*at].chars().next_back();
        let after = body[at + op.len()..].chars().next();
        !before.is_some_and(word) && !after.is_some_and(|c| word(c) || c == '=')
    });
    places
        .map(|(at, _)| inside(&body[at + op.len()..]))
        .collect()
}

/// What stands in the brackets that a text begins with.
fn inside(text: &str) -> &str {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' if depth == 1 => return &text[1..at],
            ')' => depth -= 1,
            _ if depth == 0 => return "",
            _ => {}
        }
    }
    ""
}

/// Ops without a use and options without a value in these bodies, but for those
/// that `elsewhere` names; `*` is every op or option.
pub fn missing(bodies: &[&str], elsewhere: &[(&str, &str)]) -> Vec<String> {
    let besides = |op: &str, option: &str| {
        let is = |known: &str, name: &str| known == "*" || known == name;
        let mut known = elsewhere.iter();
        known.any(|(o, p)| is(o, op) && is(p, option))
    };
    let mut missing = Vec::new();
    for op in ops() {
        if besides(op.name, "*") {
            continue;
        }
        let uses: Vec<&str> = bodies.iter().flat_map(|body| uses(body, op.name)).collect();
        if uses.is_empty() {
            missing.push(op.name.to_owned());
        }
        let named = |option: &str| {
            let key = format!("{option}=");
            uses.iter().any(|arguments| arguments.contains(&key))
        };
        let unnamed = uses.iter().any(|arguments| {
            let first = arguments.split(',').next().unwrap_or_default();
            !first.is_empty() && !first.contains('=')
        });
        let options = op.unnamed.iter().map(|option| (option, unnamed));
        for (option, given) in options.chain(op.named.iter().map(|option| (option, false))) {
            if !given && !named(option) && !besides(op.name, option) {
                missing.push(format!("{}({option}=)", op.name));
            }
        }
    }
    missing
}

#[test]
fn uses_are_found_by_their_names() {
    let body = "x |> conv(4, kernel=(3, 1), groups=2) |> relu |> depthwise_conv(kernel=3)";
    assert_eq!(uses(body, "conv"), ["4, kernel=(3, 1), groups=2"]);
    assert_eq!(uses(body, "relu"), [""]);
    assert_eq!(uses(body, "relu6"), [""; 0]);
    let all = missing(&[body], &[("*", "init")]);
    for told in ["conv(stride=)", "depthwise_conv(multiplier=)", "relu6"] {
        assert!(all.iter().any(|name| name == told), "{all:?}");
    }
    for used in ["conv", "conv(out=)", "conv(groups=)", "relu"] {
        assert!(all.iter().all(|name| name != used), "{all:?}");
    }
}
