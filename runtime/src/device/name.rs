//! What devices are called.

use std::fmt;
use std::str::FromStr;

use eerie::runtime::DeviceSpec;

use super::error::DeviceError;
use super::list::{available_names, linked};

/// Drivers that devices may be named by, best first for a machine without accelerator, each with
/// what a program for its devices is compiled for.
pub(super) const DRIVERS: [(&str, &str); 6] = [
    ("local-task", CPU),
    ("local-sync", CPU),
    ("vulkan", "vulkan"),
    ("cuda", "cuda"),
    ("hip", "rocm"),
    ("metal", "metal"),
];

const CPU: &str = "cpu";

/// A device by name: `cpu`, `local-task`, `vulkan`, `vulkan:1`, `vulkan://PATH`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceName {
    text: String,
    driver: &'static str,
    target: &'static str,
    pub(super) spec: DeviceSpec,
}

impl DeviceName {
    /// The driver's name.
    pub fn driver(&self) -> &'static str {
        self.driver
    }

    /// What a program for this device is compiled for, as its manifest says.
    pub fn target(&self) -> &'static str {
        self.target
    }

    /// Whether programs run on the CPU of this machine.
    pub fn is_cpu(&self) -> bool {
        self.target == CPU
    }
}

impl Default for DeviceName {
    /// `local-task`: all cores of this machine's CPU.
    fn default() -> Self {
        Self {
            text: "local-task".into(),
            driver: "local-task",
            target: CPU,
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
        if text == CPU {
            return Ok(Self::default());
        }
        let unknown = || DeviceError::Unknown {
            name: text.into(),
            available: available_names(),
        };
        let (name, rest) = match text.split_once(':') {
            Some((name, rest)) => (name, Some(rest)),
            None => (text, None),
        };
        let (driver, target) = *DRIVERS
            .iter()
            .find(|(driver, _)| *driver == name)
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
        if !linked(driver) {
            return Err(DeviceError::NoDriver {
                name: text.into(),
                available: available_names(),
            });
        }
        Ok(Self {
            text: text.into(),
            driver,
            target,
            spec,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        let name: DeviceName = "local-task".parse().expect("known");
        assert_eq!(name, DeviceName::default());
        assert_eq!(name, "cpu".parse().expect("known"));
        assert!(name.is_cpu());
        assert_eq!(name.target(), "cpu");
    }

    #[cfg(feature = "vulkan")]
    #[test]
    fn names_of_vulkan_devices() {
        let name: DeviceName = "vulkan:1".parse().expect("known");
        assert_eq!(name.spec, DeviceSpec::vulkan().ordinal(1));
        assert!(!name.is_cpu());
        assert_eq!((name.driver(), name.target()), ("vulkan", "vulkan"));
        let name: DeviceName = "vulkan://GPU-0".parse().expect("known");
        assert_eq!(name.spec, DeviceSpec::vulkan().path("GPU-0"));
        assert_eq!(name.to_string(), "vulkan://GPU-0");
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
    fn a_driver_that_is_not_linked_is_no_device() {
        let error = "hip:1".parse::<DeviceName>().expect_err("not linked");
        let start = "device `hip:1`: this program has no driver for it; available: local-task";
        assert!(error.to_string().starts_with(start), "{error}");
    }
}
