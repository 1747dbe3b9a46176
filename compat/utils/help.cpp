#include "compat/utils/options.h"
#include "compat/utils/run.h"
#include "compat/utils/text.h"
#include "core/version/number.h"

/// File: --help and --man out of the table of a tool. Both list the tool's options, then those of
/// every tool, then its sections and exit codes. The help is plain text; the man page is roff with
/// the macros of man(7).

namespace csink::utils {
namespace {

// Column in which the options' texts begin; a longer option has a line of its own.
constexpr std::size_t kTextColumn = 26;
constexpr OptionGroup kMore = {"Options of every PAPI utility", {}};

// "-d, --detail", "-e EVENT" or "   --man": options without a letter are aligned with the words.
std::string Spelling(const Option& option) {
  const bool letter = option.HasLetter() && option.id >= ' ';
  std::string spelling = letter ? std::string("-") + static_cast<char>(option.id) : "   ";
  if (option.word) spelling += (letter ? ", --" : " --") + std::string(option.word);
  if (option.argument) spelling += (option.word ? "=" : " ") + std::string(option.argument);
  return spelling;
}

// The options in two columns: spelling and text.
void AddOptions(std::string& text, std::span<const Option> options) {
  for (const Option& option : options) {
    std::string line = "  " + Spelling(option);
    // At least one blank is between the two columns.
    if (line.size() + 1 >= kTextColumn) {
      text += line + '\n';
      line.clear();
    }
    line.resize(kTextColumn, ' ');
    text += line + Filled(option.text, kTextColumn, kTextColumn) + '\n';
  }
}

// Empty lines separate filled paragraphs. Lines of an example follow each other without one.
void AddParagraphs(std::string& out, const char* text, std::size_t indent) {
  bool after_filled = false;
  bool first = true;
  for (const std::string_view paragraph : Paragraphs(text)) {
    const bool as_it_is = paragraph[0] == ' ';
    if (!first && (!as_it_is || after_filled)) out += '\n';
    out.append(indent, ' ');
    out += as_it_is ? std::string(paragraph) : Filled(paragraph, indent, indent);
    out += '\n';
    after_filled = !as_it_is;
    first = false;
  }
}

// The line of usage: all options together, then the operands.
std::string Usage(const Tool& tool) {
  std::string usage = std::string(tool.name) + " [OPTION...]";
  if (*tool.operands) usage += ' ' + std::string(tool.operands);
  return usage;
}

// Escapes text for man(7): "-" becomes "\-" (a minus, not a hyphen), "\" becomes "\e", and "\&"
// protects "." and "'" at the start of a line.
std::string Roff(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (out.empty() && (c == '.' || c == '\'')) out += "\\&";
    if (c == '-') out += '\\';
    if (c == '\\') out += "\\e";
    if (c == '"') {
      out += "\\(dq";
    } else if (c != '\\') {
      out += c;
    }
    // A text may have several lines, of which each may begin with a point.
    if (c == '\n') out += "\\&";
  }
  return out;
}

// Examples are set without filling (.nf) and begin after an empty line (.PP).
void AddRoffParagraphs(std::string& page, const char* text) {
  bool example = false;
  bool first = true;
  for (const std::string_view paragraph : Paragraphs(text)) {
    const bool as_it_is = paragraph[0] == ' ';
    // The formatter is switched only where text and examples alternate.
    if (as_it_is != example) page += as_it_is ? ".PP\n.nf\n" : ".fi\n";
    if (!as_it_is && !first) page += ".PP\n";
    page += Roff(as_it_is ? paragraph : Filled(paragraph, 0, 0)) + '\n';
    example = as_it_is;
    first = false;
  }
  if (example) page += ".fi\n";
}

// A tagged paragraph (.TP) for each option: bold spelling, argument in italics.
void AddRoffOptions(std::string& page, std::span<const Option> options) {
  for (const Option& option : options) {
    const bool letter = option.HasLetter() && option.id >= ' ';
    page += ".TP\n";
    if (letter) page += "\\fB\\-" + Roff(std::string(1, static_cast<char>(option.id))) + "\\fR";
    if (letter && option.word) page += ", ";
    if (option.word) page += "\\fB\\-\\-" + Roff(option.word) + "\\fR";
    if (option.argument) {
      page += std::string(option.word ? "=" : " ") + "\\fI" + Roff(option.argument) + "\\fR";
    }
    page += '\n' + Roff(option.text) + '\n';
  }
}

// `add` writes one code in the form of the help or of the man page.
void AddExitCodes(const Tool& tool, void (*add)(std::string&, int, const char*), std::string& out) {
  for (const ExitCode& exit : tool.exits) add(out, exit.code, exit.meaning);
  add(out, kMisuse, "wrong use");
}

}  // namespace

std::string HelpText(const Tool& tool) {
  std::string text = "Usage: " + Usage(tool) + "\n\n" + tool.name + ": " + tool.line + ".\n\n";
  AddParagraphs(text, tool.description, 0);
  // The tool's own options first, then those of every tool.
  for (const OptionGroup& group : tool.groups) {
    text += '\n' + std::string(group.title) + ":\n";
    AddOptions(text, group.options);
  }
  text += '\n' + std::string(kMore.title) + ":\n";
  AddOptions(text, CommonOptions());
  for (const Section& section : tool.sections) {
    text += '\n' + std::string(section.title) + ":\n";
    AddParagraphs(text, section.text, 2);
  }
  text += "\nExit codes:\n";
  AddExitCodes(
      tool,
      [](std::string& out, int code, const char* meaning) {
        out += "  " + std::to_string(code) + "  " + Filled(meaning, 5, 5) + '\n';
      },
      text);
  return text;
}

std::string ManPage(const Tool& tool) {
  std::string page = ".TH " + std::string(tool.name) +
                     " 1 \"\" \"Countersink " CSINK_VERSION "\" \"PAPI utilities\"\n";
  page += ".SH NAME\n" + Roff(tool.name) + " \\- " + Roff(tool.line) + '\n';
  page += ".SH SYNOPSIS\n.B " + Roff(tool.name) + "\n[OPTION...]";
  if (*tool.operands) page += ' ' + Roff(tool.operands);
  page += "\n.SH DESCRIPTION\n";
  AddRoffParagraphs(page, tool.description);
  // The sections are in the order of man-pages(7).
  page += ".SH OPTIONS\n";
  for (const OptionGroup& group : tool.groups) {
    page += ".SS " + Roff(group.title) + '\n';
    AddRoffOptions(page, group.options);
  }
  page += ".SS " + Roff(kMore.title) + '\n';
  AddRoffOptions(page, CommonOptions());
  page += ".SH JSON\n" + Roff(tool.json_text) + '\n';
  for (const Section& section : tool.sections) {
    page += ".SH " + Roff(section.title) + '\n';
    AddRoffParagraphs(page, section.text);
  }
  page += ".SH EXIT STATUS\n";
  AddExitCodes(
      tool,
      [](std::string& out, int code, const char* meaning) {
        out += ".TP\n.B " + std::to_string(code) + '\n' + Roff(meaning) + '\n';
      },
      page);
  // The only variable that every tool reads itself. Those of the library are in its own
  // documentation.
  page += ".SH ENVIRONMENT\n.TP\n.B NO_COLOR\nIf set, no colour is used, not even on a terminal.\n";
  if (tool.see_also.empty()) return page;
  page += ".SH SEE ALSO\n";
  for (const char* const& other : tool.see_also) {
    page += ".BR " + Roff(other) + " (1)" + (&other == &tool.see_also.back() ? "\n" : " ,\n");
  }
  return page;
}

}  // namespace csink::utils
