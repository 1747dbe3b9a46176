#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/util/result.h"
#include "core/util/unique_fd.h"
#include "profil/reading/model/profile.h"
#include "profil/reading/reader/reader.h"

/// File: spools on disk: where they are, what their names mean, which of them belong together, and
/// whether their process still runs.

namespace csink::tool {

/// The parts of a spool's file name, <program>.<host>.<pid>.<start ticks>.<generation>.csink
struct SpoolName {
  /// As it was given to ParseSpoolName.
  std::string path;
  /// Program and machine as they are in the file's name.
  std::string program;
  std::string host;
  /// In the process's own pid namespace.
  std::uint32_t pid = 0;
  /// Start of the process in clock ticks (/proc/PID/stat, field 22). With the pid and the host it
  /// identifies the process.
  std::uint64_t start_ticks = 0;
  /// Number of earlier images of the process.
  std::uint32_t generation = 0;

  /// Whether both are images of the same process.
  bool SameProcess(const SpoolName& other) const {
    return pid == other.pid && start_ticks == other.start_ticks && host == other.host;
  }
};

/// The parts of the name of a path. Returns nullopt if the file's name is not that of a spool. The
/// file is not looked at.
std::optional<SpoolName> ParseSpoolName(const std::string& path);

/// Opens a folder for listing, and for removing by unlinkat(2). A usual folder (SpoolRoots without
/// a choice of the user), and a folder of a tree in one, is opened only as the agent would use it:
/// owned by this user, not writable for others, no symbolic link. Others can write to /dev/shm and
/// /tmp, and plant a folder or a link under its name. Any other folder was named by the user and is
/// opened as it is. Invalid if that is not possible; errno is then set.
UniqueFd OpenSpoolFolder(const std::string& folder);

/// Behind the name of a folder that OpenSpoolFolder refuses.
inline constexpr char kNotTrusted[] =
    ": not used: it is a symbolic link or another user's, or others may write to it";

/// As OpenSpoolFolder, but asks every folder for the same as a usual one. Only what is opened here
/// is removed from.
UniqueFd OpenFolderToClean(const std::string& folder);

/// Whether the folder is one of the usual folders, or a folder of a tree in one. By the path alone.
bool IsUsualFolder(const std::string& folder);

/// Removes a file from its folder (OpenFolderToClean). Errors leave the file.
void RemoveFile(const std::string& path);

/// Removes an empty folder from the folder above. Returns 0 or an errno.
int RemoveFolder(const std::string& path);

/// All files named *.csink in a folder, sorted by name, as paths that begin with `folder`. Does not
/// follow symbolic links. Empty if the folder cannot be read.
std::vector<std::string> SpoolsIn(const std::string& folder);
/// Only those whose names `wanted` accepts; the others are not looked at.
std::vector<std::string> SpoolsIn(const std::string& folder,
                                  const std::function<bool(const std::string&)>& wanted);

/// The files in a folder, links included, whose names `wanted` accepts; otherwise as SpoolsIn.
std::vector<std::string> FilesIn(const std::string& folder,
                                 const std::function<bool(const std::string&)>& wanted);

/// Folders of process trees ("tree.*") in a folder, sorted by name.
std::vector<std::string> TreesIn(const std::string& folder);

/// The spools in a folder and in the folders of trees in it; not deeper.
std::vector<std::string> SpoolsBelow(const std::string& folder);

/// The spools of other images (before or after execve) of the same process, in the same folder.
/// Matched by pid and start ticks, not by generation: a program that clears its environment before
/// execve starts with generation 0 again.
std::vector<std::string> OtherImages(const std::string& path);

/// The folders where spools may be, best first: only CSINK_SPOOL_DIR (or spool_dir of
/// CSINK_OPTIONS) if set; else $XDG_RUNTIME_DIR/csink, /dev/shm/csink-<uid>, $TMPDIR/csink-<uid>,
/// /tmp/csink-<uid>.
std::vector<std::string> SpoolRoots();

/// The spools of the process that wrote last, with its earlier images, of all spools in SpoolRoots
/// and in the folders of trees there. Compares modification times. Empty if there are none.
std::vector<std::string> NewestSpools();

/// Creates a private folder (0700) for the spools of one process tree in the first usable root.
/// Roots are created with mode 0700, never through a symbolic link, and used only if they belong to
/// this user alone: other users can write to /tmp and /dev/shm. Errors: kPermission (no usable
/// root).
Result<std::string> MakeTreeFolder(std::uint64_t tree_id);

/// The start time of a running process in clock ticks (/proc/PID/stat, field 22). Returns nullopt
/// if there is no such process, or if it is a zombie.
std::optional<std::uint64_t> StartTicks(std::uint32_t pid);

/// kComplete if the spool says so; else kLive while its process runs on this host, or any process
/// that this one can look at has the file mapped: in another pid or time namespace, number and
/// start of the process differ. A `path` through /proc/PID/root, as MappedSpool returns it, names
/// the process directly.
ProcessState StateOf(const spool::Header& header, const std::string& path);

/// Whether any process has a file with this name and inode mapped, as far as /proc shows it. Looks
/// at all processes, at most once a second.
bool IsMappedAnywhere(const std::string& path);

/// The spool that a running process has mapped, as a path that this process can open: through
/// /proc/PID/root if possible, because the process may run in a container. Returns nullopt if it
/// has none, or if /proc/PID/maps cannot be read.
std::optional<std::string> MappedSpool(std::uint32_t pid);

}  // namespace csink::tool
