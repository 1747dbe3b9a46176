#pragma once

#include <string>
#include <vector>

#include "core/util/result.h"
#include "core/util/unique_fd.h"

/// File: pages that only their user can read.

namespace csink::tool {

/// The folders in which private folders are made, the best first: XDG_RUNTIME_DIR, then TMPDIR,
/// else /tmp. Values that are no absolute paths are ignored.
std::vector<std::string> PrivateRoots();

/// A page in a folder of its own.
/// Owns: the descriptor. The files stay until Remove.
struct PrivatePage {
  UniqueFd fd;         ///< Open for writing
  std::string folder;  ///< "ROOT/csink-view.XXXXXX", mode 0700
  std::string path;    ///< "FOLDER/page.html", mode 0600

  /// Removes the page and its folder. Errors are ignored.
  void Remove() const;
};

/// Makes a page in the first root that can be written to. Removes there the pages of this user that
/// are older than a day: a browser may need a page for as long as the user looks at it, and csink
/// does not run that long. Errors: that of the last root; kInvalid without any.
Result<PrivatePage> MakePrivatePage(const std::vector<std::string>& roots);

}  // namespace csink::tool
