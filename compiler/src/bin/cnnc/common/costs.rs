//! What `cnnc tune` has measured on this machine, in the user's cache.

use std::fs;
use std::path::PathBuf;
use std::thread;

use cnnc::iree::IREE_VERSION;
use cnnc::tune::Costs;
use cnnc_runtime::atomic::write_atomically;
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::console::Console;
use super::cpu;
use super::failure::Failure;
use super::places;

/// Layout of the file.
const VERSION: u32 = 1;

/// What the times depend on besides the programs.
pub fn machine() -> String {
    let features = Sha256::digest(cpu::features());
    let features: String = features
        .iter()
        .take(4)
        .map(|b| format!("{b:02x}"))
        .collect();
    let cores = thread::available_parallelism().map_or(0, usize::from);
    let cpu = cpu::name();
    format!("{cpu} with features {features}, {cores} cores, IREE {IREE_VERSION}, table {VERSION}")
}

/// The table's file; `None` where this user has no cache.
pub fn path() -> Option<PathBuf> {
    Some(places::cache()?.join("costs.json"))
}

/// The table of this machine, empty where there is none.
pub fn load(console: &Console) -> Costs {
    let Some(path) = path() else {
        return Costs::default();
    };
    let Ok(text) = fs::read_to_string(&path) else {
        return Costs::default();
    };
    let path = path.display();
    let read = serde_json::from_str::<Value>(&text).ok();
    let read = read.and_then(|json| Some((json.get("machine")?.clone(), Costs::from_json(&json)?)));
    match read {
        Some((of, costs)) if of == machine() => {
            console.detail(&format!(
                "{} choices measured by `cnnc tune`: {path}",
                costs.choices()
            ));
            costs
        }
        Some(_) => {
            console.detail(&format!("not of this machine, and not used: {path}"));
            Costs::default()
        }
        None => {
            console.warn(&format!(
                "`{path}` is no table of costs; `cnnc tune` makes a new one"
            ));
            Costs::default()
        }
    }
}

/// Keeps the table instead of what was there. Returns where.
pub fn store(costs: &Costs) -> Result<PathBuf, Failure> {
    let path = path().ok_or_else(|| {
        Failure::new("there is no place for what was measured")
            .hint("set XDG_CACHE_HOME or HOME, or use --dry-run")
    })?;
    let mut json = costs.to_json();
    if let Some(entries) = json.as_object_mut() {
        entries.insert("machine".to_owned(), machine().into());
    }
    let folder = path.parent().map_or(Ok(()), fs::create_dir_all);
    folder
        .and_then(|()| write_atomically(&path, format!("{json:#}\n").as_bytes()))
        .map_err(|error| Failure::new(format!("cannot write `{}`: {error}", path.display())))?;
    Ok(path)
}
