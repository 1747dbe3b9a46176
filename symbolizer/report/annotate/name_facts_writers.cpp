#include <algorithm>
#include <nlohmann/json.hpp>

#include "symbolizer/report/annotate/name_facts.h"
#include "symbolizer/report/formats/parts/brief.h"
#include "symbolizer/report/formats/parts/fitted.h"
#include "symbolizer/report/wording/name_id.h"
#include "symbolizer/report/wording/numbers.h"

/// File: writes what is known of a name. What is longer than kMostShownBytes loses the last row of
/// its longest list until it fits; `cut` and a last line say so.

namespace csink::annotate {
namespace {

using report::BriefAmount;
using report::BriefLine;
using report::BriefLineText;
using report::BriefName;
using report::BriefNameText;
using report::BriefNumber;
using report::NameId;
using report::Percent;
using Json = nlohmann::ordered_json;

constexpr double kHalf = 0.5;

/// A name with its id before it.
std::string WithId(const std::string& name) { return NameId(name) + " " + BriefName(name); }

void AddNeighbours(const char* title, const std::vector<Neighbour>& all, std::string& text) {
  if (all.empty()) return;
  text += std::string("\n") + title + ":\n";
  for (const Neighbour& one : all) {
    text += "- " + Percent(one.share) + " " + WithId(one.name) + "\n";
  }
}

/// A block of code, indented, in which nothing is markup.
void AddCode(const NameFacts& facts, std::string& text) {
  if (facts.code.empty()) return;
  text += "\nCode around the hottest row, of " + BriefName(facts.code_of) +
          ", with shares of the function:\n\n";
  for (const CodeRow& row : facts.code) {
    text += "    " + (row.share > 0 ? Percent(row.share) : std::string("-")) + "  " + row.place +
            "  " + report::BriefSentenceText(row.text) + "\n";
  }
}

void AddWaits(const NameFacts& facts, std::string& text) {
  if (facts.waits.empty()) return;
  text += facts.is_lock ? "\nWaited for in:\n" : "\nBlocked in it:\n";
  for (const BlockedPlace& place : facts.waits) {
    text += "- " + report::Duration(place.seconds) + ", " + BriefName(place.threads) + ", ";
    if (facts.is_lock) text += WithId(place.function) + " ";
    text += BriefLine(place.file, place.line);
    if (!facts.is_lock) {
      text += " for " + BriefName(place.primitive);
      if (!place.lock.empty()) text += " " + WithId(place.lock);
    }
    text += "\n";
  }
}

void AddHolders(const NameFacts& facts, std::string& text) {
  if (!facts.is_lock) return;
  text += facts.holders.empty() ? "\nNo holder was seen.\n" : "\nHeld meanwhile by:\n";
  for (const report::HolderRow& holder : facts.holders) {
    text += "- " + Percent(holder.cell.share) + " ";
    text += holder.function.empty() ? "a function that is not known" : WithId(holder.function);
    text += ", thread " + BriefName(holder.thread) + (holder.is_blocked ? ", blocked itself" : "") +
            (holder.is_only_runner ? ", the only thread that ran: no proof that it holds" : "") +
            "\n";
  }
}

std::string TextOf(const NameFacts& facts) {
  std::string text = "# " + WithId(facts.name) + "\n\n";
  if (!facts.module.empty()) {
    text += std::string(facts.is_lock ? "A lock in " : "A function in ") + BriefName(facts.module) +
            ".\n";
  }
  if (!facts.is_lock && !facts.event.empty()) {
    text += "- self: " + report::BriefShare(facts.self) + " of " + BriefName(facts.event) + ", " +
            BriefAmount(facts.self, facts.is_clock) + "\n";
    if (facts.total) {
      text += "- with what it called: " + report::ShareText(facts.total_share) + ", " +
              BriefAmount(*facts.total, facts.is_clock) + "\n";
    }
  }
  if (facts.critical) {
    const critical::PlaceShares& shares = facts.critical->shares;
    text +=
        "- of the critical path: " + Percent(shares.path) + " +-" +
        report::FixedText((shares.path_interval.high - shares.path_interval.low) * kHalf * 100, 1) +
        "\n";
    if (shares.has_saving) {
      text += "- 20% faster saves " + report::Duration(shares.saving.low * facts.run_seconds) +
              " to " + report::Duration(shares.saving.high * facts.run_seconds) + " of " +
              report::Duration(facts.run_seconds) + "\n";
    }
  }
  AddNeighbours("Callers, by share of the samples in it and below", facts.callers, text);
  AddNeighbours("Callees", facts.callees, text);
  if (!facts.lines.empty()) text += "\nLines, by share of the samples in it:\n";
  for (const HotLine& line : facts.lines) {
    text += "- " + report::BriefShare(line.cell) + " " + BriefLine(line.file, line.line) + "\n";
  }
  AddCode(facts, text);
  AddWaits(facts, text);
  AddHolders(facts, text);
  return text;
}

Json Text(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }
Json NameJson(const std::string& name) {
  if (name.empty()) return nullptr;
  return {{"id", NameId(name)}, {"name", BriefNameText(name)}};
}
Json NeighboursJson(const std::vector<Neighbour>& all) {
  Json list = Json::array();
  for (const Neighbour& one : all) {
    Json json = NameJson(one.name);
    json["share"] = BriefNumber(one.share);
    list.push_back(std::move(json));
  }
  return list;
}
Json AmountJson(const EventCount& count, bool is_clock) {
  return is_clock ? Json(BriefNumber(report::Seconds(count.weight))) : Json(count.weight);
}

Json CriticalJson(const NameFacts& facts) {
  if (!facts.critical) return nullptr;
  const critical::PlaceShares& shares = facts.critical->shares;
  Json json = {{"path", BriefNumber(shares.path)},
               {"low", BriefNumber(shares.path_interval.low)},
               {"high", BriefNumber(shares.path_interval.high)},
               {"run_seconds", BriefNumber(facts.run_seconds)},
               {"saves_if_20_percent_faster", nullptr}};
  if (shares.has_saving) {
    json["saves_if_20_percent_faster"] = {
        {"low_seconds", BriefNumber(shares.saving.low * facts.run_seconds)},
        {"high_seconds", BriefNumber(shares.saving.high * facts.run_seconds)}};
  }
  return json;
}

Json JsonOf(const NameFacts& facts) {
  Json lines = Json::array();
  for (const HotLine& line : facts.lines) {
    lines.push_back({{"line", BriefLineText(line.file, line.line)},
                     {"share", BriefNumber(line.cell.share)},
                     {"low", BriefNumber(line.cell.low)},
                     {"high", BriefNumber(line.cell.high)}});
  }
  Json code = Json::array();
  for (const CodeRow& row : facts.code) {
    code.push_back({{"at", row.place},
                    {"text", report::BriefSentenceText(row.text)},
                    {"share", BriefNumber(row.share)}});
  }
  Json waits = Json::array();
  for (const BlockedPlace& place : facts.waits) {
    waits.push_back({{"seconds", BriefNumber(place.seconds)},
                     {"threads", BriefNameText(place.threads)},
                     {"function", NameJson(place.function)},
                     {"line", Text(BriefLineText(place.file, place.line))},
                     {"for", place.primitive},
                     {"lock", NameJson(place.lock)}});
  }
  Json holders = Json::array();
  for (const report::HolderRow& holder : facts.holders) {
    holders.push_back({{"share", BriefNumber(holder.cell.share)},
                       {"function", NameJson(holder.function)},
                       {"thread", BriefNameText(holder.thread)},
                       {"blocked", holder.is_blocked},
                       {"only_runner", holder.is_only_runner}});
  }
  Json json = NameJson(facts.name);
  json["kind"] = facts.is_lock ? "lock" : "function";
  json["module"] = Text(BriefNameText(facts.module));
  const char* const amount = facts.is_clock ? "seconds" : "events";
  json["event"] =
      facts.event.empty() || facts.is_lock ? Json(nullptr) : Json(BriefNameText(facts.event));
  json["self"] = {{"share", BriefNumber(facts.self.share)},
                  {"low", BriefNumber(facts.self.low)},
                  {"high", BriefNumber(facts.self.high)},
                  {amount, AmountJson(facts.self, facts.is_clock)}};
  json["total"] = nullptr;
  if (facts.total) {
    json["total"] = {{"share", BriefNumber(facts.total_share)},
                     {amount, AmountJson(*facts.total, facts.is_clock)}};
  }
  if (facts.is_lock) json.erase("self"), json.erase("total"), json.erase("event");
  json["critical"] = CriticalJson(facts);
  json["callers"] = NeighboursJson(facts.callers);
  json["callees"] = NeighboursJson(facts.callees);
  json["lines"] = std::move(lines);
  json["code_of"] = Text(BriefNameText(facts.code_of));
  json["code"] = std::move(code);
  json["waits"] = std::move(waits);
  json["holders"] = std::move(holders);
  return json;
}

/// Drops the last row of the longest list, else the last name but one. False: there is none.
bool DropRow(std::vector<NameFacts>& names) {
  std::size_t longest = 0;
  NameFacts* of = nullptr;
  for (NameFacts& facts : names) {
    const std::size_t most =
        std::max({facts.callers.size(), facts.callees.size(), facts.lines.size(), facts.code.size(),
                  facts.waits.size(), facts.holders.size()});
    if (most > longest) {
      longest = most;
      of = &facts;
    }
  }
  const auto drop = [&](auto& list) {
    if (list.size() != longest) return false;
    list.pop_back();
    return true;
  };
  if (of) {
    return drop(of->callees) || drop(of->callers) || drop(of->lines) || drop(of->code) ||
           drop(of->waits) || drop(of->holders);
  }
  if (names.size() <= 1) return false;
  names.pop_back();
  return true;
}

std::size_t RowsOf(const std::vector<NameFacts>& names) {
  std::size_t rows = 0;
  for (const NameFacts& facts : names) {
    rows += facts.callers.size() + facts.callees.size() + facts.lines.size() + facts.code.size() +
            facts.waits.size() + facts.holders.size();
  }
  return rows;
}

/// `make` gets whether something was dropped.
template <typename Make>
std::string FittedNames(std::vector<NameFacts>& names, Make make) {
  bool is_cut = false;
  return report::Fitted(
      kMostShownBytes, RowsOf(names), [&] { return make(is_cut); },
      [&] { return DropRow(names) && (is_cut = true); });
}

}  // namespace

std::string WriteNameFacts(std::vector<NameFacts> names) {
  return FittedNames(names, [&](bool is_cut) {
    std::string text;
    for (const NameFacts& facts : names) text += (text.empty() ? "" : "\n") + TextOf(facts);
    return text + (is_cut ? "\nCut: at most 4,000 bytes are shown.\n" : "");
  });
}

std::string WriteNameFactsJson(std::vector<NameFacts> names) {
  return FittedNames(names, [&](bool is_cut) {
    Json list = Json::array();
    for (const NameFacts& facts : names) list.push_back(JsonOf(facts));
    const Json json = {
        {"format", "csink-show"}, {"version", 1}, {"cut", is_cut}, {"names", std::move(list)}};
    return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  });
}

}  // namespace csink::annotate
