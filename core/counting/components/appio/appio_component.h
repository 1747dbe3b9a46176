#pragma once

#include <memory>

#include "core/counting/components/appio/appio_counts.h"
#include "core/counting/components/component.h"

/// File: the component appio: what the calling thread reads and writes by the C library's
/// functions. libcsink_appio.so counts it: a library that stands before the C library in the
/// program, because it is preloaded or linked. libpapi itself intercepts nothing.

namespace csink::appio {

/// The two functions of libcsink_appio.so; nullptr: it is not in this process.
struct Library {
  CountsFunction* counts = nullptr;
  CountingFunction* counting = nullptr;
  explicit operator bool() const noexcept { return counts != nullptr && counting != nullptr; }
};
/// Looks for them in the process (dlsym). Signals: not safe.
Library FindLibrary() noexcept;

/// `find` is asked once, at the first call of Info, Find or MakeCounterSet.
std::unique_ptr<Component> MakeAppioComponent(Library (*find)() noexcept = FindLibrary);

}  // namespace csink::appio
