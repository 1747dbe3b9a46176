#include "symbolizer/names/demangle/rust_v0_printer.h"

/// File: types of "v0" names (RFC 2603, <type>, <basic-type>, <fn-sig>, <dyn-bounds>). They are
/// printed as rustc prints them, so that a name can be searched for in the source.

namespace csink::symbolizer::rust_v0 {
namespace {

/// <basic-type>; empty: the tag is of another type.
std::string_view BasicType(char tag) {
  switch (tag) {
    case 'a':
      return "i8";
    case 'b':
      return "bool";
    case 'c':
      return "char";
    case 'd':
      return "f64";
    case 'e':
      return "str";
    case 'f':
      return "f32";
    case 'h':
      return "u8";
    case 'i':
      return "isize";
    case 'j':
      return "usize";
    case 'l':
      return "i32";
    case 'm':
      return "u32";
    case 'n':
      return "i128";
    case 'o':
      return "u128";
    case 'p':
      return "_";
    case 's':
      return "i16";
    case 't':
      return "u16";
    case 'u':
      return "()";
    case 'v':
      return "...";
    case 'x':
      return "i64";
    case 'y':
      return "u64";
    case 'z':
      return "!";
    default:
      return {};
  }
}

}  // namespace

/// <type>: a basic type, a reference (R, Q), a pointer (P, O), an array, slice or tuple (A, S, T),
/// a function pointer (F), a trait object (D), a back reference, or a path.
void Printer::Type() {
  const Level level(*this);
  const char tag = Next();
  if (const std::string_view basic = BasicType(tag); !basic.empty()) return Print(basic);
  switch (tag) {
    case 'R':
    case 'Q':
      Reference(/*is_mutable=*/tag == 'Q');
      break;
    case 'P':
      Print("*const ");
      Type();
      break;
    case 'O':
      Print("*mut ");
      Type();
      break;
    case 'A':
      Print("[");
      Type();
      Print("; ");
      Const(/*in_value=*/true);
      Print("]");
      break;
    case 'S':
      Print("[");
      Type();
      Print("]");
      break;
    case 'T':
      Tuple([this] { Type(); });
      break;
    case 'F':
      Binder([this] { FunctionType(); });
      break;
    case 'D':
      DynType();
      break;
    case 'B':
      BackReference([this] { Type(); });
      break;
    default:
      if (!ok_) return;
      // Not a tag of a type: the character begins a path.
      --at_;
      Path(false);
  }
}

/// A lifetime is shown only if it is bound by a "for<>": the others are erased.
void Printer::Reference(bool is_mutable) {
  Print("&");
  if (Eat('L')) {
    if (const std::uint64_t index = Base62(); index != 0) {
      Lifetime(index);
      Print(" ");
    }
  }
  if (is_mutable) Print("mut ");
  Type();
}

/// [U unsafe] [K abi] arguments E result.
void Printer::FunctionType() {
  if (Eat('U')) Print("unsafe ");
  if (Eat('K')) {
    Print("extern \"");
    if (Eat('C')) {
      Print("C");
    } else {
      // '-' cannot occur in an identifier, so that "C-unwind" is mangled with '_'.
      std::string abi(ReadIdentifier().text);
      for (char& c : abi) {
        if (c == '_') c = '-';
      }
      Print(abi);
    }
    Print("\" ");
  }
  Sequence("fn(", ")", [this] { Type(); });
  if (Eat('u')) return;  // Returns ()
  Print(" -> ");
  Type();
}

/// Prints a lifetime; `index` counts binders from the innermost one outwards, 0 is an erased
/// lifetime.
void Printer::Lifetime(std::uint64_t index) {
  if (index == 0) return Print("'_");
  if (index > bound_lifetimes_) return Fail();
  const std::uint64_t depth = bound_lifetimes_ - index;
  // Lifetimes are named 'a to 'z from the outermost binder on, then numbered.
  if (depth < 26) {
    const char name[] = {'\'', static_cast<char>('a' + depth)};
    return Print({name, 2});
  }
  Print("'_");
  Print(std::to_string(depth));
}

template <class Read>
void Printer::Binder(Read read) {
  const std::uint64_t count = Eat('G') ? Base62() + 1 : 0;
  // Each lifetime must be used, so the name would be longer
  if (count > text_.size()) return Fail();
  if (count != 0) Print("for<");
  for (std::uint64_t i = 0; i < count; ++i) {
    if (i != 0) Print(", ");
    ++bound_lifetimes_;
    Lifetime(1);
  }
  if (count != 0) Print("> ");
  read();
  bound_lifetimes_ -= count;
}

/// D <dyn-bounds> <lifetime>.
void Printer::DynType() {
  Print("dyn ");
  Binder([this] { DynBounds(); });
  if (!Eat('L')) return Fail();
  if (const std::uint64_t index = Base62(); index != 0) {
    Print(" + ");
    Lifetime(index);
  }
}

/// [<binder>] traits with their associated types, up to E.
void Printer::DynBounds() {
  for (std::size_t count = 0; ok_ && !Eat('E'); ++count) {
    if (count != 0) Print(" + ");
    bool is_open = OpenPath();
    while (Eat('p')) {
      Print(is_open ? ", " : "<");
      is_open = true;
      PrintIdentifier(ReadIdentifier());
      Print(" = ");
      Type();
    }
    if (is_open) Print(">");
  }
}

}  // namespace csink::symbolizer::rust_v0
