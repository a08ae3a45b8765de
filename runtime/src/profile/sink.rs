//! Where IREE puts its profile records: an object with a table of C functions.

use eerie_sys::runtime as sys;
use std::ptr::{self, NonNull};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::records::Records;

/// IREE sees its first field only, counts references there and calls the table.
#[repr(C)]
struct Object {
    resource: sys::iree_hal_resource_t,
    records: Mutex<Records>,
}

static TABLE: sys::iree_hal_profile_sink_vtable_t = sys::iree_hal_profile_sink_vtable_t {
    destroy: Some(destroy),
    begin_session: Some(begin),
    write: Some(write),
    end_session: Some(end),
};

/// A reference to a sink.
pub struct Sink(NonNull<Object>);

impl Sink {
    pub fn new() -> Self {
        let object = Box::new(Object {
            resource: sys::iree_hal_resource_t {
                ref_count: 1,
                vtable: ptr::from_ref(&TABLE).cast(),
            },
            records: Mutex::default(),
        });
        // The reference counted above.
        Sink(NonNull::from(Box::leak(object)))
    }

    pub fn raw(&self) -> *mut sys::iree_hal_profile_sink_t {
        self.0.as_ptr().cast()
    }

    pub fn records(&self) -> MutexGuard<'_, Records> {
        // SAFETY: the object lives while this reference is counted; only the field behind the
        // lock is borrowed, never the count, which IREE changes.
        let records = unsafe { &(*self.0.as_ptr()).records };
        records.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Sink {
    fn drop(&mut self) {
        // SAFETY: gives back the reference that `new` counted.
        unsafe { sys::iree_hal_profile_sink_release(self.raw()) }
    }
}

unsafe extern "C" fn destroy(sink: *mut sys::iree_hal_profile_sink_t) {
    // SAFETY: IREE calls this once, when the last reference is gone, with what `new` leaked.
    drop(unsafe { Box::from_raw(sink.cast::<Object>()) });
}

unsafe extern "C" fn begin(
    _sink: *mut sys::iree_hal_profile_sink_t,
    _metadata: *const sys::iree_hal_profile_chunk_metadata_t,
) -> sys::iree_status_t {
    ptr::null_mut()
}

unsafe extern "C" fn end(
    _sink: *mut sys::iree_hal_profile_sink_t,
    _metadata: *const sys::iree_hal_profile_chunk_metadata_t,
    _status: sys::iree_status_code_t,
) -> sys::iree_status_t {
    ptr::null_mut()
}

unsafe extern "C" fn write(
    sink: *mut sys::iree_hal_profile_sink_t,
    metadata: *const sys::iree_hal_profile_chunk_metadata_t,
    count: sys::iree_host_size_t,
    spans: *const sys::iree_const_byte_span_t,
) -> sys::iree_status_t {
    // SAFETY: IREE passes a sink that is referenced, metadata, and `count` spans, all alive
    // during the call; an empty list or span may be null.
    unsafe {
        let object = sink.cast::<Object>();
        let metadata = &*metadata;
        let content = bytes(
            metadata.content_type.data.cast(),
            metadata.content_type.size,
        );
        let spans = if spans.is_null() {
            &[]
        } else {
            std::slice::from_raw_parts(spans, count)
        };
        let parts: Vec<&[u8]> = spans
            .iter()
            .map(|span| bytes(span.data, span.data_length))
            .collect();
        let records = &(*object).records;
        let mut records = records.lock().unwrap_or_else(PoisonError::into_inner);
        records.incomplete |= metadata.dropped_record_count > 0;
        records.take(&String::from_utf8_lossy(content), &parts.concat());
    }
    ptr::null_mut()
}

/// # Safety
/// `data` must be null or point at `size` bytes that live as long as the result is used.
unsafe fn bytes<'a>(data: *const u8, size: usize) -> &'a [u8] {
    if data.is_null() {
        return &[];
    }
    // SAFETY: promised by the caller.
    unsafe { std::slice::from_raw_parts(data, size) }
}
