//! The bytes of a checkpoint.
//!
//! Written here rather than by the safetensors crate, whose header follows the order of a hash
//! map: the same checkpoint shall be the same bytes. Read by the crate.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::str::FromStr;

use flate2::Crc;
use safetensors::SafeTensors;
use safetensors::tensor::{Dtype as FileType, TensorView};
use serde_json::{Map, Value, json};

use super::{CheckpointError, Metadata};
use crate::manifest::Dtype;
use crate::train::Begun;

/// A tensor on its way into a file.
pub(super) struct RawTensor {
    pub name: String,
    pub dtype: Dtype,
    pub shape: Vec<usize>,
    pub bytes: Vec<u8>,
}

/// The content of a file.
#[derive(Debug)]
pub(super) struct Found<'a> {
    pub tensors: BTreeMap<String, TensorView<'a>>,
    pub metadata: Option<Metadata>,
}

const VERSION_KEY: &str = "cnnc_version";
const CHECKSUM_KEY: &str = "crc32";
const EPOCHS_KEY: &str = "epochs";
/// Of an unfinished epoch: steps, examples, correct labels, sum of losses.
const BEGUN_KEYS: [&str; 4] = [
    "begun_steps",
    "begun_examples",
    "begun_correct",
    "begun_loss",
];

pub(super) fn safetensors_type(dtype: Dtype) -> FileType {
    match dtype {
        Dtype::F32 => FileType::F32,
        Dtype::I32 => FileType::I32,
        Dtype::I64 => FileType::I64,
        Dtype::U32 => FileType::U32,
        Dtype::U64 => FileType::U64,
    }
}

/// Length of the header (u64), header (JSON, padded to 8 bytes), tensors one after another with
/// the widest elements first, so that all are aligned.
pub(super) fn encode(tensors: &[RawTensor], metadata: &Metadata) -> Vec<u8> {
    let mut tensors: Vec<&RawTensor> = tensors.iter().collect();
    tensors.sort_by_key(|tensor| std::cmp::Reverse(width(tensor.dtype)));
    let mut entries = BTreeMap::from([
        ("net".to_string(), metadata.net.clone()),
        ("epoch".to_string(), metadata.epoch.to_string()),
        ("step".to_string(), metadata.step.to_string()),
        ("seed".to_string(), metadata.seed.to_string()),
        (EPOCHS_KEY.to_string(), metadata.epochs.to_string()),
        (VERSION_KEY.to_string(), metadata.version.clone()),
    ]);
    let begun = metadata.begun;
    if begun != Begun::default() {
        let values = [
            begun.steps.to_string(),
            begun.examples.to_string(),
            begun.correct.to_string(),
            // The shortest text that gives the same number again.
            format!("{:?}", begun.loss),
        ];
        let keys = BEGUN_KEYS.map(str::to_string);
        entries.extend(keys.into_iter().zip(values));
    }
    let mut checksum = Checksum::new(&entries);
    let mut by_name: Vec<&&RawTensor> = tensors.iter().collect();
    by_name.sort_by(|one, two| one.name.cmp(&two.name));
    for tensor in by_name {
        let dtype = safetensors_type(tensor.dtype);
        checksum.tensor(&tensor.name, dtype, &tensor.shape, &tensor.bytes);
    }
    entries.insert(CHECKSUM_KEY.into(), checksum.text());
    // serde_json's map is sorted by key.
    let mut header = Map::from_iter([("__metadata__".to_string(), json!(entries))]);
    let mut offset = 0;
    for tensor in &tensors {
        let end = offset + tensor.bytes.len();
        let entry = json!({
            "dtype": format!("{:?}", safetensors_type(tensor.dtype)),
            "shape": tensor.shape,
            "data_offsets": [offset, end],
        });
        header.insert(tensor.name.clone(), entry);
        offset = end;
    }
    let mut header = Value::Object(header).to_string();
    while !header.len().is_multiple_of(8) {
        header.push(' ');
    }
    let mut bytes = Vec::with_capacity(8 + header.len() + offset);
    bytes.extend((header.len() as u64).to_le_bytes());
    bytes.extend(header.into_bytes());
    for tensor in tensors {
        bytes.extend(&tensor.bytes);
    }
    bytes
}

/// Reads a file and compares its checksum, where it has one.
pub(super) fn decode<'a>(path: &Path, bytes: &'a [u8]) -> Result<Found<'a>, CheckpointError> {
    let damaged = |message: String| CheckpointError::Damaged {
        file: path.into(),
        size: bytes.len(),
        message,
    };
    let file = SafeTensors::deserialize(bytes).map_err(|error| damaged(error.to_string()))?;
    let (_, header) =
        SafeTensors::read_metadata(bytes).map_err(|error| damaged(error.to_string()))?;
    let tensors: BTreeMap<String, TensorView<'a>> = file.tensors().into_iter().collect();
    let metadata = match header.metadata() {
        Some(entries) if ours(entries) => {
            let mut entries: BTreeMap<_, _> = entries.clone().into_iter().collect();
            let stated = entries.remove(CHECKSUM_KEY).unwrap_or_default();
            let mut checksum = Checksum::new(&entries);
            for (name, tensor) in &tensors {
                checksum.tensor(name, tensor.dtype(), tensor.shape(), tensor.data());
            }
            let found = checksum.text();
            if stated != found {
                return Err(damaged(format!(
                    "its checksum is {found}, its header says `{stated}`"
                )));
            }
            Some(read_metadata(&entries).map_err(damaged)?)
        }
        _ => None,
    };
    Ok(Found { tensors, metadata })
}

/// Either key tells, so that damage to one of them does not hide the other.
fn ours(entries: &HashMap<String, String>) -> bool {
    entries.contains_key(VERSION_KEY) || entries.contains_key(CHECKSUM_KEY)
}

fn read_metadata(entries: &BTreeMap<String, String>) -> Result<Metadata, String> {
    let text = |key: &str| {
        let value = entries.get(key);
        value
            .cloned()
            .ok_or_else(|| format!("no `{key}` in its header"))
    };
    fn parse<T: FromStr>(key: &str, value: &str) -> Result<T, String> {
        let parsed = value.parse::<T>();
        parsed.map_err(|_| format!("`{key}` in its header is `{value}`, expected a number"))
    }
    let number = |key: &str| parse::<u64>(key, &text(key)?);
    // What files of earlier versions lack.
    let later = |key: &str| entries.get(key).map_or(Ok(0), |value| parse(key, value));
    let [steps, examples, correct, loss] = BEGUN_KEYS;
    Ok(Metadata {
        net: text("net")?,
        epoch: number("epoch")?,
        step: number("step")?,
        begun: Begun {
            steps: later(steps)?,
            examples: later(examples)?,
            correct: later(correct)?,
            loss: entries
                .get(loss)
                .map_or(Ok(0.0), |value| parse(loss, value))?,
        },
        epochs: later(EPOCHS_KEY)?,
        seed: number("seed")?,
        version: text(VERSION_KEY)?,
    })
}

fn width(dtype: Dtype) -> usize {
    match dtype {
        Dtype::F32 | Dtype::I32 | Dtype::U32 => 4,
        Dtype::I64 | Dtype::U64 => 8,
    }
}

/// CRC-32 over the metadata and then each tensor by name: everything that is not padding.
struct Checksum(Crc);

impl Checksum {
    fn new(metadata: &BTreeMap<String, String>) -> Self {
        let mut crc = Crc::new();
        for (key, value) in metadata {
            crc.update(format!("{key}={value}\n").as_bytes());
        }
        Self(crc)
    }

    fn tensor(&mut self, name: &str, dtype: FileType, shape: &[usize], bytes: &[u8]) {
        self.0
            .update(format!("{name} {dtype:?} {shape:?}\n").as_bytes());
        self.0.update(bytes);
    }

    fn text(&self) -> String {
        format!("{:08x}", self.0.sum())
    }
}
