#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/util/unique_fd.h"
#include "profil/reading/reader/reader.h"

namespace csink::spool {

/// File: a file in the place for the other users of a tree (profil/format/tree_names.h). Its bytes
/// are another user's, and that user may replace the file, and his folder, at any time.

/// The parts of such a path, ROOT/tree.<id>/<uid>/<name>. Views point into the path.
struct OtherUsersFile {
  std::string_view folder;  ///< ROOT/tree.<id>/<uid>
  std::uint64_t tree = 0;
  std::uint32_t uid = 0;
  std::string_view name;
};

/// The parts of `path`, or nullopt for any other path. Only the text is looked at.
std::optional<OtherUsersFile> AsOtherUsersFile(std::string_view path);

/// The tree whose folder `path` is in, here or in the place for other users; 0: in none. Likewise.
std::uint64_t TreeOf(std::string_view path);

/// Opens a folder of `uid` for openat(2) and unlinkat(2): no link, owned by that user, and others
/// may not write to it. The agent accepts a folder for spools by the same rule
/// (EnsurePrivateFolder in profil/inside/spool/tree_place.h).
/// Invalid if it is anything else; errno is then set. Threads: any.
UniqueFd OpenFolderOf(const std::string& folder, std::uint32_t uid);

/// Opens the file for reading: no link, a regular file of that user with one name. Invalid if it is
/// anything else; errno is then set (EPERM: of another user, or not a regular file). Threads: any.
UniqueFd OpenOtherUsersFile(const OtherUsersFile& file);

/// Takes from a spool, or a record as a spool, what another user could use to mislead a reader with
/// more rights: its user is the owner of the file, and of its modules only those keep their path
/// that can be compared with the file that is there (by build id, or device and inode), and that
/// are no files of the kernel. Returns nullptr, or why the spool is not read at all: of another
/// tree, or a merged file, whose processes could be any.
const char* Distrust(Spool& spool, const OtherUsersFile& file);

}  // namespace csink::spool
