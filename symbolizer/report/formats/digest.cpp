#include "symbolizer/report/findings/digest.h"

#include "symbolizer/report/formats/fitted_digest.h"
#include "symbolizer/report/formats/formats.h"
#include "symbolizer/report/formats/parts/brief.h"
#include "symbolizer/report/wording/name_id.h"
#include "symbolizer/report/wording/numbers.h"

/// File: writes a summary for programs that read text, in at most 6,000 bytes for any profile:
/// findings, facts and verdict, the hottest functions, waits, and commands that answer more. It is
/// GitHub Flavored Markdown. Text that comes from the profile is in code spans; a name has its id
/// for `csink show` before it.

namespace csink::report {
namespace {

std::string FunctionsText(const Digest& digest) {
  std::string text = "\n## Functions\n\n";
  if (digest.functions.empty()) return text + (digest.is_cut ? "" : "No samples.\n");
  text += "| " + BriefName(digest.event) + " | " + (digest.is_clock ? "time" : "events") +
          " | id | function | hottest line | caller |\n|---:|---:|---|---|---|---|\n";
  for (const DigestFunction& row : digest.functions) {
    text += "| " + BriefShare(row.cell) + " | " + BriefAmount(row.cell, digest.is_clock) + " | " +
            NameId(row.function) + " | " + BriefName(row.function) + " | " +
            BriefLine(row.file, row.line) + " | ";
    if (!row.caller.empty()) {
      text += NameId(row.caller) + " " + BriefName(row.caller) + " " + Percent(row.caller_share, 0);
    }
    text += " |\n";
  }
  return text;
}

std::string WaitsText(const Digest& digest) {
  std::string text = "\n## Waits\n\n";
  if (digest.waits.empty()) return text + (digest.is_cut ? "" : "None was seen.\n");
  text += "| blocked | threads | id | function | line | for |\n|---:|---|---|---|---|---|\n";
  for (const DigestWait& row : digest.waits) {
    text += "| " + Duration(row.seconds) + " | " + BriefName(row.threads) + " | " +
            NameId(row.function) + " | " + BriefName(row.function) + " | " +
            BriefLine(row.file, row.line) + " | " + BriefName(row.primitive);
    if (!row.lock.empty()) text += " " + NameId(row.lock) + " " + BriefName(row.lock);
    text += " |\n";
  }
  return text;
}

std::string DigestText(const Digest& digest) {
  std::string text = "# csink digest\n\n## Findings\n\n";
  std::size_t number = 0;
  for (const Finding& finding : digest.findings) {
    text += std::to_string(++number) + ". " + BriefSentence(finding.text);
    if (!finding.function.empty()) text += " " + NameId(finding.function);
    text += "\n";
  }
  if (digest.findings.empty()) text += "None.\n";
  text += "\n## Run and verdict\n\n";
  for (const std::string& fact : digest.facts) text += "- " + BriefSentence(fact) + "\n";
  text += FunctionsText(digest);
  if (digest.has_waits) text += WaitsText(digest);
  if (digest.is_cut) text += "\nCut: a digest has 6,000 bytes at most.\n";
  text += "\n## Next\n\n";
  for (const DigestStep& step : digest.next)
    text += "- `" + step.command + "`: " + step.answers + "\n";
  return text;
}

}  // namespace

Result<void> WriteDigest(const Report& report, const FormatOptions& options, Sink& sink) {
  sink << FittedDigest(report, options, DigestText);
  return {};
}

}  // namespace csink::report
