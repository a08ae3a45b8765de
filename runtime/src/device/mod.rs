//! Devices: which there are, and opening one.

mod error;
mod list;
mod name;

use std::fmt;
use std::rc::Rc;

use eerie::runtime::{self as iree, BufferElement, BufferView};

pub use error::{DeviceError, IreeError};
pub use list::{DeviceDescription, available_devices, vulkan_devices};
pub use name::DeviceName;

use crate::reflection;
use crate::threads::{Threads, with_threads};
use list::available_names;

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
    /// [`DeviceError::NoLoader`] or [`DeviceError::NoDevice`] where Vulkan is missing, otherwise
    /// [`DeviceError::Open`] with IREE's message and the devices there are.
    pub fn open(name: &DeviceName, threads: Threads) -> Result<Self, DeviceError> {
        reflection::prepare()?;
        let failed = |message: String| DeviceError::Open {
            name: name.to_string(),
            message,
            available: available_names(),
        };
        if name.driver() == "vulkan" {
            vulkan_devices()?;
        }
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
