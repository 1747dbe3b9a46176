#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "profil/reading/model/profile.h"
#include "symbolizer/names/resolve/resolver.h"
#include "symbolizer/report/tables/report.h"

/// File: the names of a profile's modules and addresses in a report.

namespace csink::report {

/// A module's base name, or "[vdso]", "[anonymous]", "[unnamed]", "[unknown]" if it has none.
std::string DisplayName(const Module& module);

/// The address that gives the name of a caller: an address inside the call instruction, not the
/// return address. The instruction behind a call that does not return may belong to another
/// function.
CodeAddress CallSite(const Caller& caller);

/// The addresses that give the names of places where threads wait, and of lock holders: those of
/// blocked threads are behind the system call's instruction.
CodeAddress InsideOf(const WaitSite& site);
CodeAddress InsideOf(const WaitLock& lock);
CodeAddress InsideOf(const WaitHolder& holder);

/// A function's name without compilers' suffixes (symbolizer/names/demangle/clone_suffix.h),
/// without " [clone ...]" of demanglers, and without the hash of Rust's legacy names ("::h" and 16
/// hexadecimal digits). These parts change from build to build, so comparisons leave them out.
std::string WithoutCloneSuffix(const std::string& function);

/// The request to the symbolizer for one module. `offsets` is sorted and unique. The lists of
/// processes and jitdump files are empty, and is_running_kernel is false; Names fills them in.
symbolizer::ModuleRequest RequestOf(const Module& module, const std::vector<std::uint64_t>& offsets,
                                    symbolizer::Detail detail);

/// Resolves all offsets of each module in one request, and keeps the results by (module, offset).
/// Owns:    the results. References to locations are valid as long as the object.
/// Threads: const functions from any thread.
class Names {
 public:
  /// Resolves everything that a report names: sampled places, call sites, and start routines of
  /// threads. Calls options.progress before each module. `profile` is not used afterwards.
  Names(const Profile& profile, const Resolver& resolve, const BuildOptions& options);
  /// The location of an address that was part of the profile; an empty location if it was not, or
  /// if the resolver did not answer for it.
  const symbolizer::Location& Of(const CodeAddress& address) const;
  /// The same for a pass over places, whose addresses rise. `hint` belongs to the pass, and is 0 at
  /// its begin: the locations there and behind it are tried before a search.
  const symbolizer::Location& Of(const CodeAddress& address, std::size_t& hint) const;
  /// The result for a module; without locations if nothing was requested.
  const symbolizer::ModuleAnswer& Answer(std::uint32_t module) const { return answers_[module]; }
  /// All results, each once, with the indices of the profile's places and callers. The locations
  /// are moved: Of and Answer may not be called afterwards.
  Addresses Keep(const Profile& profile) &&;
  /// The name of the variable at an address of a lock; empty if unknown.
  std::string DataName(std::uint32_t module, std::uint64_t address) const;
  /// The name of the function that a thread runs (thread_function.h); empty if unknown.
  std::string RoutineName(const CodeAddress& address) const;

 private:
  /// Index of the address in its module's result; nullopt if it was not requested.
  std::optional<std::size_t> Find(const CodeAddress& address) const;
  /// The same with the hint of Of.
  std::optional<std::size_t> Find(const CodeAddress& address, std::size_t& hint) const;
  /// Asks for the names of the locks' variables. They need no request of their own addresses, so
  /// that an answer about code can be cached.
  void ResolveData(const Profile& profile, const Resolver& resolve);
  /// Resolves modules of code without a file, one request for each process.
  void ResolveAnonymous(const Profile& profile, const Resolver& resolve, symbolizer::Detail detail);

  /// By module: the requested offsets, sorted and unique.
  std::vector<std::vector<std::uint64_t>> offsets_;
  /// By module: locations in the order of offsets_.
  std::vector<symbolizer::ModuleAnswer> answers_;
  /// By module and address
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::string> data_names_;
  symbolizer::Location nothing_;
};

/// Samples in the agent itself are one row of this name in every table and format: its functions
/// are of no interest to the program's author, but the row shows the cost of profiling.
inline constexpr char kAgentCode[] = "[csink agent]";

/// Whether a module is libagent.so of csink, or libcsink-critical.so with its hooks. Java debuggers
/// have a library of the first name, so the file is searched for the agent's own symbol,
/// csink_agent_identity. The file is read at each call. False if it cannot be read.
bool IsAgentModule(const Module& module);

}  // namespace csink::report
