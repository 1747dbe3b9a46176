#include <cmath>
#include <nlohmann/json.hpp>

#include "symbolizer/report/findings/digest.h"
#include "symbolizer/report/formats/fitted_digest.h"
#include "symbolizer/report/formats/formats.h"
#include "symbolizer/report/formats/parts/brief.h"
#include "symbolizer/report/wording/name_id.h"
#include "symbolizer/report/wording/numbers.h"

/// File: writes the digest as one JSON object, in at most 6,000 bytes for any profile. Shares are
/// 0..1, times seconds. A name has its id for `csink show`; null stands for what is not known.

namespace csink::report {
namespace {

using Json = nlohmann::ordered_json;

Json Text(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }
/// A name, shortened, with its id; null for an empty one.
Json NameJson(const std::string& name) {
  if (name.empty()) return nullptr;
  return {{"id", NameId(name)}, {"name", BriefNameText(name)}};
}

Json FunctionJson(const DigestFunction& row, bool is_clock) {
  Json caller = NameJson(row.caller);
  if (!caller.is_null()) caller["share"] = BriefNumber(row.caller_share);
  return {{"id", NameId(row.function)},
          {"name", BriefNameText(row.function)},
          {"module", BriefNameText(row.module)},
          {"share", BriefNumber(row.cell.share)},
          {"low", BriefNumber(row.cell.low)},
          {"high", BriefNumber(row.cell.high)},
          {is_clock ? "seconds" : "events",
           is_clock ? Json(BriefNumber(Seconds(row.cell.weight))) : Json(row.cell.weight)},
          {"line", Text(BriefLineText(row.file, row.line))},
          {"caller", std::move(caller)}};
}

Json WaitJson(const DigestWait& row) {
  return {{"seconds", BriefNumber(row.seconds)},
          {"threads", BriefNameText(row.threads)},
          {"function", NameJson(row.function)},
          {"line", Text(BriefLineText(row.file, row.line))},
          {"for", row.primitive},
          {"lock", NameJson(row.lock)}};
}

std::string DigestText(const Digest& digest) {
  Json findings = Json::array();
  for (const Finding& finding : digest.findings) {
    findings.push_back({{"kind", WordFor(finding.kind)},
                        {"text", BriefSentenceText(finding.text)},
                        {"id", Text(NameId(finding.function))}});
  }
  Json facts = Json::array();
  for (const std::string& fact : digest.facts) facts.push_back(BriefSentenceText(fact));
  Json functions = Json::array();
  for (const DigestFunction& row : digest.functions) {
    functions.push_back(FunctionJson(row, digest.is_clock));
  }
  Json waits = digest.has_waits ? Json::array() : Json(nullptr);
  for (const DigestWait& row : digest.waits) waits.push_back(WaitJson(row));
  Json next = Json::array();
  for (const DigestStep& step : digest.next) {
    next.push_back({{"command", step.command}, {"answers", step.answers}});
  }
  const Json json = {
      {"format", "csink-digest"},
      {"version", 1},
      {"cut", digest.is_cut},
      {"event", digest.has_event ? Json(BriefNameText(digest.event)) : Json(nullptr)},
      {"findings", std::move(findings)},
      {"facts", std::move(facts)},
      {"functions", std::move(functions)},
      {"waits", std::move(waits)},
      {"next", std::move(next)}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

Result<void> WriteDigestJson(const Report& report, const FormatOptions& options, Sink& sink) {
  sink << FittedDigest(report, options, DigestText);
  return {};
}

}  // namespace csink::report
