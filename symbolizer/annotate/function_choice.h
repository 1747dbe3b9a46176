#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "symbolizer/report/tables/report.h"

/// File: which of the sampled functions somebody means.

namespace csink::annotate {

/// The samples of one function: places with one FunctionKey.
struct SampledFunction {
  std::string name;                ///< Demangled, as reports show it
  std::string raw_name;            ///< As in the symbol table; may be empty
  std::string module;              ///< As reports show it
  std::uint32_t module_index = 0;  ///< Into Profile::modules
  std::uint64_t vaddr = 0;         ///< Location::function_vaddr
  symbolizer::NameSource source = symbolizer::NameSource::kNone;
  std::vector<std::size_t> places;  ///< Into Profile::places
  std::vector<EventCount> counts;   ///< One per event
};

/// All of them, hottest first. The report must have been built with BuildOptions::keep_addresses.
std::vector<SampledFunction> SampledFunctions(const report::Report& report);

/// What a name means.
struct Choice {
  std::vector<std::size_t> functions;   ///< Into the functions: all of one name in one module
  std::vector<std::string> candidates;  ///< "module:function": it could mean each of these, hottest
                                        ///< first; or none fits and these are the nearest
  bool is_ambiguous = false;            ///< The candidates fit
};

/// `wanted` is FUNCTION or MODULE:FUNCTION. A name fits, the first way that finds any: exactly
/// (demangled or raw); without its parameters; as the end of a qualified name ("push" of
/// "Stack<int>
/// ::push(int)"); as a part.
Choice ChooseFunction(const std::vector<SampledFunction>& functions, const std::string& wanted);

/// A function's name without parameters, template arguments of its last part and clone marks:
/// "a::b<int>::f" of "int a::b<int>::f<2>(char) const [clone .cold]".
std::string PlainName(const std::string& name);

}  // namespace csink::annotate
