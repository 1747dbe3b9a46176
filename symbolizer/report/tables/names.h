#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profil/model/profile.h"
#include "symbolizer/report/tables/report.h"
#include "symbolizer/resolve/resolver.h"

/// File: how a profile's modules and addresses are called in a report.

namespace csink::report {

/// A module's base name, or "[vdso]", "[anonymous]", "[unnamed]", "[unknown]".
std::string DisplayName(const Module& module);

/// Where to look up the name of a caller: inside the call, which ends where it returns to. The
/// instruction behind a call that does not return may be another function's.
CodeAddress CallSite(const Caller& caller);

/// What is to be asked of the symbolizer about a module; `offsets` as ModuleRequest wants them.
symbolizer::ModuleRequest RequestOf(const Module& module, const std::vector<std::uint64_t>& offsets,
                                    symbolizer::Detail detail);

/// Asks once per module for all its offsets; answers by (module, offset).
class Names {
 public:
  Names(const Profile& profile, const Resolver& resolve, const BuildOptions& options);
  const symbolizer::Location& Of(const CodeAddress& address) const;
  /// A module's answer; without locations where nothing was asked.
  const symbolizer::ModuleAnswer& Answer(std::uint32_t module) const { return answers_[module]; }
  /// All of them, each once.
  Addresses Keep(const Profile& profile) const;
  /// A start routine's name; empty when unknown.
  std::string RoutineName(const CodeAddress& address) const;

 private:
  /// Index of the address's answer in its module; nothing where it was not asked for.
  std::optional<std::size_t> Find(const CodeAddress& address) const;
  void ResolveAnonymous(const Profile& profile, const Resolver& resolve, symbolizer::Detail detail);

  std::vector<std::vector<std::uint64_t>> offsets_;
  std::vector<symbolizer::ModuleAnswer> answers_;
  symbolizer::Location nothing_;
};

}  // namespace csink::report
