//! Devices: which there are, and opening one.

use std::fmt;
use std::rc::Rc;
use std::str::FromStr;

use eerie::runtime::{self as iree, BufferElement, BufferView, DeviceSpec, Driver};
use thiserror::Error;

use crate::reflection::{self, ReflectionError};
use crate::threads::{Threads, with_threads};

/// Drivers that may be linked into this binary, best first for a machine without accelerator.
const DRIVERS: [&str; 5] = ["local-task", "local-sync", "vulkan", "cuda", "metal"];

/// A failure inside IREE, as text.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("IREE failed to {action}: {message}")]
pub struct IreeError {
    /// What was asked of it.
    pub action: &'static str,
    /// Its own message.
    pub message: String,
}

impl IreeError {
    pub(crate) fn new(action: &'static str, error: &iree::RuntimeError) -> Self {
        Self {
            action,
            message: error.to_string(),
        }
    }
}

/// Why a device cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum DeviceError {
    /// The text names no driver of this binary.
    #[error("unknown device `{name}`; available: {available}")]
    Unknown {
        /// As asked for.
        name: String,
        /// Names that would work on this machine, comma-separated.
        available: String,
    },
    /// The driver exists but the device could not be opened.
    #[error("device `{name}` cannot be opened: {message}; available: {available}")]
    Open {
        /// As asked for.
        name: String,
        /// IREE's message.
        message: String,
        /// Names that would work on this machine, comma-separated.
        available: String,
    },
    /// IREE itself could not be started.
    #[error(transparent)]
    Start(#[from] ReflectionError),
}

/// A device by name: `local-task`, `vulkan`, `vulkan:1`, `vulkan://PATH`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceName {
    text: String,
    driver: &'static str,
    spec: DeviceSpec,
}

impl DeviceName {
    /// The driver's name.
    pub fn driver(&self) -> &'static str {
        self.driver
    }

    /// Whether programs run on the CPU of this machine.
    pub fn is_cpu(&self) -> bool {
        self.driver.starts_with("local-")
    }
}

impl Default for DeviceName {
    /// `local-task`: all cores of this machine's CPU.
    fn default() -> Self {
        Self {
            text: "local-task".into(),
            driver: "local-task",
            spec: DeviceSpec::local_task(),
        }
    }
}

impl fmt::Display for DeviceName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl FromStr for DeviceName {
    type Err = DeviceError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let unknown = || DeviceError::Unknown {
            name: text.into(),
            available: available_names(),
        };
        let (name, rest) = match text.split_once(':') {
            Some((name, rest)) => (name, Some(rest)),
            None => (text, None),
        };
        let driver = *DRIVERS
            .iter()
            .find(|driver| **driver == name)
            .ok_or_else(unknown)?;
        let spec = DeviceSpec::custom(driver);
        let spec = match rest {
            None => spec,
            Some(rest) => match (rest.strip_prefix("//"), rest.parse::<usize>()) {
                (Some(path), _) => spec.path(path),
                (None, Ok(ordinal)) => spec.ordinal(ordinal),
                (None, Err(_)) => return Err(unknown()),
            },
        };
        Ok(Self {
            text: text.into(),
            driver,
            spec,
        })
    }
}

/// A device that can be opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceDescription {
    /// Name that [`DeviceName`] parses.
    pub name: String,
    /// The driver's description of it.
    pub description: String,
}

/// Devices of every driver linked into this binary.
pub fn available_devices() -> Vec<DeviceDescription> {
    DRIVERS
        .iter()
        .filter_map(|&driver| {
            let devices = iree::Runtime::available_devices(Driver::custom(driver)).ok()?;
            Some(devices.into_iter().map(move |device| DeviceDescription {
                name: match device.ordinal() {
                    0 => driver.to_string(),
                    ordinal => format!("{driver}:{ordinal}"),
                },
                description: device.name().to_string(),
            }))
        })
        .flatten()
        .collect()
}

fn available_names() -> String {
    let names: Vec<_> = available_devices().into_iter().map(|d| d.name).collect();
    names.join(", ")
}

/// An open device. Programs are loaded into it and share its buffers.
///
/// IREE's handles are bound to one thread, and so is this. Clones are the same device.
#[derive(Clone)]
pub struct Runtime {
    inner: Rc<iree::Runtime>,
    name: DeviceName,
}

impl fmt::Debug for Runtime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Runtime").field("name", &self.name).finish()
    }
}

impl Runtime {
    /// Opens a device. `threads` concerns `local-task` only.
    ///
    /// # Errors
    /// [`DeviceError::Open`] with IREE's message and the devices there are.
    pub fn open(name: &DeviceName, threads: Threads) -> Result<Self, DeviceError> {
        reflection::prepare()?;
        let failed = |message: String| DeviceError::Open {
            name: name.to_string(),
            message,
            available: available_names(),
        };
        let inner = with_threads(threads, || iree::Runtime::new(name.spec.clone()))
            .map_err(failed)?
            .map_err(|error| failed(error.to_string()))?;
        Ok(Self {
            inner: Rc::new(inner),
            name: name.clone(),
        })
    }

    /// The name it was opened by.
    pub fn name(&self) -> &DeviceName {
        &self.name
    }

    pub(crate) fn load(&self, vmfb: &[u8]) -> Result<iree::Program, IreeError> {
        self.inner
            .load_vmfb(vmfb)
            .map_err(|error| IreeError::new("load the program", &error))
    }

    /// Copies `data` (row-major) into a new buffer on the device.
    pub(crate) fn buffer<T: BufferElement>(
        &self,
        shape: &[usize],
        data: &[T],
    ) -> Result<BufferView<T>, IreeError> {
        self.inner
            .buffer_view(shape, data)
            .map_err(|error| IreeError::new("copy data to the device", &error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cpu_devices_are_always_there() {
        let names: Vec<_> = available_devices().into_iter().map(|d| d.name).collect();
        assert!(
            names.starts_with(&["local-task".into(), "local-sync".into()]),
            "{names:?}"
        );
    }

    #[test]
    fn names() {
        let name: DeviceName = "local-task".parse().expect("known");
        assert_eq!(name.spec, DeviceName::default().spec);
        assert!(name.is_cpu());
        let name: DeviceName = "vulkan:1".parse().expect("known");
        assert_eq!(name.spec, DeviceSpec::vulkan().ordinal(1));
        assert!(!name.is_cpu());
        let name: DeviceName = "vulkan://GPU-0".parse().expect("known");
        assert_eq!(name.spec, DeviceSpec::vulkan().path("GPU-0"));
    }

    #[test]
    fn an_unknown_device_is_answered_with_the_known_ones() {
        for text in ["gpu", "", "vulkan:first", "local_task"] {
            let error = text.parse::<DeviceName>().expect_err("unknown").to_string();
            let start = format!("unknown device `{text}`; available: local-task, local-sync");
            assert!(error.starts_with(&start), "{error}");
        }
    }

    #[test]
    fn a_device_that_is_not_linked_cannot_be_opened() {
        let name: DeviceName = "cuda".parse().expect("a known name");
        if available_names().contains("cuda") {
            return;
        }
        let error = Runtime::open(&name, Threads::PerCore).expect_err("not linked");
        assert!(
            error
                .to_string()
                .starts_with("device `cuda` cannot be opened: "),
            "{error}"
        );
    }
}
