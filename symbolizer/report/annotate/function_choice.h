#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "symbolizer/report/tables/report.h"

/// File: finds the sampled functions that a name given by the user refers to. docs/annotate.md has
/// the rules.

namespace csink::annotate {

/// The samples of one function: all places with the same FunctionKey
/// (report/data/function_key.h). A main program and a library may both have a function of one
/// name; these are two.
struct SampledFunction {
  /// Demangled, as reports show it.
  std::string name;
  /// As in the symbol table. Empty if the code has no symbol.
  std::string raw_name;
  /// Display name of the module, as reports show it.
  std::string module;
  /// Index into Profile::modules.
  std::uint32_t module_index = 0;
  /// Start of the function in the module's own addresses (Location::function_vaddr).
  std::uint64_t vaddr = 0;
  /// How the name was found.
  symbolizer::NameSource source = symbolizer::NameSource::kNone;
  /// Indices into Profile::places, rising.
  std::vector<std::size_t> places;
  /// The sum of the places, one element for each event.
  std::vector<EventCount> counts;
};

/// All sampled functions, sorted by the weight of the first event, then of the next ones, then by
/// name and module. `report` must have been built with BuildOptions::keep_addresses.
std::vector<SampledFunction> SampledFunctions(const report::Report& report);

/// What a name refers to. Exactly one of three cases holds: `functions` is not empty; the name is
/// ambiguous; or no function has the name.
struct Choice {
  /// Indices into the functions. All have the same name and module: static functions of one name in
  /// one file cannot be told apart by name, so all are meant.
  std::vector<std::size_t> functions;
  /// "module:function" texts. If is_ambiguous: what the name could mean, hottest first, at most ten
  /// and "...". Else the at most three nearest names, for a question "did you mean".
  std::vector<std::string> candidates;
  /// The candidates match the name.
  bool is_ambiguous = false;
};

/// Chooses the functions that `wanted` means: FUNCTION or MODULE:FUNCTION. The first of these rules
/// that matches any function is used: equal (demangled or raw); equal without parameters; end of a
/// qualified name ("push" for "Stack<int>::push(int)"); part of the name. If the part before the
/// colon is not a module with samples, the whole text is taken for a function's name. Case matters.
Choice ChooseFunction(const std::vector<SampledFunction>& functions, const std::string& wanted);

/// A function's name without its return type, parameters, the template arguments of its last part,
/// and clone marks: "a::b<int>::f" for "int a::b<int>::f<2>(char) const [clone .cold]". Names of
/// operators keep their template arguments and their return type, because '<' and blanks are parts
/// of such names.
std::string PlainName(const std::string& name);

}  // namespace csink::annotate
