#pragma once

#include <string>

/// File: tells the program's own source files from those of libraries, by their folders.

namespace csink::report {

/// Whether a file is a header or a source of an installed library or of a language's runtime.
inline bool IsLibraryCode(const std::string& file) {
  for (const char* begin : {"/usr/include/", "/usr/lib/", "/usr/local/include/", "/rustc/"}) {
    if (file.starts_with(begin)) return true;
  }
  // A compiler in a folder of its own.
  return file.find("/include/c++/") != std::string::npos;
}

}  // namespace csink::report
