#pragma once

#include <cstdint>
#include <span>

namespace csink::utils {

/// One option of a tool, as data: the parser, --help and the man page all use this. `id` identifies
/// the option in code: its letter, or, without a letter, an enumerator from kFirstWordOption on.
/// Two options of a tool must not have one id or word.
struct Option {
  int id = 0;
  const char* word = nullptr;      ///< "detail" for --detail; nullptr: only the letter
  const char* argument = nullptr;  ///< "EVENT"; nullptr: no argument
  const char* text = "";           ///< what it does: one or two sentences
  bool one_dash = false;           ///< "-sde" is accepted for "--sde", as in PAPI's own tool

  /// Ids below 256 are characters.
  bool HasLetter() const noexcept { return id < 256; }
};
inline constexpr int kFirstWordOption = 256;

/// Options with a common heading in the help and in the man page.
struct OptionGroup {
  const char* title;  ///< "General options"
  std::span<const Option> options;
};

/// An exit code of a tool, for the help. Every tool also has 2 for wrong use, which is not listed
/// here.
struct ExitCode {
  int code;
  const char* meaning;
};

/// A section in the help and the man page. Lines of `text` that begin with a blank are not filled:
/// they are examples.
struct Section {
  const char* title;
  const char* text;
};

/// A utility as data. All of it is constant, so a tool starts without constructing anything. Texts
/// are paragraphs separated by empty lines and are filled to the width of the page. Every tool also
/// has -h, --help, --json, --man and --version.
struct Tool {
  const char* name;           ///< "papi_avail"
  const char* line;           ///< purpose: one line, lower case, no full stop
  const char* operands = "";  ///< "[EVENT...]"; empty: operands are wrong use
  const char* description;    ///< paragraphs
  const char* json_text;      ///< what --json prints, one sentence
  std::span<const OptionGroup> groups = {};
  std::span<const ExitCode> exits = {};
  std::span<const Section> sections = {};
  std::span<const char* const> see_also = {};  ///< names of pages of section 1
};

/// The exit codes that all tools share.
inline constexpr int kFine = 0;
inline constexpr int kFailed = 1;  ///< nothing could be counted, or the library does not answer
inline constexpr int kMisuse = 2;  ///< wrong use of the command line

}  // namespace csink::utils
