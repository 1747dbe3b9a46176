#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compat/apapi/event_ops.h"

namespace csink::apapi {

/// The shipped operations and event lists, read by APAPI_init.
/// Owns:    their text.
/// Threads: one at a time.
class Defaults {
 public:
  /// Reads both files. False: at least one of them could not be read, which was said.
  bool Load();
  void Forget();

  const apapi_event_ops* ops() const noexcept { return ops_.entries.get(); }
  /// The lines of a component's list, by its name or its short name; they may hold '*'.
  std::vector<std::string> EventsOf(std::string_view name, std::string_view short_name) const;

 private:
  bool LoadOps();
  bool LoadList();

  MallocPtr<char[]> ops_text_, list_text_;
  OpsList ops_;
  std::vector<char*> events_;
};

Defaults& TheDefaults();

/// Where a default file is: below APAPI_DATADIR (in its folder apapi, or in itself) when that is
/// set, else below share/apapi of the tree that this library lies in, moved or not, else of the
/// build tree. A path that does not exist names the place where it should be.
std::string DefaultFile(const char* name);

}  // namespace csink::apapi
