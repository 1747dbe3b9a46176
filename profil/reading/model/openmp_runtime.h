#pragma once

#include <string_view>

namespace csink {

/// Whether a file is a runtime library of OpenMP by its base name: GNU's libgomp, LLVM's libomp,
/// Intel's libiomp5.
inline bool IsOpenMpRuntime(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);  // npos + 1 is 0
  return name.starts_with("libgomp.so") || name.starts_with("libgomp-") ||
         name.starts_with("libomp.so") || name.starts_with("libomp-") ||
         name.starts_with("libiomp5.so");
}

}  // namespace csink
