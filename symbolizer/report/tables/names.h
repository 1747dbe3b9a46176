#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profil/model/profile.h"
#include "symbolizer/report/tables/report.h"
#include "symbolizer/resolve/resolver.h"

/// File: the names of a profile's modules and addresses in a report.

namespace csink::report {

/// A module's base name, or "[vdso]", "[anonymous]", "[unnamed]", "[unknown]".
std::string DisplayName(const Module& module);

/// The address that gives the name of a caller: an address inside the call instruction, not the
/// return address. The instruction behind a call that does not return may belong to another
/// function.
CodeAddress CallSite(const Caller& caller);

/// The request to the symbolizer for one module. `offsets` is sorted and unique.
symbolizer::ModuleRequest RequestOf(const Module& module, const std::vector<std::uint64_t>& offsets,
                                    symbolizer::Detail detail);

/// Resolves all offsets of each module in one request, and keeps the results by (module, offset).
class Names {
 public:
  Names(const Profile& profile, const Resolver& resolve, const BuildOptions& options);
  const symbolizer::Location& Of(const CodeAddress& address) const;
  /// The result for a module; without locations if nothing was requested.
  const symbolizer::ModuleAnswer& Answer(std::uint32_t module) const { return answers_[module]; }
  /// All results, each once.
  Addresses Keep(const Profile& profile) const;
  /// The name of a start routine; empty if unknown.
  std::string RoutineName(const CodeAddress& address) const;

 private:
  /// Index of the address in its module's result; nullopt if it was not requested.
  std::optional<std::size_t> Find(const CodeAddress& address) const;
  void ResolveAnonymous(const Profile& profile, const Resolver& resolve, symbolizer::Detail detail);

  std::vector<std::vector<std::uint64_t>> offsets_;
  std::vector<symbolizer::ModuleAnswer> answers_;
  symbolizer::Location nothing_;
};

}  // namespace csink::report
