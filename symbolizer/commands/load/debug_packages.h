#pragma once

#include <string>

#include "symbolizer/report/tables/report.h"

/// File: which package of this machine's distribution has the names of a module, and where the
/// package comes from. Reads the files of dpkg and os-release(5); starts no program.

namespace csink::tool {

/// The package with the debug information of an installed file, such as "liblzma5-dbgsym". "" if no
/// package of dpkg owns the file. `root` is a folder that stands for "/". Cost: reads the lists of
/// a few packages with names like the file's; all lists of files, about 10 ms for 1,000 packages,
/// if none of these owns it.
std::string DebugPackageOf(const std::string& path, const std::string& root = "");

/// Where such packages come from, as a clause that follows their names: the line for APT's sources,
/// and the distribution's debuginfod server. "" for an unknown distribution.
std::string DebugArchive(const std::string& root = "");

/// Completes the verdict: packages of the modules whose functions have no names, and the archive.
/// Nothing is read if all functions have names. Nothing is done for a profile of another machine,
/// which may have another distribution.
void AddDebugPackages(report::Report& report, const std::string& root = "");

}  // namespace csink::tool
