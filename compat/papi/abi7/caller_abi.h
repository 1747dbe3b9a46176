#pragma once

namespace csink::papi {

/// A version of PAPI whose binary interface is implemented. The number is major * 10 + minor.
enum class Abi : int { k70 = 70, k71 = 71, k72 = 72, k73 = 73 };

/// Whether the version has the structures and modifiers of 7.2; 7.3 changed none of them.
constexpr bool HasLayout72(Abi abi) noexcept { return abi >= Abi::k72; }
/// The number of presets in the header of the version (PAPI_END_idx): 7.3 has two more at the end.
constexpr int PresetsOf(Abi abi) noexcept { return abi >= Abi::k73 ? 110 : 108; }

/// Tells that libpapi.so.7.x of this version is loaded. From then on AbiOfCaller looks up callers.
/// For k70 nothing changes: that is the core itself.
/// Threads: any. Signals: safe.
void AbiLoaded(Abi abi) noexcept;

/// The version that the module at code address `caller` was linked with, if it needs exactly one
/// libpapi.so.7.x; otherwise `entered`, the version of the entry point that was called.
/// The two differ when several versions are in one process. Their functions have the same names and
/// no symbol versions, so the loader gives every module the functions of the version that it finds
/// first. Without the look-up a module built for 7.0 would pass a PAPI_event_info_t of 6,680 bytes,
/// and 23,068 bytes would be written.
/// A process with libpapi.so.7.0 alone never makes the look-up (less than a microsecond otherwise).
/// Threads: any. Signals: not safe (dl_iterate_phdr).
Abi AbiOfCaller(const void* caller, Abi entered) noexcept;

}  // namespace csink::papi
