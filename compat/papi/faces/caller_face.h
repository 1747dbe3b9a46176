#pragma once

namespace csink::papi {

/// A version of PAPI whose binary interface we have.
enum class Face : int { k70 = 70, k71 = 71, k72 = 72 };

/// From now on the callers of translated calls are looked up. Threads: any.
void FaceLoaded(Face face) noexcept;

/// The version that the code at `caller` expects: that of the one libpapi.so.7.x that its module is
/// linked with; else `entered`, the version of the entry that was called.
///
/// The two differ when several versions are in one process: their functions have the same names
/// and no symbol versions, so the loader gives every module those of the version that it finds
/// first. Without the look-up a module of 7.0 would hand over a PAPI_event_info_t of 6,680 bytes,
/// and get 23,068 bytes written.
///
/// A process with libpapi.so.7.0 alone never looks anything up.
/// Threads: any. Signals: not safe.
Face FaceOfCaller(const void* caller, Face entered) noexcept;

}  // namespace csink::papi
