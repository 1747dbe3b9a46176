#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "symbolizer/report/compare/baseline.h"
#include "symbolizer/report/data/comparison.h"
#include "symbolizer/report/text/table.h"

/// File: which rows of two builds are the same function, line or module. compare.h has the rules.

namespace csink::report {

/// The side of a comparison that a row belongs to.
enum class DiffSide : unsigned char { kThen, kNow };

/// Names rows so that equal keys mean the same function, line or module.
/// Owns:    copies of what it needs of the runs.
class RowKeys {
 public:
  /// A key: function, and stem of the module.
  using Key = std::pair<std::string, std::string>;

  /// `programs` as of MatchPrograms for the same runs.
  RowKeys(const std::vector<Baseline>& now, const std::vector<Baseline>& then, By by,
          const std::vector<ProgramMatch>& programs);

  /// The name under which a function of one side is compared: without clone suffixes. Addresses in
  /// a rebuilt module mean other code, so all functions without a symbol in it are one row.
  std::string NameOf(const std::string& function, const std::string& module, DiffSide side) const;
  /// The key of a row. `name` is a result of NameOf for a function of this module and side.
  Key KeyOf(const std::string& name, const std::string& module, DiffSide side) const;

 private:
  /// The module's stem, under its earlier name.
  std::string StemOn(const std::string& module, DiffSide side) const;

  By by_;
  /// Programs with two names: stem of the later side -> stem of the earlier side.
  std::map<std::string, std::string> renamed_;
  /// Stems of modules that were rebuilt between the sides, or lack a build-id in some run.
  std::set<std::string> rebuilt_;
};

/// Finds the row of a comparison in which a function of one side is counted.
class RowFinder {
 public:
  /// `comparison` was made of these runs with `by`.
  RowFinder(const Comparison& comparison, const std::vector<Baseline>& now,
            const std::vector<Baseline>& then, By by = By::kFunctions);

  /// Index into Comparison::functions. nullopt: the function has no samples of its own on either
  /// side.
  std::optional<std::size_t> Find(const std::string& function, const std::string& module,
                                  DiffSide side) const;

 private:
  RowKeys keys_;
  std::map<RowKeys::Key, std::size_t> rows_;
};

}  // namespace csink::report
