//! `cnnc doctor`: what was found, what is missing, and how to get it.

use cnnc::iree::{IREE_VERSION, candidates};
use cnnc_runtime::device::{available_devices, vulkan_devices};
use serde_json::json;

use super::common::console::{print, print_json};
use super::common::data::KNOWN;
use super::common::engine::remedy;
use super::common::{Console, Failure, costs, cpu, library, places};

/// A module that IREE must accept.
const PROBE: &str = "func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {\n  \
                     %y = stablehlo.add %x, %x : tensor<2xf32>\n  return %y : tensor<2xf32>\n}\n";

/// Check that everything needed is there
///
/// Exits with 1 if something needed is missing. Data sets are needed for training on them only.
#[derive(Debug, clap::Args)]
#[command(before_help = "Examples:\n  cnnc doctor\n  cnnc doctor --json")]
pub struct Args {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// One thing that was looked for.
struct Finding {
    what: String,
    state: State,
    details: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Found,
    /// Something can be done without it.
    Absent,
    /// Nothing can.
    Missing,
}

impl State {
    fn word(self) -> &'static str {
        match self {
            State::Found => "ok",
            State::Absent => "absent",
            State::Missing => "MISSING",
        }
    }
}

impl Finding {
    fn new(what: impl Into<String>, state: State, details: Vec<String>) -> Self {
        Finding {
            what: what.into(),
            state,
            details,
        }
    }
}

pub fn run(args: &Args, _console: &Console) -> Result<(), Failure> {
    let mut findings = compiler();
    findings.push(devices());
    findings.extend(no_vulkan());
    findings.push(processor());
    findings.extend(data_sets());
    findings.push(cache());
    findings.push(measured());
    let healthy = findings
        .iter()
        .all(|finding| finding.state != State::Missing);
    if args.json {
        print_json(&json!({
            "ok": healthy,
            "findings": findings.iter().map(|f| json!({
                "what": f.what, "state": f.state.word().to_lowercase(), "details": f.details,
            })).collect::<Vec<_>>(),
        }))?;
    } else {
        print(
            findings
                .iter()
                .map(paragraph)
                .collect::<String>()
                .as_bytes(),
        )?;
    }
    match healthy {
        true => Ok(()),
        false => Err(Failure::silent(1)),
    }
}

fn paragraph(finding: &Finding) -> String {
    let mut text = format!("{:<8} {}\n", finding.state.word(), finding.what);
    for detail in &finding.details {
        text.push_str(&format!("         {detail}\n"));
    }
    text
}

fn compiler() -> Vec<Finding> {
    let what = format!("IREE's compiler {IREE_VERSION}");
    let iree = match library::find() {
        Ok(iree) => iree,
        Err(_) => {
            let mut details = vec!["get it: `make deps`, or set CNNC_IREE".to_owned()];
            details.extend(
                candidates()
                    .into_iter()
                    .map(|c| format!("not in {}", c.origin)),
            );
            return vec![Finding::new(what, State::Missing, details)];
        }
    };
    let mut details = vec![iree.library().display().to_string()];
    let revision = iree.revision();
    if !revision.is_empty() {
        details.push(format!("revision {revision}"));
    }
    let state = match iree.pretty(PROBE, "") {
        Ok(_) => State::Found,
        Err(error) => {
            details.push(format!("it does not read StableHLO: {error}"));
            State::Missing
        }
    };
    let tool = iree.library().with_file_name("iree-opt");
    let tool_found = tool.is_file();
    let tool_details = match tool_found {
        true => vec![tool.display().to_string()],
        false => vec![
            format!("not at {}; `make deps` installs it", tool.display()),
            "needed by cnnc-opt for modules in pretty form".to_owned(),
        ],
    };
    let tool_state = if tool_found {
        State::Found
    } else {
        State::Absent
    };
    vec![
        Finding::new(what, state, details),
        Finding::new("iree-opt", tool_state, tool_details),
    ]
}

fn devices() -> Finding {
    let devices = available_devices();
    let state = if devices.is_empty() {
        State::Missing
    } else {
        State::Found
    };
    let lines = devices.into_iter().map(|d| match d.description.is_empty() {
        true => d.name,
        false => format!("{} ({})", d.name, d.description),
    });
    Finding::new("devices", state, lines.collect())
}

/// Why no Vulkan device is among them.
fn no_vulkan() -> Option<Finding> {
    let error = vulkan_devices().err()?;
    let remedy = remedy(&error).map(str::to_owned);
    let details = [error.to_string()].into_iter().chain(remedy).collect();
    Some(Finding::new("Vulkan device", State::Absent, details))
}

fn processor() -> Finding {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let features = cpu::features();
    let told: Vec<&str> = features
        .split(',')
        .filter_map(|feature| feature.strip_prefix('+'))
        .filter(|name| name.starts_with("avx") || ["fma", "neon", "sve"].contains(name))
        .collect();
    let what = format!("CPU {}, {threads} threads", cpu::name());
    Finding::new(what, State::Found, vec![told.join(" ")])
}

fn data_sets() -> impl Iterator<Item = Finding> {
    KNOWN.iter().map(|known| {
        let what = format!("data set {}", known.name);
        match known.find() {
            Some(folder) => Finding::new(what, State::Found, vec![folder.display().to_string()]),
            None => Finding::new(what, State::Absent, vec![known.get.to_owned()]),
        }
    })
}

/// What `cnnc tune` has found here.
fn measured() -> Finding {
    let path = costs::path().filter(|path| path.exists());
    let (state, place) = match path {
        Some(path) => (State::Found, path.display().to_string()),
        None => (State::Absent, "`cnnc tune` makes one".to_owned()),
    };
    Finding::new("table of costs", state, vec![place, costs::machine()])
}

fn cache() -> Finding {
    match places::cache() {
        Some(folder) => {
            let detail = folder.display().to_string();
            Finding::new("cache of compiled programs", State::Found, vec![detail])
        }
        None => {
            let detail = "neither XDG_CACHE_HOME nor HOME is set: nothing is cached";
            Finding::new(
                "cache of compiled programs",
                State::Absent,
                vec![detail.to_owned()],
            )
        }
    }
}
