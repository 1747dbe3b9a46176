#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/util/text.h"

/// File: the arithmetic of top-down analysis, and the names that carry it from the agent to the
/// report. In each cycle a core can pass a fixed number of micro-operations to its backend: the
/// slots. A slot is used by an operation that retires, used by one that is discarded, or stays
/// empty because of the frontend, the backend or the core's other thread. The shares of these parts
/// show where the time of a function goes (A. Yasin, "A Top-Down method for performance analysis
/// and counters architecture", ISPASS 2014).
///
/// Lean: no heap, no library calls. The agent, libpapi and the report use the same functions.
/// Threads: any. Signals: safe (topdown_shares_signal.cpp).

namespace csink {

/// What an event contributes. After TopdownEvent::factor is applied, counts are in slots; those of
/// the last two roles are in cycles.
enum class TopdownRole : std::uint8_t {
  kSlots,            ///< All slots: cycles times slots per cycle, or slots counted directly
  kFrontend,         ///< Empty slots: the frontend delivered nothing
  kBackend,          ///< Empty slots: the backend accepted nothing
  kSmtContention,    ///< Empty slots: the core served its other thread
  kIssued,           ///< Operations that entered the backend
  kRetired,          ///< Operations that retired
  kRecovery,         ///< Slots while the core recovers from a misprediction
  kBadSpeculation,   ///< Slots lost by mispredictions, counted directly
  kFlush,            ///< Slots after mispredicted branches that kFrontend also counts
  kFrontendLatency,  ///< Part of kFrontend: nothing at all was delivered
  kMispredicts,      ///< Part of bad speculation: caused by mispredicted branches
  kHeavy,            ///< Part of retired: operations of instructions that consist of several
  kMemory,           ///< Part of kBackend: caused by memory
  kNotRetired,       ///< Cycles without retirement: the oldest operation was not complete
  kLoadNotRetired,   ///< Part of kNotRetired: that operation was a load
};
/// The number of roles, for arrays by role.
inline constexpr std::size_t kTopdownRoles = 15;

/// Parts of all slots: level 1 up to kUnattributed, then level 2.
enum class TopdownPart : std::uint8_t {
  kRetiring,
  kBadSpeculation,
  kFrontend,
  kBackend,
  kSmtContention,
  kUnattributed,  ///< What the events do not explain: 1 minus the five parts above
  kLightOperations,
  kHeavyOperations,
  kMispredicts,
  kMachineClears,
  kFrontendLatency,
  kFrontendBandwidth,
  kBackendMemory,
  kBackendCore,
};
/// The number of parts, and of those of level 1, which come first.
inline constexpr std::size_t kTopdownParts = 14;
inline constexpr std::size_t kTopdownLevel1Parts = 6;

/// How the parts are computed from the counts. topdown_model.cpp has the sources.
enum class TopdownFormula : std::uint8_t {
  kZen,       ///< AMD: all five parts are counted; bad speculation is issued minus retired
  kIntel,     ///< Intel before Ice Lake: the backend is the remainder
  kIcelake,   ///< Intel from Ice Lake on, sampled: bad speculation is the remainder
  kMetrics,   ///< The same with the kernel's slots and topdown-* events: all four are counted
  kArm,       ///< Armv8.4 and later: used slots are divided by the ratio of retired to issued
  kNeoverse,  ///< As kArm, but slots after a flush belong to bad speculation, not to the frontend
  /// As kNeoverse, and the frontend's event counts one slot per cycle too many (Neoverse N2 before
  /// r0p3).
  kNeoverseN2,
};
/// Numbers of enumerators; the tables of names and needs have these sizes.
inline constexpr std::size_t kTopdownFormulas = 7;

/// Counts of one piece of code or of a program, by role. Negative: that role was not counted.
/// Sampled counts are estimates, so the type is double.
struct TopdownCounts {
  double of[kTopdownRoles];
  double slots_per_cycle = 0;  ///< Used by kNeoverseN2 only

  /// No role is counted.
  TopdownCounts() noexcept;
  /// The count of a role, in slots (cycles for the last two roles).
  double& operator[](TopdownRole role) noexcept { return of[static_cast<std::size_t>(role)]; }
  double operator[](TopdownRole role) const noexcept { return of[static_cast<std::size_t>(role)]; }
  /// Whether the role was counted.
  bool Has(TopdownRole role) const noexcept { return (*this)[role] >= 0; }
};

/// Shares of all slots by part, 1 being all slots.
struct TopdownShares {
  /// By TopdownPart. Defined only where `known` is true, otherwise 0.
  double of[kTopdownParts];
  bool known[kTopdownParts];
  double operator[](TopdownPart part) const noexcept { return of[static_cast<std::size_t>(part)]; }
  /// Whether the counts allow this part.
  bool Knows(TopdownPart part) const noexcept { return known[static_cast<std::size_t>(part)]; }
};

/// Computes the shares that the counts allow. All counts must be of the same piece of code and the
/// same time. Sampled counts scatter: a share may lie slightly outside [0, 1] and is not clamped
/// here. Without counted slots nothing is known. The level 1 parts add up to 1: by construction, or
/// by kUnattributed, which is known where all other parts are counted independently.
TopdownShares SharesOf(TopdownFormula formula, const TopdownCounts& counts) noexcept;

/// Whether all roles are counted that SharesOf needs for level 1, the slots included.
bool HasLevel1(TopdownFormula formula, const TopdownCounts& counts) noexcept;

/// The names used in reports, spools and JSON: "retiring", "bad_speculation", ... Static strings.
/// Spools contain those of roles and formulas, so they must not change.
std::string_view NameOf(TopdownPart part) noexcept;
std::string_view NameOf(TopdownRole role) noexcept;
std::string_view NameOf(TopdownFormula formula) noexcept;

/// The name of an event's column in a spool, such as "topdown.zen.slots-x8": formula, role, and
/// slots per count. The report needs nothing else, on whichever machine it runs.
struct TopdownName {
  TopdownFormula formula = TopdownFormula::kZen;
  TopdownRole role = TopdownRole::kSlots;
  std::uint32_t factor = 1;  ///< 1..kMost
  /// Largest factor: a bound for names from a file. With 8 slots a cycle kFlush has 32.
  static constexpr std::uint32_t kMost = 1024;
};
/// The text of a name, without modifiers. The factor is left out where it is 1.
Text<64> TextOf(const TopdownName& name) noexcept;
/// The name from its text; modifiers (":u") may follow in the text. Returns false if the text is
/// not such a name, for instance because a newer csink wrote it; `name` is then undefined.
bool ParseTopdownName(std::string_view text, TopdownName& name) noexcept;

}  // namespace csink
