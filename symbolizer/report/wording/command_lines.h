#pragma once

#include <cstddef>
#include <string>
#include <vector>

/// File: shortens command lines of several processes to what tells them apart. A compiler's command
/// begins with dozens of options that all its processes have.

namespace csink::report {

/// The first word of a command line, without folders: "/usr/lib/gcc/cc1 -quiet a.c" -> "cc1".
std::string ProgramOfCommand(const std::string& command);

/// The commands of one table, in the same order, without the folder of the program. Commands of the
/// same program are compared if one of them is wider than `room` columns: arguments that all of
/// them have are replaced by "...", and an argument that a command has twice is shown once: "cc1
/// ... a.c
/// ... /tmp/ccX.s". Equal commands stay whole. `commands` must be printable. Arguments are
/// separated at blanks. Threads: any. Cost: grows with the length of all commands, times its
/// logarithm.
std::vector<std::string> DifferingParts(const std::vector<std::string>& commands, std::size_t room);

}  // namespace csink::report
