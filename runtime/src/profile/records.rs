//! IREE's profile records, as bytes, to what they say.

use std::collections::HashMap;
use std::mem::{offset_of, size_of};

use eerie_sys::runtime as sys;

use super::Dispatch;

type FunctionRecord = sys::iree_hal_profile_executable_function_record_t;
type ExecutionRecord = sys::iree_hal_profile_host_execution_event_t;

/// What a chunk of records is about.
const FUNCTIONS: &str = "application/vnd.iree.hal.profile.executable-functions";
const EXECUTIONS: &str = "application/vnd.iree.hal.profile.host-execution-events";

/// What was received of a session.
#[derive(Debug, Default)]
pub struct Records {
    /// Names by executable and number of the function in it.
    names: HashMap<(u64, u32), String>,
    events: Vec<Event>,
    /// Whether IREE told that it dropped some.
    pub incomplete: bool,
}

#[derive(Debug, Clone, Copy)]
struct Event {
    /// Submission and number of the command in it: the order of the program.
    order: (u64, u32),
    function: (u64, u32),
    start: i64,
    end: i64,
    busy: i64,
}

impl Records {
    /// Takes a chunk. Chunks of other content are none of ours.
    pub fn take(&mut self, content: &str, bytes: &[u8]) {
        match content {
            FUNCTIONS => self.functions(bytes),
            EXECUTIONS => self.executions(bytes),
            _ => {}
        }
    }

    /// The dispatches since the last call, in the order of the program.
    pub fn drain(&mut self) -> Vec<Dispatch> {
        let mut events = std::mem::take(&mut self.events);
        events.sort_by_key(|event| event.order);
        let name = |key: (u64, u32)| match self.names.get(&key) {
            Some(name) if !name.is_empty() => name.clone(),
            _ => format!("executable {} function {}", key.0, key.1),
        };
        let dispatch = |event: &Event| Dispatch {
            function: name(event.function),
            start: event.start,
            end: event.end.max(event.start),
            busy: event.busy,
        };
        events.iter().map(dispatch).collect()
    }

    fn functions(&mut self, mut bytes: &[u8]) {
        while let Some(length) = u32_at(bytes, offset_of!(FunctionRecord, record_length)) {
            let Some((record, rest)) = bytes.split_at_checked(length as usize) else {
                return;
            };
            let key = (
                u64_at(record, offset_of!(FunctionRecord, executable_id)),
                u32_at(record, offset_of!(FunctionRecord, function_ordinal)),
            );
            let name = u32_at(record, offset_of!(FunctionRecord, name_length)).and_then(|size| {
                let start = size_of::<FunctionRecord>();
                record.get(start..start.checked_add(size as usize)?)
            });
            if let ((Some(executable), Some(function)), Some(name)) = (key, name) {
                let name = String::from_utf8_lossy(name).into_owned();
                self.names.insert((executable, function), name);
            }
            if rest.len() == bytes.len() {
                return;
            }
            bytes = rest;
        }
    }

    fn executions(&mut self, mut bytes: &[u8]) {
        while let Some(length) = u32_at(bytes, offset_of!(ExecutionRecord, record_length)) {
            let Some((record, rest)) = bytes.split_at_checked(length as usize) else {
                return;
            };
            self.events.extend(execution(record));
            if rest.len() == bytes.len() {
                return;
            }
            bytes = rest;
        }
    }
}

/// The dispatch of a record, where it is one.
fn execution(record: &[u8]) -> Option<Event> {
    const DISPATCH: u32 =
        sys::iree_hal_profile_queue_event_type_e_IREE_HAL_PROFILE_QUEUE_EVENT_TYPE_DISPATCH;
    let kind = u32_at(record, offset_of!(ExecutionRecord, type_))?;
    if kind != DISPATCH {
        return None;
    }
    let time = |offset| u64_at(record, offset).map(u64::cast_signed);
    Some(Event {
        order: (
            u64_at(record, offset_of!(ExecutionRecord, submission_id))?,
            u32_at(record, offset_of!(ExecutionRecord, command_index))?,
        ),
        function: (
            u64_at(record, offset_of!(ExecutionRecord, executable_id))?,
            u32_at(record, offset_of!(ExecutionRecord, function_ordinal))?,
        ),
        start: time(offset_of!(ExecutionRecord, start_host_time_ns))?,
        end: time(offset_of!(ExecutionRecord, end_host_time_ns))?,
        busy: time(offset_of!(ExecutionRecord, tile_duration_sum_ns))?,
    })
}

fn u32_at(bytes: &[u8], offset: usize) -> Option<u32> {
    let field = bytes.get(offset..)?.first_chunk()?;
    Some(u32::from_ne_bytes(*field))
}

fn u64_at(bytes: &[u8], offset: usize) -> Option<u64> {
    let field = bytes.get(offset..)?.first_chunk()?;
    Some(u64::from_ne_bytes(*field))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Puts `value` at `offset`.
    fn put(record: &mut [u8], offset: usize, value: &[u8]) {
        record[offset..offset + value.len()].copy_from_slice(value);
    }

    fn function(executable: u64, ordinal: u32, name: &str) -> Vec<u8> {
        let mut record = vec![0; size_of::<FunctionRecord>()];
        let length = (record.len() + name.len()) as u32;
        put(&mut record, 0, &length.to_ne_bytes());
        put(&mut record, 8, &executable.to_ne_bytes());
        put(&mut record, 16, &ordinal.to_ne_bytes());
        put(&mut record, 44, &(name.len() as u32).to_ne_bytes());
        record.extend(name.bytes());
        record
    }

    fn execution(kind: u32, submission: u64, command: u32, ordinal: u32, start: i64) -> Vec<u8> {
        let mut record = vec![0; size_of::<ExecutionRecord>()];
        let length = record.len() as u32;
        put(&mut record, 0, &length.to_ne_bytes());
        put(&mut record, 4, &kind.to_ne_bytes());
        put(&mut record, 24, &submission.to_ne_bytes());
        put(&mut record, 40, &7_u64.to_ne_bytes());
        put(&mut record, 72, &command.to_ne_bytes());
        put(&mut record, 76, &ordinal.to_ne_bytes());
        put(&mut record, 104, &start.to_ne_bytes());
        put(&mut record, 112, &(start + 10).to_ne_bytes());
        put(&mut record, 136, &17_i64.to_ne_bytes());
        record
    }

    /// The offsets are those of IREE's `profile_schema.h`, which asserts the sizes.
    #[test]
    fn dispatches_come_by_name_in_the_order_of_the_program() {
        let mut records = Records::default();
        records.take(
            FUNCTIONS,
            &[function(7, 0, "a"), function(7, 1, "bc")].concat(),
        );
        let events = [
            execution(2, 2, 0, 0, 40),
            execution(2, 1, 5, 1, 20),
            execution(2, 1, 3, 0, 30),
            execution(3, 1, 4, 0, 0),
        ];
        records.take(EXECUTIONS, &events.concat());
        let found = records.drain();
        let names: Vec<_> = found
            .iter()
            .map(|d| (d.function.as_str(), d.start))
            .collect();
        assert_eq!(names, [("a", 30), ("bc", 20), ("a", 40)]);
        assert_eq!((found[0].end, found[0].busy), (40, 17));
        assert!(records.drain().is_empty());
    }

    #[test]
    fn damaged_records_are_left_out() {
        let mut records = Records::default();
        records.take(EXECUTIONS, &[0; 200]);
        records.take(FUNCTIONS, &function(7, 0, "a")[..50]);
        records.take(EXECUTIONS, &execution(2, 1, 0, 9, 0)[..100]);
        assert!(records.drain().is_empty());
        records.take(EXECUTIONS, &execution(2, 1, 0, 9, 0));
        assert_eq!(records.drain()[0].function, "executable 7 function 9");
    }
}
