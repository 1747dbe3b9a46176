#include "core/counting/presets/complaint_list.h"

namespace csink {
namespace {

// A longer token is probably a missing quote or comma; its beginning identifies it.
constexpr std::size_t kShownTokenBytes = 60;

}  // namespace

void ComplaintList::Add(std::string_view file, int line, int column, std::string_view sentence) {
  // Counted also if the sentence is not kept: readers compare counts to see whether a file had
  // mistakes.
  ++count_;
  // One place is left for the sentence that Sentences() adds.
  if (sentences_.size() + 1 >= kMaxComplaints) return;
  std::string whole = Printable(file);
  // The form in which compilers report a mistake, so that editors find the place.
  if (line > 0) whole += ':' + std::to_string(line);
  if (line > 0 && column > 0) whole += ':' + std::to_string(column);
  whole += ": " + Printable(sentence);
  sentences_.push_back(std::move(whole));
}

std::vector<std::string> ComplaintList::Sentences() const {
  std::vector<std::string> all = sentences_;
  if (count_ > all.size()) {
    all.push_back("and " + std::to_string(count_ - all.size()) + " more of this kind");
  }
  return all;
}

std::string Printable(std::string_view text) {
  std::string printable(text);
  for (char& c : printable) {
    if (c < ' ' || c > '~') c = '?';
  }
  return printable;
}

std::string Quoted(std::string_view token) {
  std::string text = "\"";
  text += token.substr(0, kShownTokenBytes);
  if (token.size() > kShownTokenBytes) text += "...";
  return text += '"';
}

std::string NearestHint(std::string_view nearest) {
  if (nearest.empty()) return {};
  return "; nearest: " + std::string(nearest);
}

}  // namespace csink
