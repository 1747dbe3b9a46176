#pragma once

#include <cstdint>
#include <string>
#include <string_view>

/// File: the parts that all productions of Rust's "v0" grammar share: reading characters, numbers
/// and identifiers, printing, and the limits on recursion and output for hostile names (RFC 2603).

namespace csink::symbolizer::rust_v0 {

/// A name within a mangled name; the parts point into it.
struct Identifier {
  /// The ASCII characters
  std::string_view text;
  std::string_view extended;  ///< Punycode part; empty: plain ASCII

  /// Closures and shims usually have no name.
  bool IsEmpty() const { return text.empty() && extended.empty(); }
};

/// A position in a mangled name, and the text printed so far. After Fail() the input reads as ended
/// and nothing is printed, so that productions need no checks in between: the loops end, and the
/// caller looks at `ok_` at the end.
/// Threads: one.
class Cursor {
 protected:
  /// `text` must outlive the cursor.
  explicit Cursor(std::string_view text) : text_(text) {}

  /// Suppresses printing while it lives, for parts of a name that are not shown (crates of
  /// instantiation, paths of impls). The input is parsed all the same, to find its end.
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

  /// Counts one level of recursion and one step; clears `ok_` if there are too many.
  class Level {
   public:
    /// One at the start of each production that can contain itself.
    explicit Level(Cursor& cursor);
    ~Level() { --cursor_.depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    Cursor& cursor_;
  };

  /// The name cannot be parsed, or exceeds a limit.
  void Fail() {
    ok_ = false;
    at_ = text_.size();
  }
  /// The next character, '\0' at the end. Next consumes it, and fails at the end.
  char Peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  char Next();
  /// Consumes the next character if it is `c`.
  bool Eat(char c);
  /// Appends to the text; fails if it would exceed kMaxDemangledBytes.
  void Print(std::string_view text);

  /// <decimal-number>: a length. <base-62-number>: digits 0-9a-zA-Z and '_'; "_" is 0, "0_" is 1.
  /// <disambiguator>: 0 if there is none.
  std::uint64_t Decimal();
  std::uint64_t Base62();
  std::uint64_t Disambiguator() { return Eat('s') ? Base62() + 1 : 0; }

  /// The digits of a constant, up to '_'.
  std::string_view HexDigits();
  /// <undisambiguated-identifier>.
  Identifier ReadIdentifier();
  /// Prints it, with the Punycode part decoded; fails if that part is damaged.
  void PrintIdentifier(const Identifier& identifier);

  /// Parses at the position that a back reference gives, then returns. Targets lie before the
  /// reference, so that there are no cycles.
  template <class Read>
  void BackReference(Read read) {
    const std::size_t tag = at_ - 1;
    const std::uint64_t target = Base62();
    if (!ok_ || target >= tag) return Fail();
    if (is_silent_) return;  // Nothing is printed, so there is no need to parse the target again
    const std::size_t here = at_;
    at_ = static_cast<std::size_t>(target);
    read();
    if (ok_) at_ = here;
  }
  /// Reads elements up to 'E', printed with commas between them. Returns their number.
  template <class Read>
  std::size_t List(Read read) {
    std::size_t count = 0;
    while (ok_ && !Eat('E')) {
      if (count++ != 0) Print(", ");
      read();
    }
    return count;
  }

  /// A list between brackets.
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

  std::string_view text_;  ///< Begins behind "_R": back references count from there
  /// Position of the next character; the text so far; whether the name can be parsed so far.
  std::size_t at_ = 0;
  std::string out_;
  bool ok_ = true;

 private:
  /// See kMaxDepth and kMaxSteps (rust_v0_cursor.cpp).
  unsigned depth_ = 0;
  unsigned steps_ = 0;
  bool is_silent_ = false;
};

}  // namespace csink::symbolizer::rust_v0
