#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profil/model/profile.h"
#include "symbolizer/report/report.h"
#include "symbolizer/resolver.h"

/// File: how a profile's modules and addresses are called in a report.

namespace csink::report {

/// A module's base name, or "[vdso]", "[anonymous]", "[unnamed]", "[unknown]".
std::string DisplayName(const Module& module);

/// Asks once per module for all its offsets; answers by (module, offset).
class Names {
 public:
  Names(const Profile& profile, const Resolver& resolve);
  const symbolizer::Location& Of(const CodeAddress& address) const;
  const symbolizer::ModuleAnswer& Answer(std::uint32_t module) const { return answers_[module]; }
  /// A start routine's name; empty when unknown.
  std::string RoutineName(const CodeAddress& address) const;

 private:
  std::vector<std::vector<std::uint64_t>> offsets_;
  std::vector<symbolizer::ModuleAnswer> answers_;
  symbolizer::Location nothing_;
};

}  // namespace csink::report
