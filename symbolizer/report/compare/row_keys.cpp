#include "symbolizer/report/compare/row_keys.h"

#include "symbolizer/report/tables/names.h"

namespace csink::report {
namespace {

/// A module's name up to ".so": "libfoo.so.1.2" and "libfoo.so.1.3" are one library. A name without
/// ".so" is unchanged.
std::string StemOf(const std::string& module) { return module.substr(0, module.find(".so")); }

/// Whether the name is an address: "[libfoo.so+0x15bf9]".
bool IsUnnamed(const std::string& function, const std::string& module) {
  return !module.empty() && function.rfind("[" + module + "+0x", 0) == 0;
}

}  // namespace

RowKeys::RowKeys(const std::vector<Baseline>& now, const std::vector<Baseline>& then, By by,
                 const std::vector<ProgramMatch>& programs)
    : by_(by) {
  for (const ProgramMatch& match : programs) renamed_[StemOf(match.now)] = StemOf(match.was);
  std::map<std::string, std::set<std::string>> builds;
  for (const auto& [runs, side] : {std::pair(&now, DiffSide::kNow), {&then, DiffSide::kThen}}) {
    for (const Baseline& run : *runs) {
      for (const Baseline::Build& build : run.builds) {
        builds[StemOn(build.module, side)].insert(build.build_id);
      }
    }
  }
  for (const auto& [module, ids] : builds) {
    // Addresses mean the same only in the same build. Without a build-id it is not known.
    if (ids.size() > 1 || ids.count("") != 0) rebuilt_.insert(module);
  }
}

std::string RowKeys::StemOn(const std::string& module, DiffSide side) const {
  const std::string stem = StemOf(module);
  if (side == DiffSide::kThen) return stem;
  const auto other = renamed_.find(stem);
  return other == renamed_.end() ? stem : other->second;
}

std::string RowKeys::NameOf(const std::string& function, const std::string& module,
                            DiffSide side) const {
  if (by_ != By::kFunctions) return function;
  if (IsUnnamed(function, module) && rebuilt_.count(StemOn(module, side)) != 0) {
    return "[" + module + ", without symbols]";
  }
  return WithoutCloneSuffix(function);
}

RowKeys::Key RowKeys::KeyOf(const std::string& name, const std::string& module,
                            DiffSide side) const {
  // Functions without a symbol are named after their module's file, which may have been renamed, so
  // their names are rewritten with the earlier stem.
  const std::string stem = StemOn(module, side);
  const bool is_all = name.rfind("[" + module + ",", 0) == 0;
  const bool is_elsewhere = IsUnnamed(name, module) && StemOf(module) != stem;
  return {is_all || is_elsewhere ? "[" + stem + name.substr(1 + module.size()) : name, stem};
}

RowFinder::RowFinder(const Comparison& comparison, const std::vector<Baseline>& now,
                     const std::vector<Baseline>& then, By by)
    : keys_(now, then, by, comparison.programs) {
  for (std::size_t i = 0; i < comparison.functions.size(); ++i) {
    // A row has the later side's spelling of its names, if that side has samples.
    const ChangeRow& row = comparison.functions[i];
    const DiffSide side = row.share ? DiffSide::kNow : DiffSide::kThen;
    rows_.emplace(keys_.KeyOf(row.function, row.module, side), i);
  }
}

std::optional<std::size_t> RowFinder::Find(const std::string& function, const std::string& module,
                                           DiffSide side) const {
  const std::string name = keys_.NameOf(function, module, side);
  const auto row = rows_.find(keys_.KeyOf(name, module, side));
  return row == rows_.end() ? std::nullopt : std::optional(row->second);
}

}  // namespace csink::report
