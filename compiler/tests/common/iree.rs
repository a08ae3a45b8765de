//! Modules run on IREE's devices.
//! Test binaries share it; each uses a part.
#![allow(dead_code)]

#[path = "devices.rs"]
mod devices;

use cnnc::iree::{Flags, Iree, Target};
use cnnc::reference::Tensor;
use cnnc::stablehlo::{ElementType, Function, Module, TensorType, mlir};
use cnnc::tune;
use eerie::runtime::{
    BufferElement, BufferView, DeviceSpec, Program, Runtime, RuntimeError, Value,
};

/// IREE's compiler and a device.
pub struct Machine {
    iree: Iree,
    runtime: Runtime,
    flags: Flags,
}

/// Functions compiled as one module.
pub struct Loaded {
    /// The module as IREE got it.
    pub tuned: Module,
    program: Program,
}

impl Machine {
    /// The CPU, as a device of its own for the calling thread.
    pub fn new() -> Self {
        Self::open(Flags::default(), DeviceSpec::local_task())
    }

    /// The CPU, for which modules are compiled as for a CPU of that name.
    pub fn as_cpu(cpu: &str) -> Self {
        let flags = Flags {
            cpu: cpu.to_owned(),
            ..Flags::default()
        };
        Self::open(flags, DeviceSpec::local_task())
    }

    /// The first Vulkan device; none where there is none, which is told in the name of `test`.
    pub fn vulkan(test: &str) -> Option<Self> {
        devices::vulkan(test).then(|| Self::open(Flags::of(Target::Vulkan), DeviceSpec::vulkan()))
    }

    fn open(flags: Flags, device: DeviceSpec) -> Self {
        // Types are registered once per process, by whoever comes first; the
        // answer to an empty program does not matter.
        drop(cnnc_runtime::reflection::reflect(&[]));
        Machine {
            iree: Iree::find().expect("IREE's compiler is missing: make deps"),
            runtime: Runtime::new(device).expect("a device"),
            flags,
        }
    }

    /// What modules are compiled for.
    pub fn target(&self) -> Target {
        self.flags.target
    }

    /// Tunes the functions and compiles them as one module.
    ///
    /// # Errors
    /// What the tuning or IREE says.
    pub fn load(&self, functions: Vec<Function>) -> Result<Loaded, String> {
        let module = Module {
            name: "ops".to_owned(),
            attributes: Vec::new(),
            functions,
        };
        let tuned = tune::tune(&module, self.target()).map_err(|e| format!("tuning: {e}"))?;
        self.load_tuned(tuned)
    }

    /// Compiles a module as it is.
    ///
    /// # Errors
    /// What IREE says.
    pub fn load_tuned(&self, tuned: Module) -> Result<Loaded, String> {
        let text = mlir::print(&tuned).map_err(|e| e.to_string())?;
        let vmfb = self
            .iree
            .compile(&text, &self.flags)
            .map_err(|e| e.to_string())?;
        let program = self.runtime.load_vmfb(&vmfb).map_err(|e| e.to_string())?;
        Ok(Loaded { tuned, program })
    }

    /// Runs a function of the module; results are in order.
    ///
    /// # Errors
    /// If the arguments do not fit or IREE fails.
    pub fn call(
        &self,
        loaded: &Loaded,
        name: &str,
        arguments: &[Tensor<f32>],
    ) -> Result<Vec<Tensor<f32>>, String> {
        let function = loaded.tuned.function(name).map_err(|e| e.to_string())?;
        let given: Vec<&TensorType> = arguments.iter().map(Tensor::ty).collect();
        let taken: Vec<&TensorType> = function
            .arguments
            .iter()
            .map(|a| function.ty(a.value))
            .collect();
        assert_eq!(given, taken, "arguments of {name}");
        let path = format!("{}.{name}", loaded.tuned.name);
        let run = || -> Result<Vec<Value>, RuntimeError> {
            let values: Result<Vec<Value>, _> = arguments.iter().map(|a| self.upload(a)).collect();
            loaded.program.function(&path)?.invoke(values?)
        };
        let values = run().map_err(|e| format!("{name}: {e}"))?;
        assert_eq!(values.len(), function.outputs.len(), "results of {name}");
        let outputs = function.outputs.iter().map(|o| function.ty(o.value));
        values
            .iter()
            .zip(outputs)
            .map(|(v, ty)| download(v, ty))
            .collect()
    }

    fn upload(&self, tensor: &Tensor<f32>) -> Result<Value, RuntimeError> {
        let shape = extents(tensor.ty());
        let integers = tensor.as_integers();
        match tensor.ty().element {
            ElementType::F32 => Ok(self
                .runtime
                .buffer_view(&shape, tensor.as_numbers())?
                .into()),
            ElementType::I32 => {
                let values: Vec<i32> = integers.iter().map(|&v| v as i32).collect();
                Ok(self.runtime.buffer_view(&shape, &values)?.into())
            }
            other => panic!("no test passes arguments of {other}"),
        }
    }
}

fn extents(ty: &TensorType) -> Vec<usize> {
    ty.shape.iter().map(|&size| size as usize).collect()
}

fn download(value: &Value, ty: &TensorType) -> Result<Tensor<f32>, String> {
    let tensor = match value {
        Value::F32(view) => Tensor::numbers(found(ty, view)?, read(view)?),
        Value::I32(view) => {
            let integers = read(view)?.into_iter().map(i64::from).collect();
            Tensor::integers(found(ty, view)?, integers)
        }
        other => return Err(format!("no test takes results like {other:?}")),
    };
    tensor.map_err(|e| e.to_string())
}

/// The type of a result: its shape is what IREE says, not what it should be.
fn found<T: BufferElement>(ty: &TensorType, view: &BufferView<T>) -> Result<TensorType, String> {
    let shape: Vec<i64> = view.shape().iter().map(|&size| size as i64).collect();
    if shape == ty.shape {
        Ok(ty.clone())
    } else {
        Err(format!("IREE returns {shape:?} where {ty} is declared"))
    }
}

fn read<T: BufferElement>(view: &BufferView<T>) -> Result<Vec<T>, String> {
    view.read().map_err(|e| e.to_string())
}
