#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "symbolizer/resolver.h"

/// File: any bytes as a module. Every offset must get an answer.

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using csink::symbolizer::ModuleRequest;
  static const int file = ::memfd_create("module", MFD_CLOEXEC);
  if (::ftruncate(file, 0) != 0 || ::pwrite(file, data, size, 0) != static_cast<ssize_t>(size)) {
    return 0;
  }
  ModuleRequest request;
  request.path = "/proc/self/fd/" + std::to_string(file);
  for (std::uint64_t offset = 0; offset < size && offset < 0x4000; offset += 97) {
    request.file_offsets.push_back(offset);
  }
  request.file_offsets.push_back(~std::uint64_t{0});
  const auto answer = csink::symbolizer::ResolveModule(request, {});
  if (answer.locations.size() != request.file_offsets.size()) std::abort();
  for (const auto& location : answer.locations) {
    if (location.function.empty()) std::abort();
  }
  return 0;
}
