#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "profil/reading/merge/merge_processes.h"
#include "profil/reading/model/profile.h"
#include "profil/reading/reader/reader.h"

namespace csink {

/// Hash of an identity that consists of an address, a caller and one more number. Not secret: a
/// manipulated spool can only make the merge slow.
inline std::size_t HashOf(const CodeAddress& address, std::uint32_t caller,
                          std::uint64_t rest) noexcept {
  const auto mix = [](std::uint64_t a, std::uint64_t b) {
    return (a ^ b) * 0x9e3779b97f4a7c15ull ^ (a >> 29);
  };
  return mix(mix(address.offset, std::uint64_t{address.module} << 32 | caller), rest);
}

/// The modules of a merge. They are matched by build id, else by path, device and inode; anonymous
/// code by process and start. All unknown addresses share one module.
/// Owns:    its rows until Take.
/// Threads: one owner.
class ModuleTable {
 public:
  /// The index of `module`, added if it is new. Module::process is part of the identity of
  /// anonymous code.
  std::uint32_t IndexOf(Module module);
  /// The module of unknown addresses, added if it is new.
  std::uint32_t Unknown();

  /// A module whose index was returned. Valid until the next one is added.
  const Module& operator[](std::uint32_t index) const noexcept { return rows_[index]; }
  /// Replaces the process of anonymous modules (ProcessTable::Sort). Call it at the end: the
  /// identities keep the former numbers.
  void RenumberProcesses(std::span<const std::size_t> new_index);
  /// The rows. Call this last.
  std::vector<Module> Take() noexcept { return std::move(rows_); }

 private:
  // Kind, text, and three numbers; see KeyOf.
  using Key = std::tuple<int, std::string, std::uint64_t, std::uint64_t, std::uint64_t>;
  static Key KeyOf(const Module& module);

  std::vector<Module> rows_;
  std::map<Key, std::uint32_t> index_;
};

/// Translates the addresses of one spool, (region, PC), to addresses of the profile.
/// Owns:    nothing of the spool or the tables; both must outlive it.
class SpoolCode {
 public:
  /// Adds the regions of `spool` to `modules`. `own`: the rows of the spool's processes.
  SpoolCode(const spool::Spool& spool, const ProcessTable& processes, const SpoolProcesses& own,
            ModuleTable& modules);

  /// The address of `pc`; module kNoModule if the spool has no such region.
  CodeAddress AddressOf(std::uint32_t region, std::uint64_t pc) const noexcept {
    if (region >= module_of_.size()) return {};
    const Module& module = modules_[module_of_[region]];
    // There is no file, so the place is the address itself.
    if (module.is_unknown || module.is_anonymous) return {module_of_[region], pc};
    const spool::Region& mapping = spool_.regions[region];
    return {module_of_[region], pc - mapping.start + mapping.file_offset};
  }
  /// AddressOf, with the module of unknown addresses instead of kNoModule.
  CodeAddress AddressOrUnknown(std::uint32_t region, std::uint64_t pc) {
    const CodeAddress address = AddressOf(region, pc);
    return address.module != kNoModule ? address : CodeAddress{modules_.Unknown(), pc};
  }
  /// The module of a region; kNoModule if the spool has no such region.
  std::uint32_t ModuleIndexOf(std::uint32_t region) const noexcept {
    return region < module_of_.size() ? module_of_[region] : kNoModule;
  }

 private:
  const spool::Spool& spool_;
  ModuleTable& modules_;
  std::vector<std::uint32_t> module_of_;  // By region
};

}  // namespace csink
