#include <algorithm>
#include <cctype>
#include <iterator>

#include "symbolizer/report/text/main_table.h"
#include "symbolizer/report/wording/shorten.h"

/// File: shortens names of events. A name is split into words, known words are abbreviated, and
/// then all words are cut to the same number of letters until they fit: first with '-' between
/// them, then without.

namespace csink::report {
namespace {

/// A word of an event's name, and its abbreviation. Both in lower case.
struct Word {
  const char* whole;
  const char* brief;
};
/// Usual abbreviations of the words in event names.
constexpr Word kWords[] = {
    {"branch", "br"},          {"branches", "br"},     {"misses", "miss"},
    {"instructions", "instr"}, {"references", "refs"}, {"context", "ctx"},
    {"switches", "sw"},        {"faults", "flt"},      {"clock", "clk"},
    {"migrations", "migr"},    {"stalled", "stall"},   {"cycles", "cyc"},
    {"cache", "ca"},           {"retired", "ret"},     {"frontend", "front"},
    {"backend", "back"},
};

/// The word in lower case, abbreviated if it is a known one.
std::string Brief(std::string word) {
  std::transform(word.begin(), word.end(), word.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const auto* known = std::find_if(std::begin(kWords), std::end(kWords),
                                   [&](const Word& entry) { return word == entry.whole; });
  return known == std::end(kWords) ? word : known->brief;
}

/// Shortens the words of "topdown.zen.slots-x8" to "slots". The header of the report shows the full
/// name.
void KeepRoleOfTopdown(std::vector<std::string>& words) {
  if (words.size() < 3 || words[0] != "topdown") return;
  words.erase(words.begin(), words.begin() + 2);
  const std::string& last = words.back();
  const bool is_factor =
      last.size() > 1 && last[0] == 'x' && last.find_first_not_of("0123456789", 1) == last.npos;
  if (words.size() > 1 && is_factor) words.pop_back();
}

/// The words of a name without PMU and modifiers: "skx::BR_MISP_RETIRED:ALL:u" -> br, misp, ret,
/// all.
std::vector<std::string> WordsOf(const std::string& name) {
  const auto pmu = name.find("::");
  std::string rest = pmu == std::string::npos ? name : name.substr(pmu + 2);
  const auto colon = rest.rfind(':');
  if (colon != std::string::npos && rest.find_first_not_of("ukhpPGH", colon + 1) == rest.npos) {
    rest.resize(colon);
  }
  std::vector<std::string> words;
  std::string word;
  // The added separator ends the last word.
  for (const char c : rest + "-") {
    if (c != '-' && c != '_' && c != '.' && c != ':') {
      word += c;
    } else if (!word.empty()) {
      words.push_back(Brief(word));
      word.clear();
    }
  }
  KeepRoleOfTopdown(words);
  return words;
}

/// The first `letters` letters of all words.
std::string Joined(const std::vector<std::string>& words, std::size_t letters,
                   const char* between) {
  std::string text;
  for (const std::string& word : words) {
    text += (text.empty() ? "" : between) + word.substr(0, letters);
  }
  return text;
}

/// The head of one name, at most kHeadColumns bytes of ASCII, or the name itself. Not unique yet.
std::string HeadOf(const std::string& name) {
  if (DisplayWidth(name) <= kHeadColumns) return name;
  const std::vector<std::string> words = WordsOf(name);
  for (const char* between : {"-", ""}) {
    // Down to three letters of each word with dashes, then the same without dashes.
    for (std::size_t letters = kHeadColumns; letters >= 3; --letters) {
      const std::string head = Joined(words, letters, between);
      if (!head.empty() && head.size() <= kHeadColumns) return head;
    }
  }
  // Very many words: two letters of each, cut.
  return Joined(words, 2, "").substr(0, kHeadColumns);
}

}  // namespace

std::vector<std::string> EventHeads(const std::vector<std::string>& names) {
  std::vector<std::string> heads;
  for (const std::string& name : names) {
    std::string head = HeadOf(Printable(name));
    // Equal heads get a number; the report's header lists the names in the same order.
    for (std::size_t number = 2; std::count(heads.begin(), heads.end(), head) != 0; ++number) {
      const std::string suffix = "#" + std::to_string(number);
      head = HeadOf(Printable(name));
      head = head.substr(0, kHeadColumns - suffix.size()) + suffix;
    }
    heads.push_back(std::move(head));
  }
  return heads;
}

}  // namespace csink::report
