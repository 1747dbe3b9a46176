#pragma once

#include <cstdint>
#include <string_view>

#include "core/util/text.h"
#include "profil/format/tree_names.h"
#include "profil/inside/spool/small_writer.h"

/// File: what a process of a tree does in the folders of tree_names.h.

namespace csink {

/// Creates `path` as a private folder (0700), or accepts it if it is a folder of this user to which
/// no other user may write, and no symbolic link. Returns 0 or a negative errno; -EPERM:
/// of another user, or others may write to it. Threads: any. Signals: safe.
long EnsurePrivateFolder(const char* path) noexcept;

/// True if `error`, a positive errno of the tree's folder, means that the folder belongs to another
/// user than this process.
bool MeansOtherUser(int error) noexcept;

/// The folder of this process's effective user in the place for other users of the tree, which is
/// made if it is missing. Returns 0 or a negative errno; -ENOENT: csink run has made no such place,
/// or has removed it. Threads: any. Signals: safe.
long EnsureUsersFolder(std::uint64_t tree, Text<512>& folder) noexcept;

/// Appends a finished record to the tree's file of records in `folder`, or where this process has
/// become another user, to the one in that user's folder. Returns 0 or an errno. Threads: as
/// SmallRecordWriter. Signals: safe.
int AppendInTree(SmallRecordWriter& record, std::string_view folder, std::uint64_t tree) noexcept;

/// True if csink run has `device`, `inode` as its stderr. Threads: any. Signals: safe.
bool IsStderrOfTree(std::string_view folder, std::uint64_t tree, std::uint64_t device,
                    std::uint64_t inode) noexcept;

/// Appends a line, with its end, to the tree's messages. Returns 0 or an errno; ENOENT: nobody
/// reads them. Threads: any. Signals: safe.
int AppendMessage(std::string_view folder, std::uint64_t tree, std::string_view line) noexcept;

}  // namespace csink
