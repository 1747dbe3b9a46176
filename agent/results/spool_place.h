#pragma once

#include <string_view>

#include "core/util/text.h"
#include "profil/inside/spool/writer.h"

namespace csink::agent {

/// Where the spool of this process lies.
///
/// CSINK_SPOOL_DIR comes first. If none is set, or that folder cannot be used, these are tried in
/// turn: $XDG_RUNTIME_DIR/csink, /dev/shm/csink-UID, $TMPDIR/csink-UID. The first two are tmpfs: a
/// spool on ext4 costs four times as much. The program's working directory is never used.
///
/// In a tree (`csink run`) only the tree's folder is used, or where this process has become another
/// user, that user's folder in the tree's second place (profil/inside/spool/tree_place.h).
///
/// A folder is used only if it belongs to this user and no other user may write to it: another user
/// could have created a folder under this name, and could then replace the spool.
///
/// Owns:    the names of the folders.
/// Threads: ReadEnvironment from the library's constructor, Create under the collector's lock.
///          Signals: Create is safe.
class SpoolPlace {
 public:
  /// Remembers $XDG_RUNTIME_DIR and $TMPDIR, because the program may change them.
  void ReadEnvironment(char* const* environment) noexcept;
  /// Creates the spool in `wanted` (CSINK_SPOOL_DIR, absolute; "": none) or in the first usual
  /// place that can be used. The folder is created with mode 0700 if it is missing. The spool's
  /// generation is the number of earlier images of this process whose spools lie there. Prints a
  /// line if `wanted` could not be used. Returns false if no place can be used; prints a line, too,
  /// and in a tree sets `refused` to the errno.
  bool Create(SpoolWriter& spool, const spool::Header& header, std::string_view wanted,
              int* refused = nullptr) const noexcept;

 private:
  /// Tries the usual places in turn. kOk: the spool exists. Otherwise the error of the last place,
  /// whose name is in `place`.
  Error CreateInUsualPlace(SpoolWriter& spool, const spool::Header& header,
                           Text<512>& place) const noexcept;

  /// Create in a tree whose folder is `wanted`.
  Error CreateInTree(SpoolWriter& spool, const spool::Header& header,
                     std::string_view wanted) const noexcept;

  Text<400> runtime_dir_;
  Text<400> temporary_dir_;  ///< /tmp where $TMPDIR is no absolute path
};

}  // namespace csink::agent
