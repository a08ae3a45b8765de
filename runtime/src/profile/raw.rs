//! Handles of IREE's C interface that are released when they are dropped.
//!
//! eerie keeps the handle of its device to itself, and profiling begins and ends on that handle.
//! So a profiled program runs in a session of its own ([`super::session`]), made of these.

use eerie_sys::runtime as sys;
use std::ptr;

use crate::device::IreeError;
use crate::reflection::check;

/// A counted reference.
pub struct Owned<T> {
    raw: *mut T,
    release: unsafe extern "C" fn(*mut T),
}

impl<T> Owned<T> {
    /// What `make` writes to its out pointer.
    ///
    /// # Errors
    /// IREE's, under the name of `action`.
    pub fn make(
        action: &'static str,
        release: unsafe extern "C" fn(*mut T),
        make: impl FnOnce(*mut *mut T) -> sys::iree_status_t,
    ) -> Result<Self, IreeError> {
        let mut raw = ptr::null_mut();
        done(action, make(&mut raw))?;
        Ok(Owned { raw, release })
    }

    /// The handle, alive as long as this is.
    pub fn raw(&self) -> *mut T {
        self.raw
    }
}

impl<T> Drop for Owned<T> {
    fn drop(&mut self) {
        if !self.raw.is_null() {
            // SAFETY: the reference was counted for this value, and is given back once.
            unsafe { (self.release)(self.raw) }
        }
    }
}

/// A status as a result.
pub fn done(action: &'static str, status: sys::iree_status_t) -> Result<(), IreeError> {
    check(status).map_err(|message| IreeError { action, message })
}

/// A view of a text, for the length of a call.
pub fn view(text: &str) -> sys::iree_string_view_t {
    sys::iree_string_view_t {
        data: text.as_ptr().cast(),
        size: text.len(),
    }
}
