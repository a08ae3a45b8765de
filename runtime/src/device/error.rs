//! Why a device cannot be used.

use eerie::runtime as iree;
use thiserror::Error;

use crate::reflection::ReflectionError;

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
    /// The text names no driver.
    #[error("unknown device `{name}`; available: {available}")]
    Unknown {
        /// As asked for.
        name: String,
        /// Names that would work on this machine, comma-separated.
        available: String,
    },
    /// IREE has such a driver, this binary does not.
    #[error("device `{name}`: this program has no driver for it; available: {available}")]
    NoDriver {
        /// As asked for.
        name: String,
        /// Names that would work on this machine, comma-separated.
        available: String,
    },
    /// The driver works with a library of the system that is not there.
    #[error("device `{name}`: the Vulkan loader (libvulkan.so.1) is not on this machine")]
    NoLoader {
        /// As asked for.
        name: String,
    },
    /// The driver found no device at all.
    #[error("device `{name}`: the Vulkan loader finds no device")]
    NoDevice {
        /// As asked for.
        name: String,
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
