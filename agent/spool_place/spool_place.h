#pragma once

#include <string_view>

#include "core/util/text.h"
#include "profil/spool/writer.h"

namespace csink::agent {

/// Where the spool of this process lies.
///
/// CSINK_SPOOL_DIR comes first. Without one, or where that folder cannot be used, these are tried
/// in turn: $XDG_RUNTIME_DIR/csink, /dev/shm/csink-UID, $TMPDIR/csink-UID. The first two are tmpfs:
/// a spool on ext4 costs four times as much. The program's working directory is never used.
///
/// A folder is used only when it belongs to this user alone: another user could have made a folder
/// under our name, and could then replace the spool.
///
/// Owns:    the names of the folders. Threads: ReadEnvironment from the library's constructor,
///          Create under the collector's lock. Signals: Create is safe.
class SpoolPlace {
 public:
  /// Remembers $XDG_RUNTIME_DIR and $TMPDIR: the program may change them.
  void ReadEnvironment(char* const* environment) noexcept;
  /// Makes the spool in `wanted` (CSINK_SPOOL_DIR, "": none) or in the first usual place that can
  /// be used. The spool's generation is the number of earlier images of this process whose spools
  /// lie there. Warns when `wanted` could not be used. False: no place can be used; warns, too.
  bool Create(SpoolWriter& spool, const spool::Header& header,
              std::string_view wanted) const noexcept;

 private:
  Error CreateInUsualPlace(SpoolWriter& spool, const spool::Header& header,
                           Text<512>& place) const noexcept;

  Text<400> runtime_dir_;
  Text<400> temporary_dir_;  ///< /tmp where $TMPDIR is no absolute path
};

}  // namespace csink::agent
