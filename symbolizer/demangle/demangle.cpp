#include "symbolizer/demangle/demangle.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <vector>

#include "symbolizer/demangle/languages.h"

/// File: chooses the demangler by the front of the name, and keeps names away from demanglers that
/// they could keep busy. A mangled name is a text with references to earlier parts of itself; each
/// reference may stand for all that came before, so that the text can grow exponentially with the
/// name. Rust's readers have limits, and LLVM's tree is measured before it is printed. libstdc++
/// and libiberty print without a bound, so that the length of the text is estimated first
/// (GrowthBound).

namespace csink::symbolizer {
namespace {

/// Longer names are shown mangled: time and memory of the demanglers grow with the name, and no
/// reader needs so long a text.
constexpr std::size_t kMaxMangledBytes = 16 << 10;

/// abi::__cxa_demangle prints the whole text before it reports its length, and a short name may
/// stand for gigabytes. So names whose text could become longer than this are not passed to it. The
/// bound is generous: no name of 131,000 in Debian's libraries comes to half of it.
constexpr double kMaxGrowth = 1 << 26;

/// A substitution ("S3_") or template parameter ("T_") in a mangled C++ name (Itanium C++ ABI).
struct BackReference {
  std::size_t at = 0;
  std::size_t index = 0;
  // "T_", whose numbers do not count with those of "S_".
  bool is_template_argument = false;
};

/// All references in the order of the name.
std::vector<BackReference> FindBackReferences(std::string_view name) {
  std::vector<BackReference> references;
  for (std::size_t i = 2; i < name.size(); ++i) {
    if (name[i] != 'S' && name[i] != 'T') continue;
    // S_ is number 0, S0_ is 1, in base 36. Text inside an identifier may look the same; this only
    // makes the bound larger.
    std::size_t index = 0;
    std::size_t k = i + 1;
    for (; k < name.size(); ++k) {
      const char c = name[k];
      const bool is_digit = c >= '0' && c <= '9';
      if (!is_digit && (c < 'A' || c > 'Z')) break;
      index = std::min<std::size_t>(
          index * 36 + static_cast<std::size_t>(is_digit ? c - '0' : c - 'A' + 10),
          kMaxMangledBytes);
    }
    if (k == name.size() || name[k] != '_') continue;
    references.push_back({i, k == i + 1 ? 0 : index + 1, name[i] == 'T'});
  }
  return references;
}

/// An upper bound for the length of a C++ name's text, in bytes. A reference stands for a component
/// that was complete when this or a later component was first referred to; so its text is not
/// longer than all the text before that position. For all template parameters the text before the
/// first of them is taken. Stops when the bound exceeds kMaxGrowth.
double GrowthBound(std::string_view name) {
  constexpr double kTextPerByte = 4;  // "j" is "unsigned int"
  std::vector<double> sizes;
  double argument = -1;
  double text = 0;
  std::size_t last = 0;
  for (const BackReference& reference : FindBackReferences(name)) {
    text += kTextPerByte * static_cast<double>(reference.at - last);
    last = reference.at;
    if (reference.is_template_argument) {
      if (argument < 0) argument = text;
      text += argument;
    } else {
      if (sizes.size() <= reference.index) sizes.resize(reference.index + 1, text);
      text += sizes[reference.index];
    }
    if (text > kMaxGrowth) return text;
  }
  return text + kTextPerByte * static_cast<double>(name.size() - last);
}

/// By abi::__cxa_demangle; "": the name cannot be parsed, or its text may be too long.
std::string DemangleByRuntime(const std::string& mangled) {
  if (GrowthBound(mangled) > kMaxGrowth) return {};
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status), std::free);
  if (status != 0 || !text) return {};
  std::string out(text.get());
  return out.size() <= kMaxDemangledBytes ? out : std::string();
}

/// First by the runtime, whose style gdb, perf and c++filt share; LLVM reads what the runtime
/// refuses.
std::string DemangleCxx(const std::string& mangled) {
  std::string text = DemangleByRuntime(mangled);
#ifdef CSINK_HAS_LLVM_DEMANGLER
  if (text.empty()) text = DemangleByLlvm(mangled).value_or("");
#endif
  return text;
}

/// Procedures of Fortran modules, as gfortran names them: "__module_MOD_procedure" ->
/// "module::procedure". They occur in debug information where they are inlined. Fortran ignores
/// case and gfortran writes names in lower case, so upper case letters occur only in the mark.
std::string DemangleFortran(const std::string& mangled) {
  constexpr std::string_view kMark = "_MOD_";
  const std::size_t mark = mangled.find(kMark);
  if (mark == std::string::npos || mark < 3 || !mangled.starts_with("__")) return {};
  const std::string module = mangled.substr(2, mark - 2);
  const std::string procedure = mangled.substr(mark + kMark.size());
  const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
  const auto is_fortran = [&](char c) {
    return is_letter(c) || (c >= '0' && c <= '9') || c == '_';
  };
  if (!is_letter(module[0]) || procedure.empty() ||
      !std::all_of(module.begin(), module.end(), is_fortran)) {
    return {};
  }
  return module + "::" + procedure;
}

}  // namespace

std::string Demangle(const std::string& mangled) {
  if (mangled.size() > kMaxMangledBytes) return mangled;
  if (mangled.starts_with("_R")) return DemangleRustV0(mangled).value_or(mangled);
  if (mangled.starts_with("_D")) return DemangleD(mangled).value_or(mangled);
  std::string out;
  if (mangled.starts_with("__")) {
    out = DemangleFortran(mangled);
  } else if (mangled.starts_with("_Z")) {
    // Legacy Rust names are also valid C++ names, so Rust is tried first.
    if (auto rust = DemangleRustLegacy(mangled)) return *std::move(rust);
    out = DemangleCxx(mangled);
  } else if (mangled.find_first_of("zZ") != std::string::npos) {
    out = DemangleHaskell(mangled).value_or("");
  }
  return out.empty() ? mangled : out;
}

}  // namespace csink::symbolizer
