#include "symbolizer/demangle/rust_v0_literals.h"
#include "symbolizer/demangle/rust_v0_printer.h"

namespace csink::symbolizer::rust_v0 {

/// <const>: the tag of a basic type and its value; p is a placeholder. The letters are those of
/// BasicType: unsigned integers, signed integers, bool, char.
void Printer::Const(bool in_value) {
  const Level level(*this);
  const char tag = Next();
  switch (tag) {
    case 'p':
      Print("_");
      return;
    case 'h':
    case 't':
    case 'm':
    case 'y':
    case 'o':
    case 'j':
      Integer();
      return;
    case 'a':
    case 's':
    case 'l':
    case 'x':
    case 'n':
    case 'i':
      if (Eat('n')) Print("-");
      Integer();
      return;
    case 'b':
      return Literal(BoolLiteral(HexDigits()));
    case 'c':
      return Literal(CharLiteral(HexDigits()));
    case 'B':
      BackReference([this, in_value] { Const(in_value); });
      return;
    default:
      break;
  }
  // In a position where a type could also stand, a constant other than a literal is written in
  // braces.
  if (!in_value) Print("{");
  StructuredConst(tag);
  if (!in_value) Print("}");
}

/// Constants that are no integers: strings, references, arrays, tuples and values of structures and
/// enumerations (rustc book, "v0 Symbol Format").
void Printer::StructuredConst(char tag) {
  switch (tag) {
    case 'e':
      Print("*");
      Literal(StringLiteral(HexDigits()));
      break;
    case 'R':
      if (Eat('e')) {  // A constant &str is shown as a literal, not as a reference to a literal
        Literal(StringLiteral(HexDigits()));
        break;
      }
      Print("&");
      Const(true);
      break;
    case 'Q':
      Print("&mut ");
      Const(true);
      break;
    case 'A':
      Sequence("[", "]", [this] { Const(true); });
      break;
    case 'T':
      Tuple([this] { Const(true); });
      break;
    case 'V':
      VariantConst();
      break;
    default:
      Fail();
  }
}

/// V <path>, then its fields: none (U), a list (T), or names with values (S).
void Printer::VariantConst() {
  Path(true);
  switch (Next()) {
    case 'U':
      break;
    case 'T':
      Sequence("(", ")", [this] { Const(true); });
      break;
    case 'S':
      Sequence(" { ", " }", [this] {
        Disambiguator();
        PrintIdentifier(ReadIdentifier());
        Print(": ");
        Const(true);
      });
      break;
    default:
      Fail();
  }
}

/// In decimal if the value fits into 64 bits, else in hexadecimal as mangled.
void Printer::Integer() {
  const std::string_view digits = HexDigits();
  if (const auto value = ValueOf(digits)) return Print(std::to_string(*value));
  Print("0x");
  Print(digits);
}

void Printer::Literal(const std::optional<std::string>& text) {
  if (!text) return Fail();
  Print(*text);
}

}  // namespace csink::symbolizer::rust_v0
