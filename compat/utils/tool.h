#pragma once

#include <cstdint>
#include <span>

namespace csink::utils {

/// One option of a tool, as data: it is read, explained by --help and put into the man page from
/// this. An option is named in code by `id`: its letter, or for one without a letter an enumerator
/// from kFirstWordOption on.
struct Option {
  int id = 0;
  const char* word = nullptr;      ///< "detail" for --detail; nullptr: only the letter
  const char* argument = nullptr;  ///< "EVENT"; nullptr: takes none
  const char* text = "";           ///< what it does, one sentence or two
  bool one_dash = false;           ///< "-sde" is taken for "--sde", as PAPI's own tool has it

  bool HasLetter() const noexcept { return id < 256; }
};
inline constexpr int kFirstWordOption = 256;

struct OptionGroup {
  const char* title;  ///< "General options"
  std::span<const Option> options;
};

/// How a tool may end. Besides these: 2 for wrong use, which every tool has.
struct ExitCode {
  int code;
  const char* meaning;
};

/// A section of its own in help and man page; lines of `text` that begin with a blank are kept as
/// they are.
struct Section {
  const char* title;
  const char* text;
};

/// A utility as data; all of it constant, so that a tool starts without building anything. Texts
/// are paragraphs divided by empty lines and are filled to the width of the page. Every tool also
/// has -h, --help, --json and --man.
struct Tool {
  const char* name;           ///< "papi_avail"
  const char* line;           ///< what it is for: one line, small letter, no full stop
  const char* operands = "";  ///< "[EVENT...]"; empty: operands are wrong use
  const char* description;    ///< paragraphs
  const char* json_text;      ///< what --json prints, one sentence
  std::span<const OptionGroup> groups = {};
  std::span<const ExitCode> exits = {};
  std::span<const Section> sections = {};
  std::span<const char* const> see_also = {};  ///< names of pages of section 1
};

inline constexpr int kFine = 0;
inline constexpr int kFailed = 1;  ///< nothing could be counted, or the library does not answer
inline constexpr int kMisuse = 2;

}  // namespace csink::utils
