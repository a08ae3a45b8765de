//! From `--emit`, `-o` and `--target` to what is written where.

use std::path::PathBuf;
use std::str::FromStr;

use cnnc::driver::Kind;
use cnnc_grammar::diagnostics::nearest;

use crate::common::Failure;
use crate::common::output::Destination;

/// One item of `--emit`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Emit {
    kind: Kind,
    path: Option<PathBuf>,
}

impl FromStr for Emit {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, path) = match text.split_once('=') {
            Some((_, "")) => return Err("no path behind `=`".to_owned()),
            Some((name, path)) => (name, Some(PathBuf::from(path))),
            None => (text, None),
        };
        let kind = Kind::parse(name).ok_or_else(|| match nearest(name, Kind::names()) {
            Some(near) => format!("no such kind; did you mean `{near}`?"),
            None => {
                let known: Vec<&str> = Kind::names().collect();
                format!("no such kind; there are {}", known.join(", "))
            }
        })?;
        Ok(Emit { kind, path })
    }
}

/// The content of an output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum What {
    /// The syntax tree.
    Ast,
    /// The network as text.
    Network,
    /// Portable StableHLO of these functions; of all if there are none.
    Portable(Vec<&'static str>),
    /// The same, tuned.
    Tuned(Vec<&'static str>),
    /// The compiled program of these functions; of all if there are none.
    Vmfb(Vec<&'static str>),
}

impl What {
    /// With a target (`tuned`) StableHLO is written as tuned for it.
    fn of(kind: Kind, tuned: bool) -> Self {
        let stablehlo = if tuned { What::Tuned } else { What::Portable };
        match kind {
            Kind::Ast => What::Ast,
            Kind::Network => What::Network,
            Kind::Function(name) => stablehlo(vec![name]),
            Kind::Module => stablehlo(Vec::new()),
            Kind::Tuned => What::Tuned(Vec::new()),
            Kind::Vmfb => What::Vmfb(Vec::new()),
        }
    }

    /// The same for a file of this name: functions that go to a .vmfb make a program.
    fn written_to(self, destination: &Destination) -> Result<Self, Failure> {
        let Destination::File(path) = destination else {
            return Ok(self);
        };
        if path.extension() != Some("vmfb".as_ref()) {
            return Ok(self);
        }
        match self {
            What::Vmfb(functions) => Ok(What::Vmfb(functions)),
            What::Portable(functions) | What::Tuned(functions) if !functions.is_empty() => {
                Ok(What::Vmfb(functions))
            }
            _ => {
                let message = format!("`{}` is no name for text", path.display());
                Err(Failure::usage(message)
                    .hint("--emit=vmfb makes a program, --emit=step one of that function alone"))
            }
        }
    }

    /// Whether IREE's compiler has a part in it.
    pub fn needs_iree(&self) -> bool {
        !matches!(self, What::Ast | What::Network)
    }
}

/// One output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// What is written.
    pub what: What,
    /// Where.
    pub destination: Destination,
}

/// The outputs that the command line asks for.
pub fn resolve(
    emit: Vec<Emit>,
    output: Option<PathBuf>,
    tuned: bool,
) -> Result<Vec<Request>, Failure> {
    let shared = Destination::new(output.clone().unwrap_or_else(|| "-".into()));
    if emit.is_empty() {
        let what = What::of(default_kind(output.as_ref(), tuned)?, tuned);
        return checked(vec![Request {
            what,
            destination: shared,
        }]);
    }
    if output.is_some() && emit.iter().all(|item| item.path.is_some()) {
        let message = "-o is given, but every --emit has a path of its own";
        return Err(Failure::usage(message));
    }
    let mut requests: Vec<Request> = Vec::new();
    for Emit { kind, path } in emit {
        let destination = path.map_or_else(|| shared.clone(), Destination::new);
        let same = requests
            .iter_mut()
            .find(|request| request.destination == destination);
        match (same, kind.function()) {
            (None, _) => requests.push(Request {
                what: What::of(kind, tuned),
                destination,
            }),
            // Functions that go to one place make one module.
            (
                Some(Request {
                    what: What::Portable(functions) | What::Tuned(functions),
                    ..
                }),
                Some(name),
            ) if !functions.is_empty() => {
                functions.push(name);
            }
            (Some(_), _) => {
                let name = kind.name();
                let message = format!("--emit={name}: another output goes to the same place");
                return Err(Failure::usage(message).hint(format!("--emit={name}=PATH")));
            }
        }
    }
    checked(requests)
}

fn default_kind(output: Option<&PathBuf>, tuned: bool) -> Result<Kind, Failure> {
    let unsaid = if tuned { Kind::Tuned } else { Kind::Module };
    let Some(path) = output.filter(|path| path.as_os_str() != "-") else {
        return Ok(unsaid);
    };
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    Kind::of_extension(&extension, tuned).ok_or_else(|| {
        let path = path.display();
        Failure::usage(format!(
            "`{path}`: its extension does not say what to write"
        ))
        .hint(".mlir and .vmfb are known; --emit=KIND says it for any name")
    })
}

fn checked(requests: Vec<Request>) -> Result<Vec<Request>, Failure> {
    let fitted = |Request { what, destination }| {
        let what = What::written_to(what, &destination)?;
        Ok(Request { what, destination })
    };
    let requests = requests.into_iter().map(fitted);
    let requests = requests.collect::<Result<Vec<_>, Failure>>()?;
    let binary = |r: &&Request| matches!(r.what, What::Vmfb(_)) && r.destination.is_terminal();
    match requests.iter().find(binary) {
        Some(_) => Err(Failure::usage("a .vmfb is no text for a terminal").hint("-o FILE.vmfb")),
        None => Ok(requests),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolved(emit: &[&str], output: Option<&str>, tuned: bool) -> Result<Vec<Request>, Failure> {
        let emit = emit
            .iter()
            .map(|text| text.parse().expect("a kind"))
            .collect();
        resolve(emit, output.map(PathBuf::from), tuned)
    }

    fn only(emit: &[&str], output: Option<&str>, tuned: bool) -> What {
        let mut requests = resolved(emit, output, tuned).expect("resolved");
        assert_eq!(requests.len(), 1);
        requests.remove(0).what
    }

    #[test]
    fn the_extension_says_what_is_written() {
        assert_eq!(only(&[], Some("a.mlir"), false), What::Portable(vec![]));
        assert_eq!(only(&[], Some("a.mlir"), true), What::Tuned(vec![]));
        assert_eq!(only(&[], Some("a.vmfb"), false), What::Vmfb(vec![]));
        assert_eq!(only(&[], None, false), What::Portable(vec![]));
        assert_eq!(only(&["vmfb"], Some("a.bin"), false), What::Vmfb(vec![]));
        resolved(&[], Some("a.txt"), false).expect_err("unknown extension");
    }

    #[test]
    fn functions_of_one_place_make_one_module() {
        let both = What::Portable(vec!["forward", "train_step"]);
        assert_eq!(only(&["forward", "step"], None, false), both);
        let tuned = What::Tuned(vec!["forward", "train_step"]);
        assert_eq!(only(&["forward", "step"], None, true), tuned);
        let two = resolved(&["forward", "step=s.mlir"], Some("f.mlir"), false).expect("resolved");
        assert_eq!(two.len(), 2);
        assert_eq!(two[1].destination, Destination::File("s.mlir".into()));
    }

    #[test]
    fn functions_that_go_to_a_program_are_compiled() {
        for tuned in [false, true] {
            let both = What::Vmfb(vec!["init", "train_step"]);
            assert_eq!(only(&["init", "step"], Some("a.vmfb"), tuned), both);
        }
        let step = What::Vmfb(vec!["train_step"]);
        assert_eq!(only(&["step=s.vmfb"], None, false), step);
        for text in ["ast", "network", "module", "tuned"] {
            resolved(&[text], Some("a.vmfb"), false).expect_err("text");
        }
    }

    #[test]
    fn two_outputs_cannot_share_a_place() {
        for emit in [
            ["ast", "network"],
            ["module", "forward"],
            ["forward", "module"],
        ] {
            resolved(&emit, None, false).expect_err("one place");
        }
        resolved(&["ast=a", "network=a"], None, false).expect_err("one file");
        resolved(&["ast=a"], Some("b"), false).expect_err("-o for nothing");
    }

    #[test]
    fn kinds_are_read() {
        let emit: Emit = "step=a=b".parse().expect("a kind");
        assert_eq!(emit.path, Some(PathBuf::from("a=b")));
        assert_eq!(
            "stpe".parse::<Emit>(),
            Err("no such kind; did you mean `step`?".to_owned())
        );
        assert_eq!("ast=".parse::<Emit>(), Err("no path behind `=`".to_owned()));
    }
}
