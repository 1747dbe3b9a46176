#include <string>

#include "symbolizer/names/demangle/languages.h"
#include "symbolizer/names/demangle/rust_v0_printer.h"

/// File: Rust's "v0" mangling, written from RFC 2603 and the chapter on symbol mangling in the
/// rustc book. A recursive-descent parser; every production prints what it reads. Back references
/// are expanded where they occur, so that the text of a short name can grow exponentially;
/// therefore output, depth and steps are limited (rust_v0_cursor.cpp).

namespace csink::symbolizer {

std::optional<std::string> rust_v0::Printer::Run() {
  // A digit would be the version of a future encoding.
  if (Peek() < 'A' || Peek() > 'Z') return std::nullopt;
  Path(/*in_value=*/true);
  if (Peek() >= 'A' && Peek() <= 'Z') {
    const Silence silence(*this);
    Path(false);  // The crate that instantiated a generic function: not shown
  }
  if (!ok_) return std::nullopt;
  std::string_view suffix = text_.substr(at_);
  if (suffix.starts_with(".llvm.")) suffix = {};
  // Compilers append a suffix behind '.' or '$'; anything else means that the name was not
  // understood.
  if (!suffix.empty() && suffix[0] != '.' && suffix[0] != '$') return std::nullopt;
  if (!suffix.empty()) out_.append(" [clone ").append(suffix).append("]");
  return std::move(out_);
}

std::optional<std::string> DemangleRustV0(std::string_view mangled) {
  if (!mangled.starts_with("_R")) return std::nullopt;
  return rust_v0::Printer(mangled.substr(2)).Run();
}

}  // namespace csink::symbolizer
