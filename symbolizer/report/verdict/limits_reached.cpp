#include "symbolizer/report/verdict/limits_reached.h"

#include <cerrno>
#include <cstring>
#include <map>

#include "profil/reading/model/saturating.h"
#include "symbolizer/report/wording/numbers.h"

namespace csink::report {
namespace {

/// Processes whose spool could not grow for one reason.
struct Refused {
  std::uint64_t processes = 0;
  std::uint32_t pid = 0;  ///< Of the first
  std::uint64_t limit = spool::kNoFileLimit;
};

std::string GrowthNote(std::uint32_t error, const Refused& refused) {
  std::string text = refused.processes == 1
                         ? "the spool of pid " + std::to_string(refused.pid)
                         : "the spools of " + Grouped(refused.processes) + " processes";
  text += std::string(" could not grow: ") + strerror(static_cast<int>(error));
  if (error == EFBIG && refused.limit != spool::kNoFileLimit) {
    text += " (limit of file sizes, RLIMIT_FSIZE: " + Grouped(refused.limit) + " bytes)";
  }
  return text;
}

}  // namespace

std::vector<std::string> LimitNotes(const Profile& profile) {
  std::uint64_t lost = 0;
  std::map<std::uint32_t, Refused> refused;
  for (const ProcessRow& row : profile.processes) {
    AddTo(lost, std::uint64_t{row.evidence.lost_mappings});
    // A sandbox has a note of its own; the errno there is that of the sandbox.
    if (row.evidence.growth_refusals == 0 || row.evidence.growth_errno == 0 || row.frozen) continue;
    Refused& of_errno = refused[row.evidence.growth_errno];
    if (of_errno.processes++ == 0) of_errno.pid = row.pid;
    of_errno.limit = row.evidence.growth_limit;
  }
  std::vector<std::string> notes;
  if (lost != 0) {
    notes.push_back(Count(lost, "executable mapping", "executable mappings") +
                    " had no room in the table of mappings: samples in them have no names");
  }
  for (const auto& [error, of_errno] : refused) notes.push_back(GrowthNote(error, of_errno));
  return notes;
}

}  // namespace csink::report
