#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "symbolizer/names/resolve/resolver.h"

namespace csink::testing {

/// Any bytes as a module: an offset each `step` bytes below `end`, and one far outside, must get an
/// answer with a name and no endless chain.
inline void ResolveBytes(const std::uint8_t* data, std::size_t size, symbolizer::Detail detail,
                         std::uint64_t end, std::uint64_t step) {
  static const int file = ::memfd_create("module", MFD_CLOEXEC);
  if (::ftruncate(file, 0) != 0 || ::pwrite(file, data, size, 0) != static_cast<ssize_t>(size)) {
    return;
  }
  symbolizer::ModuleRequest request;
  request.path = "/proc/self/fd/" + std::to_string(file);
  request.detail = detail;
  for (std::uint64_t offset = 0; offset < size && offset < end; offset += step) {
    request.file_offsets.push_back(offset);
  }
  request.file_offsets.push_back(~std::uint64_t{0});
  const auto answer = symbolizer::ResolveModule(request, {});
  if (answer.locations.size() != request.file_offsets.size()) std::abort();
  for (const auto& location : answer.locations) {
    if (location.function.empty() || location.inlined.size() > 4096) std::abort();
  }
}

}  // namespace csink::testing
