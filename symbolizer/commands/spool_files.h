#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/util/result.h"
#include "profil/model/profile.h"
#include "profil/reader/reader.h"

/// File: spools on disk: where they lie, how they are called, which of them belong
/// together, whether their process lives.

namespace csink::tool {

/// A spool's file name taken apart:
/// <program>.<host>.<pid>.<start ticks>.<generation>.csink
struct SpoolName {
  std::string path;
  std::string program;
  std::string host;
  std::uint32_t pid = 0;
  std::uint64_t start_ticks = 0;
  std::uint32_t generation = 0;

  /// The same process in whatever image.
  bool SameProcess(const SpoolName& other) const {
    return pid == other.pid && start_ticks == other.start_ticks && host == other.host;
  }
};

/// nullopt when the file is not called like a spool.
std::optional<SpoolName> ParseSpoolName(const std::string& path);

/// All files called *.csink in a folder, sorted by name. Does not follow links.
std::vector<std::string> SpoolsIn(const std::string& folder);

/// Folders of process trees ("tree.*") in a folder.
std::vector<std::string> TreesIn(const std::string& folder);

/// The spools in a folder and in the folders of trees in it.
std::vector<std::string> SpoolsBelow(const std::string& folder);

/// The spools of the same process's other images (it exec'ed), in the same folder.
/// Told by pid and start ticks, not by generation: a program that cleans its
/// environment before it execs starts counting anew.
std::vector<std::string> OtherImages(const std::string& path);

/// Where spools may lie, best first: CSINK_SPOOL_DIR (or spool_dir of CSINK_OPTIONS) alone when
/// set; else
/// $XDG_RUNTIME_DIR/csink, /dev/shm/csink-<uid>, $TMPDIR/csink-<uid>, /tmp/csink-<uid>.
std::vector<std::string> SpoolRoots();

/// Makes a private folder (0700) for the spools of one process tree in the first
/// root that can be used. Roots of ours are created 0700, never through a link,
/// and only used when they belong to us alone. Errors: kPermission (no root).
Result<std::string> MakeTreeFolder(std::uint64_t tree_id);

/// The start of a running process in clock ticks (/proc/PID/stat, field 22).
std::optional<std::uint64_t> StartTicks(std::uint32_t pid);

/// kComplete as the spool says; else kLive while its process runs on this host.
/// `path`: one through /proc/PID/root, as MappedSpool gives it, names a process that
/// may know itself by another number (containers).
ProcessState StateOf(const spool::Header& header, const std::string& path);

/// The spool that a running process has mapped, as a path that we can open.
std::optional<std::string> MappedSpool(std::uint32_t pid);

}  // namespace csink::tool
