#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "profil/reading/merge/merge.h"
#include "profil/reading/merge/merge_modules.h"
#include "profil/reading/model/profile.h"
#include "profil/reading/model/python_module.h"
#include "profil/reading/reader/reader.h"

namespace csink {

/// The Python functions of a merge. Two are the same if their names, files and tables of lines are.
/// Owns:    its rows until Take.
/// Threads: one owner.
class PythonTable {
 public:
  /// Adds the functions of a spool. Returns their indices by the spool's own.
  std::vector<std::uint32_t> Add(const spool::Spool& spool);
  std::vector<PythonFunction> Take() noexcept { return std::move(rows_); }
  PythonSums TakeSums();

 private:
  using Key = std::tuple<std::string, std::string, std::uint32_t, std::string>;

  std::vector<PythonFunction> rows_;
  std::map<Key, std::uint32_t> index_;
  PythonSums sums_;
};

/// Translates the samples of one spool to places of the profile, as MergeOptions::python says.
/// Owns:    nothing of the spool or the tables; these must outlive it.
class SpoolPython {
 public:
  SpoolPython(const spool::Spool& spool, PythonTable& table, ModuleTable& modules, PythonView view);
  /// A sample's place: its address, the code of C below a Python function, and the chain of its
  /// callers (an id of the spool; 0: none).
  struct Sample {
    CodeAddress address;
    CodeAddress native;
    std::uint32_t chain;
    bool is_python;  ///< `address` is a function, behind whose callers `chain` begins
  };
  /// The address that stands for a function's Python callers.
  CodeAddress UnknownCallers() const noexcept {
    return {module_, spool::PythonPc(kUnknownPythonCallers, spool::kNoInstruction)};
  }
  Sample Of(std::uint32_t region, std::uint64_t pc, std::uint32_t chain, SpoolCode& code) const;
  /// Whether the node is a place in Python code that is no caller of the profile.
  bool LeavesOut(const spool::Chain& chain) const noexcept {
    return (chain.flags & spool::kChainPython) != 0 && view_ != PythonView::kAsStored;
  }
  /// The address of a node with kChainPython.
  CodeAddress AddressOf(const spool::Chain& chain) const;

 private:
  const spool::Spool& spool_;
  PythonView view_;
  std::uint32_t module_ = kNoModule;
  std::vector<std::uint32_t> functions_;  ///< By the spool's own ids
};

}  // namespace csink
