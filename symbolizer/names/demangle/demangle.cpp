#include "symbolizer/names/demangle/demangle.h"

#include <algorithm>

#include "symbolizer/names/demangle/languages.h"

/// File: chooses the demangler by the front of the name, and keeps names away from demanglers that
/// they could keep busy. A mangled name is a text with references to earlier parts of itself; each
/// reference may stand for all that came before, so that the text can grow exponentially with the
/// name. Rust's readers have limits; the trees that libiberty and LLVM make of C++ names are
/// measured before they are printed.

namespace csink::symbolizer {
namespace {

/// Longer names are shown mangled: time and memory of the demanglers grow with the name, and no
/// reader needs so long a text.
constexpr std::size_t kMaxMangledBytes = 16 << 10;

/// The demanglers for C++ are recursive. Measured with names that consist of nesting only
/// (pointers, arguments, operators): at most 250 bytes of stack for each letter outside
/// identifiers.
constexpr std::size_t kMaxGrammarBytes = 8 << 10;

/// The number of letters in a name that are not part of an identifier ("3foo").
std::size_t GrammarBytes(const std::string& mangled) {
  std::size_t letters = 0;
  for (std::size_t i = 0; i < mangled.size();) {
    std::size_t length = 0;
    for (; i < mangled.size() && mangled[i] >= '0' && mangled[i] <= '9'; ++i, ++letters) {
      // Clamped, so that a long row of digits cannot overflow.
      length = std::min<std::size_t>(length * 10 + static_cast<std::size_t>(mangled[i] - '0'),
                                     mangled.size());
    }
    if (length != 0 && length <= mangled.size() - i) {
      i += length;
    } else if (i < mangled.size()) {
      ++i;
      ++letters;
    }
  }
  return letters;
}

/// First by libiberty, whose style gdb, perf and c++filt share; LLVM reads what libiberty refuses.
std::optional<std::string> DemangleAnyCxx(const std::string& mangled) {
  if (GrammarBytes(mangled) > kMaxGrammarBytes) return std::nullopt;
  std::optional<std::string> text = DemangleCxx(mangled);
#ifdef CSINK_HAS_LLVM_DEMANGLER
  if (!text) text = DemangleByLlvm(mangled);
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
    out = DemangleAnyCxx(mangled).value_or("");
  } else if (mangled.find_first_of("zZ") != std::string::npos) {
    out = DemangleHaskell(mangled).value_or("");
  }
  return out.empty() ? mangled : out;
}

}  // namespace csink::symbolizer
