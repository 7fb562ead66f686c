//! Puts the simulator in the place of the CUDA driver of a test program:
//!
//! ```no_run
//! let simulator = keops_gpu_sim_loader::start("64M,1M:8.0:24");
//! // From here on the program has two CUDA devices.
//! # drop(simulator);
//! ```
//!
//! A test crate names this crate as a dev-dependency, which makes Cargo build the simulator beside the test programs.
//! The simulator calls itself `libcuda.so.1`, and the system's loader gives it to everyone who asks for that name
//! afterwards; no variable has to be set before the program starts. Other programs use it through `LD_LIBRARY_PATH`.
//!
//! With `KEOPS_TEST_DRIVER=system` in the environment nothing is loaded: the same tests run on a real GPU.

use libloading::{Library, Symbol};
use std::ffi::{CStr, CString, c_char, c_int};
use std::path::PathBuf;
use std::sync::OnceLock;

// The simulator's own definition: its crate must not be linked.
#[path = "../../keops-gpu-sim/src/counts.rs"]
mod counts;

pub use counts::Counts;

/// The simulator that this process runs on.
#[derive(Clone, Copy)]
pub struct Simulator {
    library: &'static Library,
}

/// Starts the simulator with these devices, or joins the one that another test of this process has started. `None`
/// when the tests are to run on the system's driver.
///
/// A device is `memory:capability:multiprocessors`, of which the last two may be left out: `64M,1G:8.0:108`.
///
/// # Panics
/// When the simulator cannot be loaded, or runs with other devices.
pub fn start(devices: &str) -> Option<Simulator> {
    if std::env::var_os("KEOPS_TEST_DRIVER").is_some_and(|driver| driver == "system") {
        return None;
    }
    static LOADED: OnceLock<Result<(Library, String), String>> = OnceLock::new();
    let loaded = LOADED.get_or_init(|| Ok((load(devices)?, devices.to_string())));
    match loaded {
        Ok((library, started)) if started == devices => Some(Simulator { library }),
        Ok((_, started)) => panic!("the simulator of this process has the devices `{started}`, not `{devices}`"),
        Err(error) => panic!("the simulator could not be loaded: {error}"),
    }
}

/// Loads the library that Cargo has built beside the test programs, and tells it its devices.
fn load(devices: &str) -> Result<Library, String> {
    let program = std::env::current_exe().map_err(|e| e.to_string())?;
    let name = libloading::library_filename("keops_gpu_sim");
    // Test programs are in `deps`, others in its neighbours or its parent.
    let places = program.ancestors().skip(1).take(2).flat_map(|folder| [folder.to_path_buf(), folder.join("deps")]);
    let places: Vec<PathBuf> = places.map(|folder| folder.join(&name)).collect();
    let path = places.iter().find(|path| path.exists()).ok_or_else(|| format!("none of {places:?} exists"))?;
    let devices = CString::new(devices).map_err(|e| e.to_string())?;
    // SAFETY: loading the simulator has no preconditions, and it declares its function as given here.
    unsafe {
        let library = Library::new(path).map_err(|e| e.to_string())?;
        let set: Symbol<'_, unsafe extern "C" fn(*const c_char) -> c_int> =
            library.get("keops_gpu_sim_set_devices").map_err(|e| e.to_string())?;
        match set(devices.as_ptr()) {
            0 => {}
            code => return Err(format!("devices {devices:?} are refused with code {code}")),
        }
        Ok(library)
    }
}

impl Simulator {
    /// What has been executed so far.
    ///
    /// # Panics
    /// Before the driver has been initialised.
    pub fn counts(self) -> Counts {
        let mut counts = Counts::default();
        // SAFETY: the simulator declares its function as given here, and writes one `Counts`.
        let code = unsafe {
            let get: Symbol<'_, unsafe extern "C" fn(*mut Counts) -> c_int> =
                self.library.get("keops_gpu_sim_counts").expect("a function of the simulator");
            get(&mut counts)
        };
        assert_eq!(code, 0, "the driver has not been initialised");
        counts
    }

    /// The last message: why a module, a launch or a copy was refused, or what a kernel did wrong. The first 4095
    /// bytes of it.
    pub fn last_log(self) -> String {
        let mut text = [0; 4096];
        // SAFETY: the simulator declares its function as given here, and writes at most the size that it is told.
        unsafe {
            let get: Symbol<'_, unsafe extern "C" fn(*mut c_char, c_int) -> c_int> =
                self.library.get("keops_gpu_sim_last_log").expect("a function of the simulator");
            get(text.as_mut_ptr(), text.len() as c_int);
            CStr::from_ptr(text.as_ptr()).to_string_lossy().into_owned()
        }
    }
}
