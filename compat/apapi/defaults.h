#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compat/apapi/event_ops.h"

namespace csink::apapi {

/// The event operations and event lists that are installed with libapapi. APAPI_init reads them.
/// Owns:    the texts of both files; ops() points into them.
/// Threads: one thread at a time. Event sets copy what they take, so they outlive Forget.
class Defaults {
 public:
  /// Reads both files anew. False: at least one of them could not be read; a message on stderr
  /// names it.
  bool Load();
  /// Frees the texts; pointers from ops() are no longer valid.
  void Forget();

  /// The default operations, ended by an entry whose event_name is NULL; nullptr before Load.
  const apapi_event_ops* ops() const noexcept { return ops_.entries.get(); }
  /// The default events of a component, found by its name or its short name. They may contain '*'.
  std::vector<std::string> EventsOf(std::string_view name, std::string_view short_name) const;

 private:
  /// Read one file each. False, with a message on stderr: that file's part stays empty.
  bool LoadOps();
  bool LoadList();

  MallocPtr<char[]> ops_text_, list_text_;
  OpsList ops_;
  std::vector<char*> events_;
};

/// The defaults of this process; made by the first call and never destroyed.
Defaults& TheDefaults();

/// The path of a default file. If APAPI_DATADIR is set: in its folder apapi, or directly in it.
/// Otherwise in share/apapi of the installation (or build tree) that contains this library, so an
/// installation can be moved. If the file does not exist, the result is the path where it is
/// expected.
std::string DefaultFile(const char* name);

}  // namespace csink::apapi
