#pragma once

#include <optional>
#include <string>
#include <vector>

namespace csink::atime {

/// A whole file of /proc or /sys. nullopt: it cannot be read (the process or group is gone).
std::optional<std::string> ReadFile(const std::string& path);

/// The names of the folders in a folder, without "." and ".."; empty if there is none.
std::vector<std::string> Folders(const std::string& path);

}  // namespace csink::atime
