#pragma once

#include <cstdint>
#include <string>
#include <string_view>

/// File: what every production of the "v0" grammar is made of: reading characters, numbers and
/// identifiers, printing, and the bounds that keep a hostile name from growing.

namespace csink::symbolizer::rust_v0 {

struct Identifier {
  std::string_view text;
  std::string_view extended;  ///< Punycode part; empty: plain ASCII

  bool IsEmpty() const { return text.empty() && extended.empty(); }
};

/// A place in a mangled name and what was printed so far. After Fail() everything reads as
/// ended and nothing is printed.
class Cursor {
 protected:
  explicit Cursor(std::string_view text) : text_(text) {}

  /// Reads without printing while it lives.
  class Silence {
   public:
    explicit Silence(Cursor& cursor) : cursor_(cursor), before_(cursor.is_silent_) {
      cursor.is_silent_ = true;
    }
    ~Silence() { cursor_.is_silent_ = before_; }
    Silence(const Silence&) = delete;
    Silence& operator=(const Silence&) = delete;

   private:
    Cursor& cursor_;
    bool before_;
  };

  /// Counts one level and one step; `ok_` goes when there are too many.
  class Level {
   public:
    explicit Level(Cursor& cursor);
    ~Level() { --cursor_.depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    Cursor& cursor_;
  };

  void Fail() {
    ok_ = false;
    at_ = text_.size();
  }
  char Peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  char Next();
  bool Eat(char c);
  void Print(std::string_view text);

  std::uint64_t Decimal();
  std::uint64_t Base62();
  std::uint64_t Disambiguator() { return Eat('s') ? Base62() + 1 : 0; }

  std::string_view HexDigits();
  Identifier ReadIdentifier();
  void PrintIdentifier(const Identifier& identifier);

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

  /// The same between brackets.
  template <class Read>
  void Sequence(std::string_view open, std::string_view close, Read read) {
    Print(open);
    List(read);
    Print(close);
  }
  /// "(a, b)", and "(a,)" for a single one.
  template <class Read>
  void Tuple(Read read) {
    Print("(");
    if (List(read) == 1) Print(",");
    Print(")");
  }

  std::string_view text_;  ///< Behind "_R": back references count from there
  std::size_t at_ = 0;
  std::string out_;
  bool ok_ = true;

 private:
  unsigned depth_ = 0;
  unsigned steps_ = 0;
  bool is_silent_ = false;
};

}  // namespace csink::symbolizer::rust_v0
