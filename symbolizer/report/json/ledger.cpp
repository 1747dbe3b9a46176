#include "symbolizer/report/ledger/ledger.h"

#include <string.h>
#include <sys/wait.h>

#include "symbolizer/report/json/groups.h"

/// File: the account of the CPU time. Keys are documented in docs/report.schema.json.

namespace csink::report {
namespace {

/// Null where it does not belong to the cause, so that every key is always there.
Json EvidenceJson(const Evidence& evidence) {
  const bool has_status = evidence.status != -1;
  const bool exited = has_status && WIFEXITED(evidence.status);
  const bool killed = has_status && WIFSIGNALED(evidence.status);
  return {{"program", evidence.program.empty() ? Json(nullptr) : Json(evidence.program)},
          {"errno", evidence.error == 0 ? Json(nullptr) : Json(evidence.error)},
          {"error", evidence.error == 0 ? Json(nullptr) : Json(strerror(evidence.error))},
          {"exit_status", exited ? Json(WEXITSTATUS(evidence.status)) : Json(nullptr)},
          {"signal", killed ? Json(WTERMSIG(evidence.status)) : Json(nullptr)},
          {"count", evidence.count == 0 ? Json(nullptr) : Json(evidence.count)}};
}

/// "sampled", "beside" or "outside".
const char* WordFor(Where where) {
  switch (where) {
    case Where::kSampled:
      return "sampled";
    case Where::kBeside:
      return "beside";
    case Where::kOutside:
      return "outside";
  }
  return "";
}

}  // namespace

Json LedgerJson(const Ledger& ledger) {
  Json remainders = Json::array();
  for (const Remainder& row : ledger.remainders) {
    remainders.push_back({{"cause", WordFor(row.cause)},
                          {"where", WordFor(row.where)},
                          {"seconds", row.seconds},
                          {"processes", row.processes},
                          {"text", WordsFor(row)},
                          {"evidence", EvidenceJson(row.evidence)}});
  }
  return {{"cpu_seconds", ledger.cpu_seconds},
          {"user_seconds", ledger.user_seconds},
          {"system_seconds", ledger.system_seconds},
          {"undivided_seconds", ledger.undivided_seconds},
          {"judged_seconds", ledger.judged_seconds},
          {"explained_seconds", ledger.explained_seconds},
          {"profiler_seconds", ledger.profiler_seconds},
          {"interrupt_seconds",
           ledger.interrupt_seconds ? Json(*ledger.interrupt_seconds) : Json(nullptr)},
          {"unknown_seconds", ledger.unknown_seconds},
          {"processes", ledger.processes},
          {"unprofiled_processes", ledger.unprofiled_processes},
          {"remainders", std::move(remainders)}};
}

}  // namespace csink::report
