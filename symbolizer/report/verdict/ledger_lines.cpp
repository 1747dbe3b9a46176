#include "symbolizer/report/verdict/ledger_lines.h"

#include "symbolizer/report/wording/numbers.h"

namespace csink::report {
namespace {

/// Remainders in one line; further ones are one sum.
constexpr std::size_t kMostCauses = 4;
/// From these on, the time before the agent is mentioned.
constexpr double kLeastBeforeShare = 0.05;
constexpr double kLeastBeforeSeconds = 0.01;

}  // namespace

std::string OutsideNote(const Ledger& ledger) {
  const double all = ledger.SecondsOf(Where::kOutside);
  std::string text = FixedText(all, 2) + " s of CPU time (" + Percent(all / ledger.cpu_seconds) +
                     ") is in no profile: ";
  std::size_t shown = 0;
  double more = 0;
  for (const Remainder& row : ledger.remainders) {
    if (row.where != Where::kOutside) continue;
    // Less than a hundredth of the line's time is not worth a cause of its own.
    if (shown == kMostCauses || row.seconds < 0.01 * all) {
      more += row.seconds;
      continue;
    }
    text += (shown++ == 0 ? "" : ", ") + Duration(row.seconds) + " " + WordsFor(row);
  }
  if (more >= 0.01 * all) text += ", " + Duration(more) + " of other causes";
  return text;
}

std::string LossLine(const Ledger& ledger) {
  std::string text;
  for (const Remainder& row : ledger.remainders) {
    if (row.where != Where::kSampled || row.cause == Cause::kNotCompared) continue;
    if (row.seconds < 0.001 || row.seconds < 0.005 * ledger.judged_seconds) continue;
    // The kernel divides time into user and system by ticks of at most 10 ms; smaller differences
    // mean nothing.
    const bool no_loss = row.cause == Cause::kUnknown || row.cause == Cause::kFewSamples;
    if (no_loss && (row.seconds < 0.02 || row.seconds < 0.01 * ledger.judged_seconds)) continue;
    text += (text.empty() ? "not sampled: " : ", ") + Duration(row.seconds) + " " + WordsFor(row);
  }
  return text;
}

std::string BeforeAgentLine(const Ledger& ledger) {
  const double seconds = ledger.SecondsOf(Cause::kBeforeAgent);
  if (seconds < kLeastBeforeSeconds || seconds <= kLeastBeforeShare * ledger.cpu_seconds) return "";
  return Duration(seconds) + " of " + Duration(ledger.cpu_seconds) +
         " of CPU time was used before the agent was ready (exec, dynamic linking): not sampled, "
         "not part of the verdict";
}

}  // namespace csink::report
