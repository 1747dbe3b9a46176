#include "profil/reading/merge/merge_modules.h"

#include "profil/reading/reader/other_user.h"

/// File: modules are matched before their names are known, so by what the kernel said of the
/// mapping. An upgraded library has the old path and a new build id, and is another module.

namespace csink {
namespace {

// The module of a region, without its process.
Module ModuleOf(const spool::Region& region) {
  Module module;
  module.path = region.path;
  module.build_id.assign(region.build_id.begin(), region.build_id.end());
  module.device_major = region.device_major;
  module.device_minor = region.device_minor;
  module.inode = region.inode;
  module.is_vdso = (region.flags & spool::kRegionVdso) != 0;
  module.is_deleted = (region.flags & spool::kRegionDeleted) != 0;
  module.is_unknown = (region.flags & spool::kRegionUnknown) != 0;
  module.is_python = (region.flags & spool::kRegionPython) != 0;
  // The unknown addresses of all processes are one module; anonymous code belongs to a process.
  module.is_anonymous = !module.is_unknown && (region.flags & spool::kRegionAnonymous) != 0;
  // A JIT may have several regions in one process, whose addresses are the places.
  if (module.is_anonymous) module.region_start = region.start;
  return module;
}

}  // namespace

// The first number keeps the kinds apart: unknown, anonymous (by process), by build-id, by file,
// Python.
ModuleTable::Key ModuleTable::KeyOf(const Module& module) {
  if (module.is_unknown) return {0, "", 0, 0, 0};
  if (module.is_python) return {4, "", 0, 0, 0};
  if (module.is_anonymous) return {1, module.path, module.process, module.region_start, 0};
  // A container or a second installation has the same file at another path.
  if (!module.build_id.empty()) {
    return {2, std::string(module.build_id.begin(), module.build_id.end()), 0, 0, 0};
  }
  // Without the inode, a library that was replaced during a run would be one with its successor.
  return {3, module.path, module.device_major, module.device_minor, module.inode};
}

std::uint32_t ModuleTable::IndexOf(Module module) {
  // The first region that is found gives the module's path and flags.
  const auto [it, is_new] = index_.emplace(KeyOf(module), static_cast<std::uint32_t>(rows_.size()));
  if (is_new) rows_.push_back(std::move(module));
  return it->second;
}

std::uint32_t ModuleTable::Unknown() {
  Module unknown;
  unknown.is_unknown = true;
  return IndexOf(std::move(unknown));
}

void ModuleTable::RenumberProcesses(std::span<const std::size_t> new_index) {
  for (Module& module : rows_) {
    if (module.is_anonymous) module.process = new_index[module.process];
  }
}

SpoolCode::SpoolCode(const spool::Spool& spool, const ProcessTable& processes,
                     const SpoolProcesses& own, ModuleTable& modules)
    : spool_(spool), modules_(modules) {
  module_of_.reserve(spool.regions.size());
  for (const spool::Region& region : spool.regions) {
    Module module = ModuleOf(region);
    // In a merged file anonymous code names its own process.
    module.process = own.RowOf(region.process_plus_one);
    // By these three numbers a report finds the names of the JIT code of that process.
    if (module.is_anonymous) {
      const ProcessRow& owner = processes[module.process];
      module.pid = owner.namespace_pid;
      module.uid = owner.uid;
      module.image_realtime_ns = owner.image_realtime_ns;
    }
    // Another user may replace what lies beside his spools.
    const std::string& path = processes[module.process].spool_path;
    if (!spool::AsOtherUsersFile(path)) module.spool_path = path;
    module_of_.push_back(modules.IndexOf(std::move(module)));
  }
}

}  // namespace csink
