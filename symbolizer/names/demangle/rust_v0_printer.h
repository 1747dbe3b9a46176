#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "symbolizer/names/demangle/rust_v0_cursor.h"

namespace csink::symbolizer::rust_v0 {

/// A recursive-descent parser of the v0 grammar (RFC 2603); every production prints what it reads.
/// Each function reads one production of the grammar, whose tag its caller has consumed or which it
/// consumes itself; the grammar's names of the productions stand at the definitions. A failure is
/// in Cursor::ok_.
/// Threads: one; a Printer reads one name.
class Printer : private Cursor {
 public:
  /// `text` begins behind "_R".
  explicit Printer(std::string_view text) : Cursor(text) {}

  /// The readable name; nullopt if it cannot be parsed. Call it once.
  std::optional<std::string> Run();

 private:
  // rust_v0_paths.cpp. In a value, generic arguments are written "::<>", as in an expression.
  void Path(bool in_value);
  void NestedPath(bool in_value);
  /// Paths that are parsed but not printed.
  void ImplPath();
  void GenericArgument();
  /// Prints a path and leaves its generic arguments open, so that the caller can append more. True
  /// if it printed "<".
  bool OpenPath();

  // rust_v0_types.cpp
  void Type();
  /// Without the tag, which Type has consumed.
  void Reference(bool is_mutable);
  void FunctionType();
  void DynType();
  void DynBounds();
  /// `index` as in the name: 0 is an erased lifetime, 1 the innermost bound one.
  void Lifetime(std::uint64_t index);
  /// "for<'a, 'b> " around what `read` prints.
  template <class Read>
  void Binder(Read read);

  // rust_v0_consts.cpp
  void Const(bool in_value);
  /// `tag` is the character that Const has consumed.
  void StructuredConst(char tag);
  void VariantConst();
  /// A number behind the tag of an integer type.
  void Integer();
  /// Prints the text of a constant; fails if there is none.
  void Literal(const std::optional<std::string>& text);

  /// Number of lifetimes that the enclosing "for<>" binders have introduced.
  std::uint64_t bound_lifetimes_ = 0;
};

}  // namespace csink::symbolizer::rust_v0
