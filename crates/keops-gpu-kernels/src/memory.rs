//! [`Memory`]: numbers that the threads of a block share, in one address space or another.

/// A run of numbers.
pub trait Memory<T>: Copy {
    /// Reads number `at`.
    ///
    /// # Safety
    /// It must exist and be initialised.
    unsafe fn load(self, at: u32) -> T;
    /// Reads number `base + k`, together with its neighbours in the same 16 bytes: to be called with constant `k`, for
    /// all of which there is then one access.
    ///
    /// # Safety
    /// As for [`Memory::load`], for the neighbours too; `base` must be that of 16 aligned bytes.
    unsafe fn pick(self, base: u32, k: u32) -> T;
    /// Writes number `at`.
    ///
    /// # Safety
    /// It must exist, and no other thread may access it at the same time.
    unsafe fn store(self, at: u32, v: T);
    /// The same memory, to read what was written before the last barrier; not to be used after the next one.
    fn staged(self) -> Self;
}

/// Memory behind a pointer.
#[derive(Debug, Clone, Copy)]
pub struct Pointer<T>(pub *mut T);

impl<T: Copy> Memory<T> for Pointer<T> {
    #[inline(always)]
    unsafe fn load(self, at: u32) -> T {
        // SAFETY: promised by the caller.
        unsafe { self.0.add(at as usize).read() }
    }
    #[inline(always)]
    unsafe fn pick(self, base: u32, k: u32) -> T {
        // SAFETY: promised by the caller.
        unsafe { self.load(base + k) }
    }
    #[inline(always)]
    unsafe fn store(self, at: u32, v: T) {
        // SAFETY: promised by the caller.
        unsafe { self.0.add(at as usize).write(v) }
    }
    #[inline(always)]
    fn staged(self) -> Self {
        self
    }
}
