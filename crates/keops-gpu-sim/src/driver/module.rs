//! Modules: parsing, placing their variables, linking, and the log of what fails.

use super::device::{PTX_VERSION, USUAL_SHARED};
use super::log;
use super::state::{Driver, Handle, Kernel, Module, with, with_current};
use super::status::{Status, output};
use crate::memory::bytes;
use crate::ptx::link::{device_variables, link};
use crate::ptx::source::{self, Init, Source};
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

fn load(driver: &mut Driver, context: Handle, text: &str) -> Result<Handle, Failure> {
    let invalid = |what: String| (Status::InvalidPtx, what);
    let parsed = source::parse(text).map_err(invalid)?;
    let device = driver.context(context).map_err(|s| (s, "no context".to_string()))?.device;
    let (major, minor) = driver.devices[device].config.capability;
    if parsed.version > PTX_VERSION {
        let (a, b) = parsed.version;
        return Err((Status::UnsupportedPtxVersion, format!("PTX {a}.{b} is newer than this driver")));
    }
    if parsed.target > 10 * major + minor {
        return Err(invalid(format!("PTX for sm_{} on a device of capability {major}.{minor}", parsed.target)));
    }
    let variables = place(driver, context, &parsed)?;
    let addresses = variables.iter().map(|(name, (address, _))| (name.clone(), *address)).collect();
    let program = link(&parsed, text, addresses).map_err(invalid)?;
    if program.shared_bytes > USUAL_SHARED as usize {
        return Err(invalid(format!("{} bytes of shared memory, {USUAL_SHARED} at most", program.shared_bytes)));
    }
    if let Some(f) = program.functions.iter().find(|f| f.entry && f.param_bytes > MAX_PARAMS) {
        return Err(invalid(format!("`{}` has more than {MAX_PARAMS} bytes of parameters", f.name)));
    }
    let handle = driver.handle();
    driver.modules.insert(handle, Module { context, program: Arc::new(program), variables });
    Ok(handle)
}

/// Gives the device variables memory and their initial values.
fn place(driver: &mut Driver, context: Handle, source: &Source<'_>) -> Result<HashMap<String, (u64, u64)>, Failure> {
    let internal = |s: Status| (s, "device memory of the module's variables".to_string());
    let mut placed = HashMap::new();
    for variable in device_variables(source).filter(|v| !v.external) {
        let size = variable.size.max(1) as u64;
        let address = driver.memory(context).map_err(internal)?.allocate(size);
        let address = address.ok_or_else(|| internal(Status::OutOfMemory))?;
        driver.context(context).map_err(internal)?.allocations.insert(address);
        placed.insert(variable.name.clone(), (address, size));
    }
    let memory = driver.memory(context).map_err(internal)?;
    for variable in device_variables(source).filter(|v| !v.external) {
        let (address, size) = placed[&variable.name];
        let target = memory.host_write(address, size as usize).map_err(|f| (Status::InvalidPtx, f.what))?;
        for (part, init) in target.chunks_mut(variable.ty.bytes()).zip(&variable.init) {
            bytes::write(part, initial(init, &placed).map_err(|e| (Status::InvalidPtx, e))?);
        }
        if variable.space == Space::Const {
            memory.protect(address);
        }
    }
    Ok(placed)
}

fn initial(init: &Init, placed: &HashMap<String, (u64, u64)>) -> Result<u64, String> {
    match init {
        Init::Value(value) => Ok(*value),
        Init::Address { name, offset, mask } => {
            let (address, _) =
                placed.get(name).ok_or_else(|| format!("unknown variable `{name}` in an initialiser"))?;
            let value = address.wrapping_add_signed(*offset);
            Ok(mask.map_or(value, |m| (value & m) >> m.trailing_zeros().min(63)))
        }
    }
}

/// Loads the image; a failure goes to the log, and to the caller's buffer when there is one.
///
/// # Safety
/// As for `cuModuleLoadDataEx`.
unsafe fn load_image(
    module: *mut Handle,
    image: *const c_void,
    log_to: Option<(*mut c_char, usize)>,
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
        with_current(|d, context| Ok(load(d, context, &text)))?
    };
    let handle = result.map_err(|(status, what)| {
        log::write(&format!("module refused: {what}"));
        if let Some((buffer, size)) = log_to.filter(|(b, s)| !b.is_null() && *s > 0) {
            let message = format!("ptxas error   : {what}");
            let count = message.len().min(size - 1);
            // SAFETY: the caller gave `size` bytes.
            unsafe {
                buffer.cast::<u8>().copy_from_nonoverlapping(message.as_ptr(), count);
                buffer.add(count).write(0);
            }
        }
        status
    })?;
    // SAFETY: the caller passes a pointer to a module handle.
    unsafe { output(module, handle) }
}

driver_api! {
    /// Loads PTX.
    fn cuModuleLoadData(module: *mut Handle, image: *const c_void) { load_image(module, image, None) }

    /// Loads PTX; of the options, the buffer for the error log is understood.
    fn cuModuleLoadDataEx(
        module: *mut Handle,
        image: *const c_void,
        count: c_uint,
        options: *const c_int,
        values: *const *mut c_void,
    ) {
        let (mut buffer, mut size) = (std::ptr::null_mut::<c_char>(), 0);
        for k in 0..count as usize {
            match options.add(k).read() {
                ERROR_LOG => buffer = values.add(k).read().cast(),
                ERROR_LOG_SIZE => size = values.add(k).read() as usize,
                _ => {}
            }
        }
        load_image(module, image, Some((buffer, size)))
    }

    /// Loads PTX from a file.
    fn cuModuleLoad(module: *mut Handle, path: *const c_char) {
        if path.is_null() {
            return Err(Status::InvalidValue);
        }
        let mut text = std::fs::read(&*CStr::from_ptr(path).to_string_lossy()).map_err(|_| Status::FileNotFound)?;
        text.push(0);
        load_image(module, text.as_ptr().cast(), None)
    }

    /// Unloads a module with its variables and kernels.
    fn cuModuleUnload(module: Handle) {
        with(|d| {
            let gone = d.modules.remove(&module).ok_or(Status::InvalidHandle)?;
            d.kernels.retain(|_, k| k.module != module);
            for (address, _) in gone.variables.into_values() {
                d.memory(gone.context)?.free(address);
                d.context(gone.context)?.allocations.remove(&address);
            }
            Ok(())
        })
    }

    /// A kernel of a module.
    fn cuModuleGetFunction(function: *mut Handle, module: Handle, name: *const c_char) {
        if name.is_null() {
            return Err(Status::InvalidValue);
        }
        let name = CStr::from_ptr(name).to_string_lossy();
        let handle = with_current(|d, _| {
            let found = d.modules.get(&module).ok_or(Status::InvalidHandle)?;
            let index = *found.program.entries.get(&*name).ok_or(Status::NotFound)?;
            let known = d.kernels.iter().find(|(_, k)| k.module == module && k.index == index).map(|(h, _)| *h);
            Ok(known.unwrap_or_else(|| {
                let handle = d.handle();
                d.kernels.insert(handle, Kernel { module, index, max_dynamic_shared: USUAL_SHARED });
                handle
            }))
        })?;
        output(function, handle)
    }

    /// Address and size of a device variable.
    fn cuModuleGetGlobal_v2(address: *mut u64, size: *mut usize, module: Handle, name: *const c_char) {
        if name.is_null() {
            return Err(Status::InvalidValue);
        }
        let name = CStr::from_ptr(name).to_string_lossy();
        let (place, bytes) = with_current(|d, _| {
            let found = d.modules.get(&module).ok_or(Status::InvalidHandle)?;
            found.variables.get(&*name).copied().ok_or(Status::NotFound)
        })?;
        if !address.is_null() {
            output(address, place)?;
        }
        if size.is_null() { Ok(()) } else { output(size, bytes as usize) }
    }
}
