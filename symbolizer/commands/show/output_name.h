#pragma once

#include <cstdint>
#include <string>

#include "core/util/result.h"
#include "core/util/unique_fd.h"
#include "profil/reading/model/profile.h"

/// File: opens the output file that a template names (core/util/output_template.h).

namespace csink::tool {

/// Expands a template. Process properties are those of the process that started first, in its last
/// image; variables are those of this process's environment. `number` replaces %n. Unknown parts
/// are kept. Values cannot contain '/', so they cannot name another folder. Errors: kLimit (too
/// long).
Result<std::string> ExpandTemplate(const std::string& text, const Profile& profile,
                                   std::uint64_t number);

/// Which existing files an output may replace.
enum class Replaces {
  kAnyFile,
  /// Any that was written before the profile's first process began. A newer one is the report of
  /// another process of the same run, and stays: the name gets the pid appended, the host, a number
  kOlderFiles,
  /// Only those of MayReplace (own_report.h), and never through a symbolic link: for a name that
  /// did not come from the program's user.
  kOwnReports,
};

/// Opens the output for writing and creates missing folders. `path` receives the file's path, also
/// after an error.
///
/// With %n, a new file is created with the first free number from 1 on. Otherwise an existing file
/// is replaced, unless `of_one_process` is set and the name cannot tell processes apart. In that
/// case a profiled child of a profiled process appends its pid (report.txt.4711), and an MPI
/// process its rank (report.txt.r3), unless the template has %p, %n (or %r). With `of_one_process`
/// or kOlderFiles, the ranks of a world that MPI_Comm_spawn made append its name
/// (report.txt.spawn.1537671170), unless the template has %p, %n or %j.
/// Where this process is root and the profile has processes of another user, the file is readable
/// by root alone: it may show that user's sources.
/// Errors carry errno, or with errno 0 their own words.
Result<UniqueFd> OpenOutput(const std::string& text, const Profile& profile, bool of_one_process,
                            std::string& path, Replaces replaces = Replaces::kAnyFile);

/// Whether this process is root and the profile has processes of another user.
bool IsOfAnotherUser(const Profile& profile);

}  // namespace csink::tool
