//! What a compiled program says about itself: its functions and the attribute `cnnc.manifest`.
//!
//! eerie resolves functions by name but shows neither the list of exports nor their attributes,
//! so this file speaks to IREE's VM directly. It creates one module that is never run and frees
//! it before returning.

use std::ffi::c_void;
use std::ptr;
use std::sync::OnceLock;

use eerie_sys::runtime as sys;
use thiserror::Error;

/// The attribute under which the compiler stores the manifest on every public function.
pub const MANIFEST_ATTRIBUTE: &str = "cnnc.manifest";

/// Why a file could not be read as a compiled program.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ReflectionError {
    /// The bytes are no VM module, or a damaged one.
    #[error("not a compiled program (.vmfb of {length} bytes): {message}")]
    NotAProgram {
        /// Length of the input in bytes.
        length: usize,
        /// IREE's own message.
        message: String,
    },
    /// IREE's VM could not be started or refused a look-up.
    #[error("IREE failed to {action}: {message}")]
    Vm {
        /// What was asked of IREE.
        action: &'static str,
        /// IREE's own message.
        message: String,
    },
}

/// One exported function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FunctionSignature {
    /// Name without the module's name, for example `train_step`.
    pub name: String,
    /// Number of arguments.
    pub arguments: usize,
    /// Number of results.
    pub results: usize,
}

/// What a compiled program exports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reflection {
    /// Name of the module; functions are resolved as `module.function`.
    pub module: String,
    /// The exported functions in the order of the file.
    pub functions: Vec<FunctionSignature>,
    /// Text of the attribute [`MANIFEST_ATTRIBUTE`] on the first function that has it.
    pub manifest: Option<String>,
}

impl Reflection {
    /// The exported function of that name.
    pub fn function(&self, name: &str) -> Option<&FunctionSignature> {
        self.functions.iter().find(|function| function.name == name)
    }
}

unsafe extern "C" {
    // Part of IREE's base library, which eerie-sys links but does not bind.
    fn iree_allocator_libc_ctl(
        self_: *mut c_void,
        command: sys::iree_allocator_command_t,
        params: *const c_void,
        inout_ptr: *mut *mut c_void,
    ) -> sys::iree_status_t;
}

/// Reads the exports and the manifest of a compiled program. Nothing of it is executed.
///
/// # Errors
/// [`ReflectionError::NotAProgram`] when `vmfb` is not a whole VM module.
pub fn reflect(vmfb: &[u8]) -> Result<Reflection, ReflectionError> {
    let module = Module::open(vmfb)?;
    let mut functions = Vec::new();
    let mut manifest = None;
    for ordinal in 0..module.export_count() {
        let function = module.export(ordinal)?;
        let name = function.name();
        // Names with `$` or a leading `__` are IREE's own (initialisers, asynchronous twins).
        if name.starts_with("__") || name.contains('$') {
            continue;
        }
        let (arguments, results) = function.counts()?;
        if manifest.is_none() {
            manifest = function.attribute(MANIFEST_ATTRIBUTE);
        }
        functions.push(FunctionSignature {
            name,
            arguments,
            results,
        });
    }
    Ok(Reflection {
        module: module.name(),
        functions,
        manifest,
    })
}

/// Registers IREE's reference types for reflection, once per process.
///
/// Registering sets process-wide slots to zero for a moment. Every program of this crate is
/// loaded after this call, so that no running program can see that moment.
pub(crate) fn prepare() -> Result<(), ReflectionError> {
    instance().map(|_| ())
}

/// The instance that lives as long as the process.
pub(crate) fn vm_instance() -> Result<*mut sys::iree_vm_instance_t, ReflectionError> {
    instance().map(|instance| instance.0)
}

/// An instance of IREE's VM that lives as long as the process.
#[derive(Clone, Copy)]
struct Instance(*mut sys::iree_vm_instance_t);

// SAFETY: IREE's VM instance is reference counted atomically and locks its table of types.
unsafe impl Send for Instance {}
// SAFETY: as above.
unsafe impl Sync for Instance {}

fn instance() -> Result<Instance, ReflectionError> {
    static INSTANCE: OnceLock<Result<Instance, ReflectionError>> = OnceLock::new();
    INSTANCE.get_or_init(create_instance).clone()
}

fn create_instance() -> Result<Instance, ReflectionError> {
    let mut instance = ptr::null_mut();
    // SAFETY: the allocator is IREE's own, the out pointer is valid for one write.
    let status = unsafe {
        sys::iree_vm_instance_create(
            sys::IREE_VM_TYPE_CAPACITY_DEFAULT as usize,
            allocator(),
            &mut instance,
        )
    };
    check(status).map_err(|message| vm("create a VM instance", message))?;
    // SAFETY: `instance` was created above and is never released.
    let status = unsafe { sys::iree_hal_module_register_all_types(instance) };
    check(status).map_err(|message| vm("register the HAL types", message))?;
    Ok(Instance(instance))
}

/// Makes a module of bytes that stay the caller's; IREE verifies them before it reads their
/// structure.
///
/// # Safety
/// `instance` and `out` are valid, and the bytes stay where they are until the module is released.
pub(crate) unsafe fn bytecode_module(
    instance: *mut sys::iree_vm_instance_t,
    vmfb: &[u8],
    out: *mut *mut sys::iree_vm_module_t,
) -> sys::iree_status_t {
    let contents = sys::iree_const_byte_span_t {
        data: vmfb.as_ptr(),
        data_length: vmfb.len(),
    };
    // No deallocator: the bytes stay the caller's.
    let keep = sys::iree_allocator_t {
        self_: ptr::null_mut(),
        ctl: None,
    };
    // SAFETY: the caller vouches for the pointers and for the bytes.
    unsafe {
        sys::iree_vm_bytecode_module_create(
            instance,
            sys::iree_vm_bytecode_module_flags_e_IREE_VM_BYTECODE_MODULE_FLAG_NONE,
            contents,
            keep,
            allocator(),
            out,
        )
    }
}

/// A module made only to be looked at. Borrows the bytes of the file.
struct Module<'a> {
    raw: *mut sys::iree_vm_module_t,
    _bytes: std::marker::PhantomData<&'a [u8]>,
}

impl<'a> Module<'a> {
    fn open(vmfb: &'a [u8]) -> Result<Self, ReflectionError> {
        let instance = instance()?;
        let mut raw = ptr::null_mut();
        // SAFETY: the instance lives for the whole process, and `vmfb` outlives the module by the
        // lifetime on `Module`.
        let status = unsafe { bytecode_module(instance.0, vmfb, &mut raw) };
        check(status).map_err(|message| ReflectionError::NotAProgram {
            length: vmfb.len(),
            message,
        })?;
        Ok(Self {
            raw,
            _bytes: std::marker::PhantomData,
        })
    }

    fn name(&self) -> String {
        // SAFETY: the module is alive; the returned view lives as long as it and is copied here.
        unsafe { text(sys::iree_vm_module_name(self.raw)) }
    }

    fn export_count(&self) -> usize {
        // SAFETY: the module is alive.
        unsafe { sys::iree_vm_module_signature(self.raw) }.export_function_count
    }

    fn export(&self, ordinal: usize) -> Result<Function<'_>, ReflectionError> {
        let mut raw = sys::iree_vm_function_t::default();
        // SAFETY: the module is alive; IREE checks the ordinal against its exports.
        let status = unsafe {
            sys::iree_vm_module_lookup_function_by_ordinal(
                self.raw,
                sys::iree_vm_function_linkage_e_IREE_VM_FUNCTION_LINKAGE_EXPORT,
                ordinal,
                &mut raw,
            )
        };
        check(status).map_err(|message| vm("look up an exported function", message))?;
        Ok(Function {
            raw,
            _module: std::marker::PhantomData,
        })
    }
}

impl Drop for Module<'_> {
    fn drop(&mut self) {
        // SAFETY: the module was created by `open` and is released once.
        unsafe { sys::iree_vm_module_release(self.raw) }
    }
}

struct Function<'a> {
    raw: sys::iree_vm_function_t,
    _module: std::marker::PhantomData<&'a ()>,
}

impl Function<'_> {
    fn name(&self) -> String {
        // SAFETY: the function belongs to a living module; the view is copied at once.
        unsafe { text(sys::iree_vm_function_name(&self.raw)) }
    }

    fn counts(&self) -> Result<(usize, usize), ReflectionError> {
        let (mut arguments, mut results) = (0, 0);
        // SAFETY: the function belongs to a living module, which owns the signature's text.
        let status = unsafe {
            let signature = sys::iree_vm_function_signature(&self.raw);
            sys::iree_vm_function_call_count_arguments_and_results(
                &signature,
                &mut arguments,
                &mut results,
            )
        };
        check(status).map_err(|message| vm("read a function's signature", message))?;
        Ok((arguments, results))
    }

    fn attribute(&self, key: &str) -> Option<String> {
        let view = sys::iree_string_view_t {
            data: key.as_ptr().cast(),
            size: key.len(),
        };
        // SAFETY: the function belongs to a living module; both views are valid for the call and
        // the result is copied at once.
        let value = unsafe { text(sys::iree_vm_function_lookup_attr_by_name(&self.raw, view)) };
        (!value.is_empty()).then_some(value)
    }
}

/// IREE's own allocator: that of C.
pub(crate) fn allocator() -> sys::iree_allocator_t {
    sys::iree_allocator_t {
        self_: ptr::null_mut(),
        ctl: Some(iree_allocator_libc_ctl),
    }
}

fn vm(action: &'static str, message: String) -> ReflectionError {
    ReflectionError::Vm { action, message }
}

/// Copies a string view.
///
/// # Safety
/// `view` must be empty or point at `size` readable bytes.
unsafe fn text(view: sys::iree_string_view_t) -> String {
    if view.data.is_null() || view.size == 0 {
        return String::new();
    }
    // SAFETY: promised by the caller.
    let bytes = unsafe { std::slice::from_raw_parts(view.data.cast::<u8>(), view.size) };
    String::from_utf8_lossy(bytes).into_owned()
}

/// Turns a status into its message and frees it.
pub(crate) fn check(status: sys::iree_status_t) -> Result<(), String> {
    if status.is_null() {
        return Ok(());
    }
    let allocator = allocator();
    let mut buffer = ptr::null_mut();
    let mut size = 0;
    // SAFETY: `status` came from IREE and is consumed below; the buffer is IREE's to free.
    let message = unsafe {
        if sys::iree_status_to_string(status, &allocator, &mut buffer, &mut size) {
            let view = sys::iree_string_view_t { data: buffer, size };
            let message = text(view);
            sys::iree_allocator_free(allocator, buffer.cast());
            message
        } else {
            String::from("unknown failure")
        }
    };
    // SAFETY: the status is owned here and not used again.
    unsafe { sys::iree_status_ignore(status) };
    Err(message)
}
