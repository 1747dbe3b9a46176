#include "tests/fuzz/symbolizer/resolve_bytes.h"

/// File: any bytes as a module. Every offset must get an answer.

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  csink::testing::ResolveBytes(data, size, csink::symbolizer::Detail::kLines, 0x4000, 97);
  return 0;
}
