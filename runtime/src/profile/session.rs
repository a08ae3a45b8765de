//! A device and a program in it, by IREE's own handles.

use eerie_sys::runtime as sys;
use std::ptr;

use super::raw::{Owned, done, view};
use crate::device::{DeviceError, DeviceName, IreeError};
use crate::reflection::{allocator, bytecode_module, prepare, vm_instance};
use crate::threads::{Threads, with_threads};

/// An argument or a result of a function.
pub type View = Owned<sys::iree_hal_buffer_view_t>;

const DEVICE: &str = "open the device";
const PROGRAM: &str = "load the program";
const CALL: &str = "run the program";

/// A device of the CPU. The fields are dropped in this order.
pub struct Device {
    group: Owned<sys::iree_hal_device_group_t>,
    device: Owned<sys::iree_hal_device_t>,
    _driver: Owned<sys::iree_hal_driver_t>,
    _registry: Owned<sys::iree_hal_driver_registry_t>,
}

impl Device {
    pub fn open(name: &DeviceName, threads: Threads) -> Result<Self, DeviceError> {
        prepare()?;
        let failed = |message: String| DeviceError::Open {
            name: name.to_string(),
            message,
            available: String::new(),
        };
        with_threads(threads, || Self::create(name.driver()))
            .map_err(failed)?
            .map_err(|error| failed(error.to_string()))
    }

    /// The steps are those by which eerie opens a device.
    fn create(driver: &str) -> Result<Self, IreeError> {
        let registry = Owned::make(DEVICE, sys::iree_hal_driver_registry_free, |out| {
            // SAFETY: the allocator is IREE's own; `out` takes one pointer.
            unsafe { sys::iree_hal_driver_registry_allocate(allocator(), out) }
        })?;
        // SAFETY: the registry is alive and empty.
        let status = unsafe { sys::iree_hal_register_all_available_drivers(registry.raw()) };
        done(DEVICE, status)?;
        let driver = Owned::make(DEVICE, sys::iree_hal_driver_release, |out| {
            // SAFETY: the registry is alive; the name is read during the call.
            unsafe {
                sys::iree_hal_driver_registry_try_create(
                    registry.raw(),
                    view(driver),
                    allocator(),
                    out,
                )
            }
        })?;
        let pool = Owned::make(DEVICE, sys::iree_async_proactor_pool_release, |out| {
            // SAFETY: one node and no list of nodes, as IREE allows; `out` takes one pointer.
            unsafe {
                let options = sys::iree_async_proactor_pool_options_default();
                sys::iree_async_proactor_pool_create(1, ptr::null(), options, allocator(), out)
            }
        })?;
        let parameters = sys::iree_hal_device_create_params_t {
            proactor_pool: pool.raw(),
            ..Default::default()
        };
        let device = Owned::make(DEVICE, sys::iree_hal_device_release, |out| {
            // SAFETY: driver and parameters are alive; the device keeps the pool by itself.
            unsafe {
                sys::iree_hal_driver_create_default_device(
                    driver.raw(),
                    &parameters,
                    allocator(),
                    out,
                )
            }
        })?;
        let tracker = Owned::make(DEVICE, sys::iree_async_frontier_tracker_release, |out| {
            let options = sys::iree_async_frontier_tracker_options_t {
                axis_table_capacity: 256,
                session_epoch: 1,
                machine_index: 0,
            };
            // SAFETY: the options are passed by value; `out` takes one pointer.
            unsafe { sys::iree_async_frontier_tracker_create(options, allocator(), out) }
        })?;
        let group = Owned::make(DEVICE, sys::iree_hal_device_group_release, |out| {
            // SAFETY: both handles are alive; the group keeps them by itself.
            unsafe {
                sys::iree_hal_device_group_create_from_device(
                    device.raw(),
                    tracker.raw(),
                    allocator(),
                    out,
                )
            }
        })?;
        Ok(Device {
            group,
            device,
            _driver: driver,
            _registry: registry,
        })
    }

    pub fn raw(&self) -> *mut sys::iree_hal_device_t {
        self.device.raw()
    }

    /// Copies row-major values into a new buffer.
    pub fn buffer<T: Element>(&self, shape: &[usize], values: &[T]) -> Result<View, IreeError> {
        let bytes = sys::iree_const_byte_span_t {
            data: values.as_ptr().cast(),
            data_length: size_of_val(values),
        };
        let parameters = sys::iree_hal_buffer_params_t {
            usage: sys::iree_hal_buffer_usage_bits_t_IREE_HAL_BUFFER_USAGE_DEFAULT as _,
            access: sys::iree_hal_memory_access_bits_t_IREE_HAL_MEMORY_ACCESS_ALL as _,
            type_: sys::iree_hal_memory_type_bits_t_IREE_HAL_MEMORY_TYPE_DEVICE_LOCAL as _,
            queue_affinity: 0,
            min_alignment: 0,
        };
        Owned::make(
            "copy data to the device",
            sys::iree_hal_buffer_view_release,
            |out| {
                // SAFETY: the device is alive; shape and bytes are read during the call, and IREE
                // refuses bytes that are not as many as the shape says.
                unsafe {
                    sys::iree_hal_buffer_view_allocate_buffer_copy(
                        self.raw(),
                        sys::iree_hal_device_allocator(self.raw()),
                        shape.len(),
                        shape.as_ptr(),
                        T::TYPE,
                        sys::iree_hal_encoding_types_t_IREE_HAL_ENCODING_TYPE_DENSE_ROW_MAJOR as _,
                        parameters,
                        bytes,
                        out,
                    )
                }
            },
        )
    }
}

/// Numbers without padding that a buffer may hold.
pub trait Element: Copy {
    const TYPE: sys::iree_hal_element_type_t;
}

impl Element for f32 {
    const TYPE: u32 = sys::iree_hal_element_types_t_IREE_HAL_ELEMENT_TYPE_FLOAT_32 as _;
}

impl Element for i32 {
    const TYPE: u32 = sys::iree_hal_element_types_t_IREE_HAL_ELEMENT_TYPE_INT_32 as _;
}

impl Element for u64 {
    const TYPE: u32 = sys::iree_hal_element_types_t_IREE_HAL_ELEMENT_TYPE_UINT_64 as _;
}

/// A loaded program. The fields are dropped in this order: the bytes last.
pub struct Loaded {
    context: Owned<sys::iree_vm_context_t>,
    _bytes: Vec<u8>,
}

impl Loaded {
    pub fn load(device: &Device, vmfb: Vec<u8>) -> Result<Self, IreeError> {
        let failed = |message| IreeError {
            action: PROGRAM,
            message,
        };
        let instance = vm_instance().map_err(|error| failed(error.to_string()))?;
        let hal = Owned::make(PROGRAM, sys::iree_vm_module_release, |out| {
            // Without the second flag commands do not know their number in the command buffer.
            let flags = sys::iree_hal_module_flag_bits_t_IREE_HAL_MODULE_FLAG_SYNCHRONOUS
                | sys::iree_hal_module_flag_bits_t_IREE_HAL_MODULE_FLAG_RETAIN_COMMAND_BUFFER_PROFILE_METADATA;
            // SAFETY: the instance lives as long as the process; the module keeps the group.
            unsafe {
                sys::iree_hal_module_create(
                    instance,
                    sys::iree_hal_module_device_policy_default(),
                    device.group.raw(),
                    flags as _,
                    sys::iree_hal_module_debug_sink_null(),
                    allocator(),
                    out,
                )
            }
        })?;
        let bytecode = Owned::make(PROGRAM, sys::iree_vm_module_release, |out| {
            // SAFETY: the heap block of `vmfb` neither moves nor is freed before the context is.
            unsafe { bytecode_module(instance, &vmfb, out) }
        })?;
        let mut modules = [hal.raw(), bytecode.raw()];
        let context = Owned::make(PROGRAM, sys::iree_vm_context_release, |out| {
            // SAFETY: the modules are alive; the context keeps them by itself.
            unsafe {
                sys::iree_vm_context_create_with_modules(
                    instance,
                    sys::iree_vm_context_flag_bits_t_IREE_VM_CONTEXT_FLAG_NONE as _,
                    modules.len(),
                    modules.as_mut_ptr(),
                    allocator(),
                    out,
                )
            }
        })?;
        Ok(Loaded {
            context,
            _bytes: vmfb,
        })
    }

    /// Calls `module.function` and waits for it.
    pub fn call(
        &self,
        name: &str,
        arguments: &[&View],
        results: usize,
    ) -> Result<Vec<View>, IreeError> {
        let mut function = sys::iree_vm_function_t::default();
        // SAFETY: the context is alive; the name is read during the call.
        let status = unsafe {
            sys::iree_vm_context_resolve_function(self.context.raw(), view(name), &mut function)
        };
        done(CALL, status)?;
        let inputs = list(arguments.len())?;
        for argument in arguments {
            // SAFETY: the view is alive. A push that succeeds clears the reference, and one that
            // fails leaves it to be released here.
            let status = unsafe {
                let mut value = sys::iree_hal_buffer_view_retain_ref(argument.raw());
                let status = sys::iree_vm_list_push_ref_move(inputs.raw(), &mut value);
                sys::iree_vm_ref_release(&mut value);
                status
            };
            done(CALL, status)?;
        }
        let outputs = list(results)?;
        // SAFETY: context, function and lists belong together and are alive.
        let status = unsafe {
            sys::iree_vm_invoke(
                self.context.raw(),
                function,
                sys::iree_vm_invocation_flag_bits_t_IREE_VM_INVOCATION_FLAG_NONE as _,
                ptr::null(),
                inputs.raw(),
                outputs.raw(),
                allocator(),
            )
        };
        done(CALL, status)?;
        (0..results).map(|index| result(&outputs, index)).collect()
    }
}

fn list(capacity: usize) -> Result<Owned<sys::iree_vm_list_t>, IreeError> {
    Owned::make(CALL, sys::iree_vm_list_release, |out| {
        // SAFETY: a list of any type; `out` takes one pointer.
        unsafe {
            sys::iree_vm_list_create(
                sys::iree_vm_type_def_t::default(),
                capacity,
                allocator(),
                out,
            )
        }
    })
}

fn result(list: &Owned<sys::iree_vm_list_t>, index: usize) -> Result<View, IreeError> {
    let mut value = sys::iree_vm_ref_t::default();
    // SAFETY: the list is alive; IREE checks the index.
    done(CALL, unsafe {
        sys::iree_vm_list_get_ref_retain(list.raw(), index, &mut value)
    })?;
    let taken = Owned::make(CALL, sys::iree_hal_buffer_view_release, |out| {
        // SAFETY: the reference is ours; IREE checks that it is a view. The view is counted once
        // more for the handle.
        unsafe {
            let status = sys::iree_hal_buffer_view_check_deref(value, out);
            if status.is_null() {
                sys::iree_hal_buffer_view_retain(*out);
            }
            status
        }
    });
    // SAFETY: the reference was counted above and is given back once.
    unsafe { sys::iree_vm_ref_release(&mut value) };
    taken
}
