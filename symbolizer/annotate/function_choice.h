#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "symbolizer/report/tables/report.h"

/// File: finds the sampled functions that a name given by the user refers to.

namespace csink::annotate {

/// The samples of one function: all places with the same FunctionKey.
struct SampledFunction {
  std::string name;                ///< Demangled, as reports show it
  std::string raw_name;            ///< As in the symbol table; may be empty
  std::string module;              ///< As reports show it
  std::uint32_t module_index = 0;  ///< Index into Profile::modules
  std::uint64_t vaddr = 0;         ///< Location::function_vaddr
  symbolizer::NameSource source = symbolizer::NameSource::kNone;
  std::vector<std::size_t> places;  ///< Indices into Profile::places
  std::vector<EventCount> counts;   ///< One per event
};

/// All sampled functions, by weight. `report` must have been built with
/// BuildOptions::keep_addresses.
std::vector<SampledFunction> SampledFunctions(const report::Report& report);

/// What a name refers to.
struct Choice {
  /// Indices into the functions; all have the same name and module
  std::vector<std::size_t> functions;
  std::vector<std::string> candidates;  ///< "module:function": it could mean each of these, hottest
                                        ///< first; or none fits and these are the nearest
  bool is_ambiguous = false;            ///< The candidates match the name
};

/// `wanted` is FUNCTION or MODULE:FUNCTION. The first of these rules that matches any function is
/// used: equal (demangled or raw); equal without parameters; end of a qualified name ("push" for
/// "Stack<int>::push(int)"); part of the name.
Choice ChooseFunction(const std::vector<SampledFunction>& functions, const std::string& wanted);

/// A function's name without its parameters, the template arguments of its last part, and clone
/// marks: "a::b<int>::f" for "int a::b<int>::f<2>(char) const [clone .cold]".
std::string PlainName(const std::string& name);

}  // namespace csink::annotate
