#include "symbolizer/names/demangle/rust_v0_printer.h"

namespace csink::symbolizer::rust_v0 {

/// <path>: C crate root, N nested path, M inherent impl, X trait impl, Y trait definition, I
/// generic arguments, B back reference (RFC 2603).
void Printer::Path(bool in_value) {
  const Level level(*this);
  switch (Next()) {
    case 'C':
      Disambiguator();
      PrintIdentifier(ReadIdentifier());
      break;
    case 'N':
      NestedPath(in_value);
      break;
    case 'M':
      ImplPath();
      Print("<");
      Type();
      Print(">");
      break;
    case 'X':
      ImplPath();
      [[fallthrough]];
    case 'Y':
      Print("<");
      Type();
      Print(" as ");
      Path(false);
      Print(">");
      break;
    case 'I':
      Path(in_value);
      Sequence(in_value ? "::<" : "<", ">", [this] { GenericArgument(); });
      break;
    case 'B':
      BackReference([this, in_value] { Path(in_value); });
      break;
    default:
      Fail();
  }
}

/// N <namespace> <path> <identifier>. Lower-case namespaces are those of the language (types,
/// values) and are not shown.
void Printer::NestedPath(bool in_value) {
  const char name_space = Next();
  Path(in_value);
  const std::uint64_t number = Disambiguator();
  const Identifier name = ReadIdentifier();
  if (name_space >= 'A' && name_space <= 'Z') {
    // Upper case: entities without a name in the source, such as closures and shims.
    Print("::{");
    if (name_space == 'C') {
      Print("closure");
    } else if (name_space == 'S') {
      Print("shim");
    } else {
      Print(std::string_view(&name_space, 1));
    }
    if (!name.IsEmpty()) Print(":");
    PrintIdentifier(name);
    Print("#");
    Print(std::to_string(number));
    Print("}");
  } else if (name_space >= 'a' && name_space <= 'z') {
    if (name.IsEmpty()) return;
    Print("::");
    PrintIdentifier(name);
  } else {
    Fail();
  }
}

/// The path of an impl is not printed: its type identifies it.
void Printer::ImplPath() {
  const Silence silence(*this);
  Disambiguator();
  Path(false);
}

/// <generic-arg>: a lifetime, a constant, or a type.
void Printer::GenericArgument() {
  if (Eat('L')) {
    Lifetime(Base62());
  } else if (Eat('K')) {
    Const(/*in_value=*/false);
  } else {
    Type();
  }
}

/// For "dyn Trait<A, Item = B>": the bindings of associated types go into the brackets of the path.
bool Printer::OpenPath() {
  const Level level(*this);
  bool is_open = false;
  if (Eat('B')) {
    BackReference([this, &is_open] { is_open = OpenPath(); });
  } else if (Eat('I')) {
    Path(false);
    Print("<");
    List([this] { GenericArgument(); });
    is_open = true;
  } else {
    Path(false);
  }
  return is_open;
}

}  // namespace csink::symbolizer::rust_v0
