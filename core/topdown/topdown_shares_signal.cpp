#include <algorithm>

#include "core/topdown/topdown_shares.h"
#include "core/util/parse.h"

// Each formula divides all slots (1) into the parts of level 1: counted parts are set, a part that
// no event counts is what remains (Rest). Level 2 divides a part of level 1 into two. The names of
// parts, roles and formulas are in spools and reports: they must not change.

namespace csink {
namespace {

using Part = TopdownPart;
using Role = TopdownRole;

constexpr std::string_view kPartNames[kTopdownParts] = {
    "retiring",         "bad_speculation",    "frontend",         "backend",     "smt_contention",
    "unattributed",     "light_operations",   "heavy_operations", "mispredicts", "machine_clears",
    "frontend_latency", "frontend_bandwidth", "backend_memory",   "backend_core"};

constexpr std::string_view kRoleNames[kTopdownRoles] = {
    "slots",       "frontend", "backend",         "smt-contention", "issued",
    "retired",     "recovery", "bad-speculation", "flush",          "frontend-latency",
    "mispredicts", "heavy",    "memory",          "not-retired",    "load-not-retired"};

constexpr std::string_view kFormulaNames[kTopdownFormulas] = {
    "zen", "intel", "icelake", "metrics", "arm", "neoverse", "neoverse-n2"};

constexpr std::string_view kPrefix = "topdown.";
constexpr std::string_view kFactor = "-x";

// What level 1 of each formula needs beside kSlots.
constexpr Role kZenRoles[] = {Role::kFrontend, Role::kBackend, Role::kSmtContention, Role::kIssued,
                              Role::kRetired};
constexpr Role kIntelRoles[] = {Role::kFrontend, Role::kIssued, Role::kRetired, Role::kRecovery};
constexpr Role kIcelakeRoles[] = {Role::kFrontend, Role::kBackend, Role::kRetired};
constexpr Role kMetricsRoles[] = {Role::kFrontend, Role::kBackend, Role::kRetired,
                                  Role::kBadSpeculation};
constexpr Role kArmRoles[] = {Role::kFrontend, Role::kBackend, Role::kIssued, Role::kRetired};
constexpr Role kNeoverseRoles[] = {Role::kFrontend, Role::kBackend, Role::kIssued, Role::kRetired,
                                   Role::kFlush};

struct Needs {
  const Role* roles;
  std::size_t count;
};
template <std::size_t N>
constexpr Needs All(const Role (&roles)[N]) {
  return {roles, N};
}
constexpr Needs kNeeds[kTopdownFormulas] = {
    All(kZenRoles), All(kIntelRoles),    All(kIcelakeRoles), All(kMetricsRoles),
    All(kArmRoles), All(kNeoverseRoles), All(kNeoverseRoles)};

class Sharing {
 public:
  Sharing(TopdownShares& shares, const TopdownCounts& counts) : shares_(shares), counts_(counts) {}

  double Of(Role role) const noexcept { return counts_[role] / counts_[Role::kSlots]; }
  double Get(Part part) const noexcept { return shares_[part]; }
  void Set(Part part, double share) noexcept {
    shares_.of[static_cast<std::size_t>(part)] = share;
    shares_.known[static_cast<std::size_t>(part)] = true;
  }
  // What the level 1 parts set so far leave of all slots.
  double Rest() const noexcept {
    double rest = 1;
    for (std::size_t i = 0; i < kTopdownLevel1Parts; ++i) rest -= shares_.of[i];
    return rest;
  }
  /// Divides `whole`: `part` is the share counted as `role`, `other` is the rest.
  // Without a count of that role both parts stay unknown, and the report shows level 1 alone.
  void Split(Part whole, Role role, Part part, Part other) noexcept {
    if (!counts_.Has(role)) return;
    Set(part, Of(role));
    Set(other, Get(whole) - Of(role));
  }

 private:
  TopdownShares& shares_;
  const TopdownCounts& counts_;
};

// Used slots are those that neither frontend nor backend leave empty. Of them, the share that
// retires is that of retired among issued operations.
void ShareArm(TopdownFormula formula, const TopdownCounts& counts, Sharing& sharing) noexcept {
  double frontend = sharing.Of(Role::kFrontend);
  if (formula == TopdownFormula::kNeoverseN2 && counts.slots_per_cycle > 0) {
    // The erratum of Neoverse N2 before r0p3: the event counts one slot too many in each cycle.
    frontend -= 1 / counts.slots_per_cycle;
  }
  const double backend = sharing.Of(Role::kBackend);
  // May fall a little below 0: the events are not counted at exactly the same moments.
  const double used = 1 - frontend - backend;
  const double issued = counts[Role::kIssued];
  // With no operation at all, used slots cannot be divided: they are counted as wasted.
  const double retired = issued > 0 ? counts[Role::kRetired] / issued : 0;
  const double flush = formula == TopdownFormula::kArm ? 0 : sharing.Of(Role::kFlush);
  sharing.Set(Part::kFrontend, frontend - flush);
  sharing.Set(Part::kBackend, backend);
  sharing.Set(Part::kRetiring, used * retired);
  sharing.Set(Part::kBadSpeculation, used * (1 - retired) + flush);
}

// AMD does not count memory-bound slots. The backend's share is divided by the cycles in which the
// oldest operation, incomplete, was a load.
void ShareMemoryByCycles(const TopdownCounts& counts, Sharing& sharing) noexcept {
  if (!counts.Has(Role::kNotRetired) || !counts.Has(Role::kLoadNotRetired)) return;
  const double waits = counts[Role::kNotRetired];
  const double loads = waits > 0 ? counts[Role::kLoadNotRetired] / waits : 0;
  sharing.Set(Part::kBackendMemory, sharing.Get(Part::kBackend) * loads);
  sharing.Set(Part::kBackendCore, sharing.Get(Part::kBackend) * (1 - loads));
}

// Stores the index of `text` in `names`. Returns false if it is not there.
template <std::size_t N>
bool FindName(const std::string_view (&names)[N], std::string_view text, std::size_t& found) {
  for (found = 0; found < N; ++found) {
    if (names[found] == text) return true;
  }
  return false;
}

}  // namespace

TopdownCounts::TopdownCounts() noexcept {
  for (double& count : of) count = -1;
}

bool HasLevel1(TopdownFormula formula, const TopdownCounts& counts) noexcept {
  const Needs& needs = kNeeds[static_cast<std::size_t>(formula)];
  for (std::size_t i = 0; i < needs.count; ++i) {
    if (!counts.Has(needs.roles[i])) return false;
  }
  return counts.Has(Role::kSlots);
}

TopdownShares SharesOf(TopdownFormula formula, const TopdownCounts& counts) noexcept {
  TopdownShares shares = {};
  // The comparison is written so that it also rejects NaN.
  if (!HasLevel1(formula, counts) || !(counts[Role::kSlots] > 0)) return shares;
  Sharing sharing(shares, counts);
  switch (formula) {
    case TopdownFormula::kZen:
      sharing.Set(Part::kRetiring, sharing.Of(Role::kRetired));
      // Issued and never retired: discarded.
      sharing.Set(Part::kBadSpeculation, sharing.Of(Role::kIssued) - sharing.Of(Role::kRetired));
      sharing.Set(Part::kFrontend, sharing.Of(Role::kFrontend));
      sharing.Set(Part::kBackend, sharing.Of(Role::kBackend));
      sharing.Set(Part::kSmtContention, sharing.Of(Role::kSmtContention));
      sharing.Set(Part::kUnattributed, sharing.Rest());
      ShareMemoryByCycles(counts, sharing);
      break;
    case TopdownFormula::kIntel:
      sharing.Set(Part::kRetiring, sharing.Of(Role::kRetired));
      sharing.Set(Part::kBadSpeculation, sharing.Of(Role::kIssued) - sharing.Of(Role::kRetired) +
                                             sharing.Of(Role::kRecovery));
      sharing.Set(Part::kFrontend, sharing.Of(Role::kFrontend));
      // No event of these cores counts empty slots of the backend.
      sharing.Set(Part::kBackend, sharing.Rest());
      break;
    // Sampled, no event counts bad speculation, so it is the remainder. The kernel's metrics count
    // all four parts, whose sum need not be 1.
    case TopdownFormula::kIcelake:
    case TopdownFormula::kMetrics:
      sharing.Set(Part::kRetiring, sharing.Of(Role::kRetired));
      sharing.Set(Part::kFrontend, sharing.Of(Role::kFrontend));
      sharing.Set(Part::kBackend, sharing.Of(Role::kBackend));
      if (formula == TopdownFormula::kIcelake) {
        sharing.Set(Part::kBadSpeculation, sharing.Rest());
      } else {
        sharing.Set(Part::kBadSpeculation, sharing.Of(Role::kBadSpeculation));
        sharing.Set(Part::kUnattributed, sharing.Rest());
      }
      sharing.Split(Part::kRetiring, Role::kHeavy, Part::kHeavyOperations, Part::kLightOperations);
      sharing.Split(Part::kBadSpeculation, Role::kMispredicts, Part::kMispredicts,
                    Part::kMachineClears);
      sharing.Split(Part::kFrontend, Role::kFrontendLatency, Part::kFrontendLatency,
                    Part::kFrontendBandwidth);
      sharing.Split(Part::kBackend, Role::kMemory, Part::kBackendMemory, Part::kBackendCore);
      break;
    case TopdownFormula::kArm:
    case TopdownFormula::kNeoverse:
    case TopdownFormula::kNeoverseN2:
      ShareArm(formula, counts, sharing);
      break;
  }
  return shares;
}

std::string_view NameOf(TopdownPart part) noexcept {
  return kPartNames[static_cast<std::size_t>(part)];
}
std::string_view NameOf(TopdownRole role) noexcept {
  return kRoleNames[static_cast<std::size_t>(role)];
}
std::string_view NameOf(TopdownFormula formula) noexcept {
  return kFormulaNames[static_cast<std::size_t>(formula)];
}

Text<64> TextOf(const TopdownName& name) noexcept {
  Text<64> text;
  // "topdown.zen.slots-x6": all that the report needs to compute shares from a spool of another
  // machine.
  text.Add(kPrefix).Add(NameOf(name.formula)).Add('.').Add(NameOf(name.role));
  if (name.factor != 1) text.Add(kFactor).Number(name.factor);
  return text;
}

bool ParseTopdownName(std::string_view text, TopdownName& name) noexcept {
  if (std::string_view(text.data(), std::min(text.size(), kPrefix.size())) != kPrefix) return false;
  text.remove_prefix(kPrefix.size());
  const std::string_view formula = NextToken(text, '.');
  const std::string_view event = NextToken(text, ':');
  std::size_t index = 0;
  if (!FindName(kFormulaNames, formula, index)) return false;
  name.formula = static_cast<TopdownFormula>(index);
  name.factor = 1;
  // The first 'x' begins the factor: no role's name contains an x.
  std::string_view role = event;
  std::string_view factor = event;
  while (!factor.empty() && factor.front() != 'x') factor.remove_prefix(1);
  if (!factor.empty()) {
    factor.remove_prefix(1);
    const Result<std::uint64_t> number = ParseUnsigned(factor);
    // Names come from spools, which may be damaged or made by hand.
    if (!number || *number == 0 || *number > TopdownName::kMost) return false;
    name.factor = static_cast<std::uint32_t>(*number);
    const std::size_t role_size = event.size() - factor.size();
    if (role_size < kFactor.size()) return false;
    role = {event.data(), role_size - kFactor.size()};
    if (role.data()[role.size()] != kFactor.front()) return false;
  }
  if (!FindName(kRoleNames, role, index)) return false;
  name.role = static_cast<TopdownRole>(index);
  return true;
}

}  // namespace csink
