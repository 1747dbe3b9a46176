#pragma once

#include <memory>

#include "core/counting/components/vendor/bounded_source.h"

/// File: code of vendors in a process of its own (docs/design/components.md).

namespace csink {

/// Makes a source whose reader runs in a forked process, so that a vendor's library which crashes,
/// aborts or calls exit does not end this process. The deadlines are those of MakeBoundedSource.
/// After such an end, or a step that takes too long, the source is lost for the life of this
/// process: that Open or Read fails with kSystem (EIO, ETIMEDOUT) and a sentence that says how the
/// process ended, and so do all later ones, at once. The sentence is written to stderr once.
///
/// Owns: the process, which Open forks. Where the main thread called Open, it is killed when this
///       process ends; otherwise it ends as soon as the device answers after that.
///       All signals are blocked in it, so that signals of a terminal do not end it. It has no
///       descriptor of this process: where it is left behind, no reader of a pipe waits for it.
/// Open: must be called while no other thread uses stdio or is inside malloc for long, since the
///       process is a copy of this one.
/// Cost: 40 us a read, and a fork at Open also where no device exists: VendorReader::Look loads the
///       library, which may crash as well.
std::unique_ptr<DeviceSource> MakeSeparateSource(std::unique_ptr<VendorReader> reader,
                                                 const VendorPatience& patience);

/// A source that reads files of the kernel: with CSINK_VENDOR_PROCESS=1 in a process of its own as
/// well, so that a driver that hangs holds that process, which is left behind, and not this one;
/// else `source` itself.
std::unique_ptr<DeviceSource> MakeFileSource(std::unique_ptr<DeviceSource> source);

/// The source for a vendor's library: MakeSeparateSource if the environment has
/// CSINK_VENDOR_PROCESS=1, which atime and hettime set for themselves while they prepare, else
/// MakeBoundedSource: a profiled program must not get child processes that it did not start.
std::unique_ptr<DeviceSource> MakeVendorSource(std::unique_ptr<VendorReader> reader,
                                               const VendorPatience& patience);

}  // namespace csink
