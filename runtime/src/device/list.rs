//! Which devices there are.

use eerie::runtime::{self as iree, Driver};

use super::error::DeviceError;
use super::name::DRIVERS;

/// A device that can be opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceDescription {
    /// Name that [`DeviceName`](super::DeviceName) parses.
    pub name: String,
    /// The driver's description of it.
    pub description: String,
}

/// Whether this binary has the driver.
pub(super) fn linked(driver: &str) -> bool {
    match driver {
        "local-task" | "local-sync" => true,
        "vulkan" => cfg!(feature = "vulkan"),
        "metal" => cfg!(all(target_os = "macos", target_arch = "aarch64")),
        _ => false,
    }
}

/// Devices of every driver linked into this binary.
pub fn available_devices() -> Vec<DeviceDescription> {
    let drivers = DRIVERS.iter().map(|(driver, _)| *driver);
    drivers
        .filter_map(|driver| devices_of(driver).ok())
        .flatten()
        .collect()
}

pub(super) fn available_names() -> String {
    let names: Vec<_> = available_devices().into_iter().map(|d| d.name).collect();
    names.join(", ")
}

/// The Vulkan devices, or why there is none.
///
/// # Errors
/// [`DeviceError::NoDriver`], [`DeviceError::NoLoader`], [`DeviceError::NoDevice`], or
/// [`DeviceError::Open`] with IREE's message where it is something else.
pub fn vulkan_devices() -> Result<Vec<DeviceDescription>, DeviceError> {
    let name = "vulkan".to_owned();
    if !linked(&name) {
        let available = available_names();
        return Err(DeviceError::NoDriver { name, available });
    }
    match devices_of("vulkan") {
        Ok(devices) if !devices.is_empty() => Ok(devices),
        Ok(_) => Err(DeviceError::NoDevice { name }),
        // eerie hands IREE's messages on as text alone.
        Err(message) if message.contains("loader library not found") => {
            Err(DeviceError::NoLoader { name })
        }
        Err(message) if message.contains("INCOMPATIBLE_DRIVER") => {
            Err(DeviceError::NoDevice { name })
        }
        Err(message) => Err(DeviceError::Open {
            name,
            message,
            available: available_names(),
        }),
    }
}

fn devices_of(driver: &'static str) -> Result<Vec<DeviceDescription>, String> {
    if !linked(driver) {
        return Ok(Vec::new());
    }
    let devices = iree::Runtime::available_devices(Driver::custom(driver));
    let described = |device: iree::DeviceInfo| DeviceDescription {
        name: match device.ordinal() {
            0 => driver.to_string(),
            ordinal => format!("{driver}:{ordinal}"),
        },
        description: device.name().to_string(),
    };
    match devices {
        Ok(devices) => Ok(devices.into_iter().map(described).collect()),
        Err(error) => Err(error.to_string()),
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

    /// What `vulkan_devices` says and what is listed are the same.
    #[test]
    fn vulkan_devices_are_listed_or_their_absence_explained() {
        let listed: Vec<_> = available_devices()
            .into_iter()
            .filter(|d| d.name.starts_with("vulkan"))
            .collect();
        match vulkan_devices() {
            Ok(found) => {
                assert_eq!(found, listed);
                assert_eq!(found[0].name, "vulkan");
            }
            Err(error) => {
                assert_eq!(listed, []);
                let text = error.to_string();
                assert!(text.starts_with("device `vulkan`: "), "{text}");
            }
        }
    }
}
