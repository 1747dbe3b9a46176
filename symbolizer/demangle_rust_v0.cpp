#include <cstdint>
#include <string>

#include "symbolizer/demangle_rust.h"
#include "symbolizer/punycode.h"

/// File: Rust's "v0" mangling, written from RFC 2603 and the mangling chapter of
/// the compiler's book. A recursive descent over the grammar; every production
/// prints what it reads. Back references are read where they stand, so a short name
/// can grow exponentially: output, depth and steps are bounded.

namespace csink::symbolizer {
namespace {

constexpr unsigned kMaxDepth = 128;
constexpr unsigned kMaxSteps = 100'000;

struct Identifier {
  std::string_view text;
  std::string_view extended;  ///< Punycode part; empty: plain ASCII
};

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

class V0Printer {
 public:
  explicit V0Printer(std::string_view text) : text_(text) {}

  std::optional<std::string> Run() {
    // A digit is the version of an encoding that does not exist yet.
    if (Peek() < 'A' || Peek() > 'Z') return std::nullopt;
    Path(/*in_value=*/true);
    if (Peek() >= 'A' && Peek() <= 'Z') {
      const Silence silence(*this);
      Path(false);  // The crate that made the instance
    }
    if (!ok_) return std::nullopt;
    std::string_view suffix = text_.substr(at_);
    if (suffix.starts_with(".llvm.")) suffix = {};
    if (!suffix.empty() && suffix[0] != '.' && suffix[0] != '$') return std::nullopt;
    if (!suffix.empty()) out_.append(" [clone ").append(suffix).append("]");
    return std::move(out_);
  }

 private:
  /// Reads without printing while it lives.
  class Silence {
   public:
    explicit Silence(V0Printer& printer) : printer_(printer), before_(printer.is_silent_) {
      printer.is_silent_ = true;
    }
    ~Silence() { printer_.is_silent_ = before_; }
    Silence(const Silence&) = delete;
    Silence& operator=(const Silence&) = delete;

   private:
    V0Printer& printer_;
    bool before_;
  };
  /// Counts one level and one step; `ok_` goes when there are too many.
  class Level {
   public:
    explicit Level(V0Printer& printer) : printer_(printer) {
      if (++printer.depth_ > kMaxDepth || ++printer.steps_ > kMaxSteps) printer.Fail();
    }
    ~Level() { --printer_.depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    V0Printer& printer_;
  };

  void Fail() {
    ok_ = false;
    at_ = text_.size();
  }
  char Peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  char Next() {
    if (at_ < text_.size()) return text_[at_++];
    Fail();
    return '\0';
  }
  bool Eat(char c) {
    if (Peek() != c || !ok_) return false;
    ++at_;
    return true;
  }
  void Print(std::string_view text) {
    if (is_silent_ || !ok_) return;
    if (out_.size() + text.size() > kMaxDemangledBytes) return Fail();
    out_ += text;
  }

  std::uint64_t Decimal() {
    std::uint64_t value = 0;
    if (Peek() < '0' || Peek() > '9') Fail();
    if (Eat('0')) return 0;
    while (Peek() >= '0' && Peek() <= '9') {
      value = value * 10 + static_cast<std::uint64_t>(Next() - '0');
      if (value > text_.size()) Fail();  // Only lengths are decimal
    }
    return value;
  }
  std::uint64_t Base62() {
    if (Eat('_')) return 0;
    std::uint64_t value = 0;
    while (ok_ && !Eat('_')) {
      const char c = Next();
      std::uint64_t digit = 0;
      if (c >= '0' && c <= '9') {
        digit = static_cast<std::uint64_t>(c - '0');
      } else if (c >= 'a' && c <= 'z') {
        digit = static_cast<std::uint64_t>(c - 'a') + 10;
      } else if (c >= 'A' && c <= 'Z') {
        digit = static_cast<std::uint64_t>(c - 'A') + 36;
      } else {
        Fail();
      }
      // Crate hashes use all 64 bits.
      if (__builtin_mul_overflow(value, std::uint64_t{62}, &value) ||
          __builtin_add_overflow(value, digit, &value)) {
        Fail();
      }
    }
    if (value == ~std::uint64_t{0}) Fail();
    return value + 1;
  }
  std::uint64_t Disambiguator() { return Eat('s') ? Base62() + 1 : 0; }

  Identifier ReadIdentifier() {
    const bool is_punycode = Eat('u');
    const std::uint64_t length = Decimal();
    Eat('_');
    if (!ok_ || length > text_.size() - at_) {
      Fail();
      return {};
    }
    Identifier identifier;
    identifier.text = text_.substr(at_, static_cast<std::size_t>(length));
    at_ += static_cast<std::size_t>(length);
    if (!is_punycode) return identifier;
    const std::size_t bar = identifier.text.rfind('_');
    if (bar == std::string_view::npos) {
      identifier.extended = identifier.text;
      identifier.text = {};
    } else {
      identifier.extended = identifier.text.substr(bar + 1);
      identifier.text = identifier.text.substr(0, bar);
    }
    if (identifier.extended.empty()) Fail();
    return identifier;
  }
  void PrintIdentifier(const Identifier& identifier) {
    if (identifier.extended.empty()) return Print(identifier.text);
    std::string text;
    if (DecodePunycode(identifier.text, identifier.extended, text)) return Print(text);
    Fail();
  }

  /// Reads on at the place that a back reference names, then comes back.
  template <class Read>
  void BackReference(Read read) {
    const std::size_t tag = at_ - 1;
    const std::uint64_t target = Base62();
    if (!ok_ || target >= tag) return Fail();
    if (is_silent_) return;  // Nothing to print: no need to read it again
    const std::size_t here = at_;
    at_ = static_cast<std::size_t>(target);
    read();
    if (ok_) at_ = here;
  }
  /// Elements up to 'E', separated by commas; says how many.
  template <class Read>
  std::size_t List(Read read) {
    std::size_t count = 0;
    while (ok_ && !Eat('E')) {
      if (count++ != 0) Print(", ");
      read();
    }
    return count;
  }

  void Path(bool in_value) {
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
        Print(in_value ? "::<" : "<");
        List([this] { GenericArgument(); });
        Print(">");
        break;
      case 'B':
        BackReference([this, in_value] { Path(in_value); });
        break;
      default:
        Fail();
    }
  }
  void NestedPath(bool in_value) {
    const char name_space = Next();
    Path(in_value);
    const std::uint64_t number = Disambiguator();
    const Identifier name = ReadIdentifier();
    if (name_space >= 'A' && name_space <= 'Z') {
      // Not written by people: closures and shims.
      Print("::{");
      if (name_space == 'C') {
        Print("closure");
      } else if (name_space == 'S') {
        Print("shim");
      } else {
        Print(std::string_view(&name_space, 1));
      }
      if (!name.text.empty() || !name.extended.empty()) Print(":");
      PrintIdentifier(name);
      Print("#");
      Print(std::to_string(number));
      Print("}");
    } else if (name_space >= 'a' && name_space <= 'z') {
      if (name.text.empty() && name.extended.empty()) return;
      Print("::");
      PrintIdentifier(name);
    } else {
      Fail();
    }
  }
  /// Where an impl stands says nothing that the type does not.
  void ImplPath() {
    const Silence silence(*this);
    Disambiguator();
    Path(false);
  }
  void GenericArgument() {
    if (Eat('L')) {
      Lifetime(Base62());
    } else if (Eat('K')) {
      Const(/*in_value=*/false);
    } else {
      Type();
    }
  }
  void Lifetime(std::uint64_t index) {
    if (index == 0) return Print("'_");
    if (index > bound_lifetimes_) return Fail();
    const std::uint64_t depth = bound_lifetimes_ - index;
    if (depth < 26) {
      const char name[] = {'\'', static_cast<char>('a' + depth)};
      return Print({name, 2});
    }
    Print("'_");
    Print(std::to_string(depth));
  }
  /// "for<'a, 'b> " around what `read` prints.
  template <class Read>
  void Binder(Read read) {
    const std::uint64_t count = Eat('G') ? Base62() + 1 : 0;
    if (count > text_.size()) return Fail();  // A lie: each would be used somewhere
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

  void Type() {
    const Level level(*this);
    const char tag = Next();
    if (const std::string_view basic = BasicType(tag); !basic.empty()) return Print(basic);
    switch (tag) {
      case 'R':
      case 'Q':
        Print("&");
        if (Eat('L')) {
          const std::uint64_t index = Base62();
          if (index != 0) {
            Lifetime(index);
            Print(" ");
          }
        }
        if (tag == 'Q') Print("mut ");
        Type();
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
        Print("(");
        if (List([this] { Type(); }) == 1) Print(",");
        Print(")");
        break;
      case 'F':
        Binder([this] { FunctionType(); });
        break;
      case 'D':
        Print("dyn ");
        Binder([this] { DynBounds(); });
        if (!Eat('L')) return Fail();
        if (const std::uint64_t index = Base62(); index != 0) {
          Print(" + ");
          Lifetime(index);
        }
        break;
      case 'B':
        BackReference([this] { Type(); });
        break;
      default:
        if (!ok_) return;
        --at_;
        Path(false);
    }
  }
  void FunctionType() {
    if (Eat('U')) Print("unsafe ");
    if (Eat('K')) {
      Print("extern \"");
      if (Eat('C')) {
        Print("C");
      } else {
        // '-' cannot stand in an identifier, so "C-unwind" is written with '_'.
        std::string abi(ReadIdentifier().text);
        for (char& c : abi) {
          if (c == '_') c = '-';
        }
        Print(abi);
      }
      Print("\" ");
    }
    Print("fn(");
    List([this] { Type(); });
    Print(")");
    if (Eat('u')) return;  // Returns ()
    Print(" -> ");
    Type();
  }
  void DynBounds() {
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
  /// A path whose generic arguments, if any, are left open for more to come.
  bool OpenPath() {
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

  std::string_view HexDigits() {
    const std::size_t start = at_;
    while ((Peek() >= '0' && Peek() <= '9') || (Peek() >= 'a' && Peek() <= 'f')) ++at_;
    const std::string_view digits = text_.substr(start, at_ - start);
    if (!Eat('_')) Fail();
    return digits;
  }
  /// The value of up to 16 digits without leading zeros; nothing when it is larger.
  static std::optional<std::uint64_t> ValueOf(std::string_view digits) {
    while (!digits.empty() && digits[0] == '0') digits.remove_prefix(1);
    if (digits.size() > 16) return std::nullopt;
    std::uint64_t value = 0;
    for (const char c : digits) {
      value = value * 16 + static_cast<std::uint64_t>(c <= '9' ? c - '0' : c - 'a' + 10);
    }
    return value;
  }
  void Integer() {
    const std::string_view digits = HexDigits();
    if (const auto value = ValueOf(digits)) return Print(std::to_string(*value));
    Print("0x");
    Print(digits);
  }

  void Const(bool in_value) {
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
      case 'b': {
        const auto value = ValueOf(HexDigits());
        if (!value || *value > 1) return Fail();
        return Print(*value != 0 ? "true" : "false");
      }
      case 'c': {
        const auto value = ValueOf(HexDigits());
        if (!value || *value > 0x10ffff) return Fail();
        std::string text;
        if (!AppendEscaped(text, static_cast<char32_t>(*value), '\'')) return Fail();
        return Print("'" + text + "'");
      }
      case 'B':
        BackReference([this, in_value] { Const(in_value); });
        return;
      default:
        break;
    }
    // What is more than a literal stands in braces where a type could stand too.
    if (!in_value) Print("{");
    StructuredConst(tag);
    if (!in_value) Print("}");
  }
  void StructuredConst(char tag) {
    switch (tag) {
      case 'e':
        Print("*");
        StringLiteral();
        break;
      case 'R':
        if (Eat('e')) {  // A &str is written as a literal, not as a reference to one
          StringLiteral();
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
        Print("[");
        List([this] { Const(true); });
        Print("]");
        break;
      case 'T':
        Print("(");
        if (List([this] { Const(true); }) == 1) Print(",");
        Print(")");
        break;
      case 'V':
        VariantConst();
        break;
      default:
        Fail();
    }
  }
  void VariantConst() {
    Path(true);
    switch (Next()) {
      case 'U':
        break;
      case 'T':
        Print("(");
        List([this] { Const(true); });
        Print(")");
        break;
      case 'S':
        Print(" { ");
        List([this] {
          Disambiguator();
          PrintIdentifier(ReadIdentifier());
          Print(": ");
          Const(true);
        });
        Print(" }");
        break;
      default:
        Fail();
    }
  }
  void StringLiteral() {
    const std::string_view digits = HexDigits();
    if (digits.size() % 2 != 0) return Fail();
    std::string text = "\"";
    for (std::size_t i = 0; i < digits.size(); i += 2) {
      const char byte = static_cast<char>(*ValueOf(digits.substr(i, 2)));
      // Bytes of UTF-8 go through; what would break the line is escaped.
      if ((static_cast<unsigned char>(byte) & 0x80) != 0) {
        text += byte;
      } else {
        AppendEscaped(text, static_cast<char32_t>(byte), '"');
      }
    }
    Print(text + "\"");
  }
  static bool AppendEscaped(std::string& text, char32_t c, char quote) {
    switch (c) {
      case '\0':
        text += "\\0";
        return true;
      case '\t':
        text += "\\t";
        return true;
      case '\n':
        text += "\\n";
        return true;
      case '\r':
        text += "\\r";
        return true;
      case '\\':
        text += "\\\\";
        return true;
      default:
        break;
    }
    if (c == static_cast<char32_t>(quote)) text += '\\';
    if (c >= 0x20 && c != 0x7f) return AppendUtf8(text, c);
    constexpr char kDigits[] = "0123456789abcdef";
    text += "\\u{";
    if (c >= 0x10) text += kDigits[c >> 4 & 15];
    text += kDigits[c & 15];
    text += '}';
    return true;
  }

  std::string_view text_;  ///< Behind "_R": back references count from there
  std::size_t at_ = 0;
  std::string out_;
  std::uint64_t bound_lifetimes_ = 0;
  unsigned depth_ = 0;
  unsigned steps_ = 0;
  bool ok_ = true;
  bool is_silent_ = false;
};

}  // namespace

std::optional<std::string> DemangleRustV0(std::string_view mangled) {
  if (!mangled.starts_with("_R")) return std::nullopt;
  return V0Printer(mangled.substr(2)).Run();
}

}  // namespace csink::symbolizer
