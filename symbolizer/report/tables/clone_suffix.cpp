#include "symbolizer/report/tables/clone_suffix.h"

#include <cstddef>

#include "symbolizer/demangle/clone_suffix.h"

namespace csink::report {
namespace {

/// Whether the name ends with "::h" and 16 hexadecimal digits: the hash of Rust's legacy mangling,
/// which changes with the compiler and with the crate's contents.
bool HasRustHash(const std::string& name) {
  constexpr std::size_t kLength = 19;
  if (name.size() <= kLength || name.compare(name.size() - kLength, 3, "::h") != 0) return false;
  return name.find_first_not_of("0123456789abcdef", name.size() - kLength + 3) == std::string::npos;
}

}  // namespace

std::string WithoutCloneSuffix(const std::string& function) {
  std::string name = function.substr(0, function.find(" [clone "));
  name.resize(name.size() - symbolizer::CloneSuffix(name).size());
  if (HasRustHash(name)) name.resize(name.size() - 19);
  return name;
}

}  // namespace csink::report
