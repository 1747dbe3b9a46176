#pragma once

#include <string>

namespace csink::symbolizer {

/// The folder of a path with its slash, as a name in that folder is put behind it: "/a/b" -> "/a/",
/// "b" -> "".
inline std::string FolderWithSlash(const std::string& path) {
  return path.substr(0, path.rfind('/') + 1);
}

}  // namespace csink::symbolizer
