#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace csink::tool {

/// The spools that arguments refer to (files, folders, pids), sorted, each once. A number that is
/// not the name of a file is a pid. Arguments without a spool are reported on stderr and counted in
/// `failed`. Files are not opened.
std::vector<std::string> SpoolsOfAll(const std::vector<std::string>& targets, std::size_t& failed);

}  // namespace csink::tool
