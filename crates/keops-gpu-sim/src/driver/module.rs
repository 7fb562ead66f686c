//! Modules: parsing, placing their variables, linking, and the log of what fails.

use super::device::{PTX_VERSION, USUAL_SHARED, write_text};
use super::kernel::Function;
use super::log;
use super::state::{Driver, Handle, Object, with, with_current};
use super::status::{Status, output};
use crate::memory::global::Global;
use crate::ptx::decode::link;
use crate::ptx::source::{Source, parse};
use crate::ptx::text::clean;
use crate::ptx::types::Space;
use std::collections::HashMap;
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::sync::Arc;

/// Bytes of parameters that a kernel may take.
const MAX_PARAMS: usize = 4096;
/// Options of `cuModuleLoadDataEx` that are understood: the log of errors and its size.
const ERROR_LOG: c_int = 5;
const ERROR_LOG_SIZE: c_int = 6;

type Failure = (Status, String);

fn load(driver: &mut Driver, number: usize, text: &str) -> Result<Handle, Failure> {
    let invalid = |what: String| (Status::InvalidPtx, what);
    let cleaned = clean(text);
    let parsed = parse(&cleaned).map_err(invalid)?;
    let device = &mut driver.devices[number];
    let (major, minor) = device.config.capability;
    if parsed.version > PTX_VERSION {
        let (a, b) = parsed.version;
        return Err((Status::UnsupportedPtxVersion, format!("PTX {a}.{b} is newer than this driver")));
    }
    if parsed.target > 10 * major + minor {
        return Err(invalid(format!("PTX for sm_{} on a device of capability {major}.{minor}", parsed.target)));
    }
    let addresses = place(&mut device.memory, &parsed)?;
    let variables = addresses.values().copied().collect();
    let program = link(&parsed, text, addresses).map_err(invalid)?;
    if program.shared_bytes > USUAL_SHARED as usize {
        return Err(invalid(format!("{} bytes of shared memory, {USUAL_SHARED} at most", program.shared_bytes)));
    }
    if let Some(kernel) = program.kernels.iter().find(|k| k.param_bytes > MAX_PARAMS) {
        return Err(invalid(format!("`{}` has more than {MAX_PARAMS} bytes of parameters", kernel.name)));
    }
    Ok(driver.insert(Object::Module(Arc::new(program), number, variables)))
}

/// Gives the device variables memory and their initial values.
fn place(memory: &mut Global, source: &Source<'_>) -> Result<HashMap<String, u64>, Failure> {
    let mut placed = HashMap::new();
    for variable in source.variables.iter().filter(|v| v.space == Space::Global) {
        let size = variable.size.max(1);
        let address = memory.allocate(size as u64);
        let address = address.ok_or_else(|| (Status::OutOfMemory, format!("no memory for `{}`", variable.name)))?;
        let target = memory.find(address, size).and_then(|found| found.write(address, size, None));
        let target = target.map_err(|fault| (Status::InvalidPtx, fault.what))?;
        target.fill(0);
        for (part, value) in target.chunks_mut(variable.ty.bytes()).zip(&variable.init) {
            crate::memory::write(part, *value);
        }
        placed.insert(variable.name.clone(), address);
    }
    Ok(placed)
}

/// Loads the image; a failure goes to the log, and to the caller's buffer when there is one.
///
/// # Safety
/// As for `cuModuleLoadDataEx`.
unsafe fn load_image(
    module: *mut Handle,
    image: *const c_void,
    (buffer, size): (*mut c_char, usize),
) -> Result<(), Status> {
    if image.is_null() {
        return Err(Status::InvalidValue);
    }
    // SAFETY: an image is a compiled one, which starts with these bytes, or text that ends in a zero.
    let image = unsafe { CStr::from_ptr(image.cast()) };
    let text = image.to_string_lossy();
    let result = if text.starts_with("\u{7f}ELF") {
        Err((Status::NoBinary, "a compiled image: only PTX can be run here".to_string()))
    } else {
        with_current(|d, device| Ok(load(d, device, &text)))?
    };
    let handle = result.map_err(|(status, what)| {
        log::write(&format!("module refused: {what}"));
        // SAFETY: the caller gave `size` bytes, or null. Without a buffer the log is all there is.
        let _ = unsafe { write_text(buffer, size, &format!("ptxas error   : {what}")) };
        status
    })?;
    // SAFETY: the caller passes a pointer to a module handle.
    unsafe { output(module, handle) }
}

driver_api! {
    fn cuModuleLoadData(module: *mut Handle, image: *const c_void) {
        load_image(module, image, (std::ptr::null_mut(), 0))
    }

    fn cuModuleLoadDataEx(
        module: *mut Handle,
        image: *const c_void,
        count: c_uint,
        options: *const c_int,
        values: *const *mut c_void,
    ) {
        let (mut buffer, mut size) = (std::ptr::null_mut(), 0);
        for k in 0..count as usize {
            match options.add(k).read() {
                ERROR_LOG => buffer = values.add(k).read().cast(),
                ERROR_LOG_SIZE => size = values.add(k).read() as usize,
                _ => {}
            }
        }
        load_image(module, image, (buffer, size))
    }

    fn cuModuleUnload(module: Handle) {
        with(|d| {
            let Some(Object::Module(_, device, variables)) = d.objects.remove(&module) else {
                return Err(Status::InvalidHandle);
            };
            d.objects.retain(|_, object| !matches!(object, Object::Function(f) if f.module == module));
            variables.into_iter().for_each(|address| { d.devices[device].memory.free(address); });
            Ok(())
        })
    }

    fn cuModuleGetFunction(function: *mut Handle, module: Handle, name: *const c_char) {
        if name.is_null() {
            return Err(Status::InvalidValue);
        }
        let name = CStr::from_ptr(name).to_string_lossy();
        let handle = with_current(|d, _| {
            let Some(Object::Module(program, device, _)) = d.objects.get(&module) else {
                return Err(Status::InvalidHandle);
            };
            let index = program.kernels.iter().position(|k| k.name == name).ok_or(Status::NotFound)?;
            let same = |object: &Object| matches!(object, Object::Function(f) if (f.module, f.index) == (module, index));
            if let Some((handle, _)) = d.objects.iter().find(|(_, object)| same(object)) {
                return Ok(*handle);
            }
            let (program, device, dynamic_shared) = (Arc::clone(program), *device, USUAL_SHARED);
            Ok(d.insert(Object::Function(Function { module, device, program, index, dynamic_shared })))
        })?;
        output(function, handle)
    }
}
