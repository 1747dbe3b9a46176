#pragma once

#include <cstdint>
#include <string>

#include "core/util/result.h"
#include "core/util/unique_fd.h"
#include "profil/model/profile.h"

/// File: from the template of an output file (core/util/output_template.h) to the file.

namespace csink::tool {

/// Fills in a template. The process meant is the first to start, in its last image; variables
/// are those of this process. `number` is what %n stands for. Unknown parts stay as they are.
/// Errors: kLimit (too long).
Result<std::string> ExpandTemplate(const std::string& text, const Profile& profile,
                                   std::uint64_t number);

/// Opens the output for writing; missing folders are made. `path` says where, also after an
/// error.
///
/// With %n the file is a new one, the first number from 1 on that is free. Else a file that
/// is there is replaced, unless `of_one_process` and the name could not tell processes apart:
/// then a profiled child of a profiled process adds its pid to it (report.txt.4711), and an
/// MPI process its rank (report.txt.r3), unless the template has %p, %n (or %r) itself.
/// Errors: with errno.
Result<UniqueFd> OpenOutput(const std::string& text, const Profile& profile, bool of_one_process,
                            std::string& path);

}  // namespace csink::tool
