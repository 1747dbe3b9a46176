#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "symbolizer/names/elf/file.h"

namespace csink::symbolizer {

/// A split unit as its skeleton unit names it (DW_AT_dwo_name or DW_AT_GNU_dwo_name,
/// DW_AT_comp_dir; DWARF 5, 3.1.2 and 7.3.2).
struct SplitName {
  std::string name;      ///< Of the .dwo file, usually relative to `folder`
  std::string folder;    ///< Of the compilation; may be empty
  std::uint64_t id = 0;  ///< dwo_id: a unit with another id is not accepted
};

/// Opens the files that a module's debug information refers to. The reader of DIEs knows what these
/// files contain; this interface knows where they lie. Tests put other files behind it.
///
/// A file that is found is checked as far as the file alone allows: class, machine, build id or
/// checksum. Whether it has the unit that is wanted is checked by the reader (split.h).
/// Owns:    the files it opened, shared with the callers. A file may be requested any number of
/// times; missing files are remembered.
/// Threads: one call at a time; the reader has a lock around them.
class DebugFiles {
 public:
  virtual ~DebugFiles() = default;

  /// dwz's file of what several modules share (.gnu_debugaltlink, or .debug_sup of DWARF 5). Null:
  /// there is none, or every file at the known places has another build id (or checksum). See
  /// supplement.h.
  virtual std::shared_ptr<const ElfFile> Alternate() = 0;

  /// The package of all split units beside the module or its debug file ("a.out.dwp"; DWARF 5,
  /// 7.3.5), or null. It is asked before Split: one file that holds all units needs one search.
  virtual std::shared_ptr<const ElfFile> Package() = 0;

  /// The object with one split unit (.dwo, or an object file that has .debug_info.dwo), or null. An
  /// object whose units are known to have other ids is not returned.
  virtual std::shared_ptr<const ElfFile> Split(const SplitName& unit) = 0;
};

/// For the debug information in `elf`, which was opened at `path` (without `root`) for the module
/// mapped from `module_path`; both are the same path if the module has its own debug information.
/// `root` goes before every path that is opened. `elf` outlives the result. Never null.
std::unique_ptr<DebugFiles> MakeDebugFiles(const ElfFile& elf, const std::string& path,
                                           const std::string& module_path, const std::string& root);

}  // namespace csink::symbolizer
