#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "profil/reading/model/profile.h"
#include "symbolizer/names/resolve/resolver.h"

/// File: decides whether two addresses belong to the same function. All tables and formats use it,
/// so that their rows agree.

namespace csink::report {

/// The name of the row for all code without file and name.
inline constexpr char kAnonymousCode[] = "[code without a file]";
/// The module of functions that a JIT's map names.
inline constexpr char kJitModule[] = "[jit]";

/// Identifies a function: the index of its module, its start in the module's own addresses, and its
/// name as shown.
struct FunctionKey {
  /// Index into Profile::modules; kNoModule for keys that no module has.
  std::uint32_t module;
  /// Start of the function in the module's own addresses.
  std::uint64_t vaddr;
  /// As shown.
  std::string name;
  bool operator==(const FunctionKey&) const = default;
};
/// The multiplier is 2^64 divided by the golden ratio (Fibonacci hashing): it spreads addresses
/// that differ in few bits. The name counts only where the address tells nothing: names are long,
/// and the functions of a module differ in their start.
struct FunctionKeyHash {
  std::size_t operator()(const FunctionKey& key) const noexcept {
    const std::size_t start = key.vaddr * 0x9e3779b97f4a7c15ull + key.module;
    return key.module == kNoModule ? start ^ std::hash<std::string>()(key.name) : start;
  }
};

/// Anonymous code without names is one row: a row for each address would say nothing.
inline bool IsNameless(const Module& module, const symbolizer::Location& location) {
  return module.is_anonymous && location.source == symbolizer::NameSource::kNone;
}

/// The key of a resolved address. `index` is the module's index in the profile.
inline FunctionKey KeyOf(std::uint32_t index, const Module& module,
                         const symbolizer::Location& location) {
  if (IsNameless(module, location)) return {kNoModule, 0, kAnonymousCode};
  // A JIT may compile a function several times; all copies are one function, whatever their
  // address.
  if (location.source == symbolizer::NameSource::kPerfMap) return {kNoModule, 1, location.function};
  return {index, location.function_vaddr, location.function};
}

}  // namespace csink::report
