#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/util/text.h"

/// File: the arithmetic of top-down analysis, and the names that carry it from the agent to the
/// report. Each cycle a core can take a fixed number of micro-operations into its backend: the
/// slots. A slot is used by an operation that retires, used by one that is thrown away, or stays
/// empty because of the frontend, the backend or the other thread of the core. The shares of these
/// parts say where the time of a function goes (A. Yasin, "A Top-Down method for performance
/// analysis and counters architecture", ISPASS 2014).
///
/// Lean: no heap, no library calls. The agent, libpapi and the report use the same functions.
/// Threads: any. Signals: safe (topdown_shares_signal.cpp).

namespace csink {

/// What an event contributes. Counts are in slots after TopdownEvent::factor is applied, except for
/// the last two, which are cycles.
enum class TopdownRole : std::uint8_t {
  kSlots,            ///< All slots: cycles times the slots a cycle, or slots as counted
  kFrontend,         ///< Empty slots: the frontend delivered nothing
  kBackend,          ///< Empty slots: the backend took nothing
  kSmtContention,    ///< Empty slots: the other thread of the core was served
  kIssued,           ///< Operations that entered the backend
  kRetired,          ///< Operations that retired
  kRecovery,         ///< Slots while the core recovers from a wrong guess
  kBadSpeculation,   ///< Slots lost by wrong guesses, counted as such
  kFlush,            ///< Slots after mispredicted branches, counted among kFrontend
  kFrontendLatency,  ///< Of kFrontend: nothing at all was delivered
  kMispredicts,      ///< Of bad speculation: because of mispredicted branches
  kHeavy,            ///< Of retired: operations of instructions that need several
  kMemory,           ///< Of kBackend: because of memory
  kNotRetired,       ///< Cycles without retirement: the oldest operation was not complete
  kLoadNotRetired,   ///< ... and was a load
};
inline constexpr std::size_t kTopdownRoles = 15;

/// Parts of all slots. Level 1 up to kUnattributed, then level 2.
enum class TopdownPart : std::uint8_t {
  kRetiring,
  kBadSpeculation,
  kFrontend,
  kBackend,
  kSmtContention,
  kUnattributed,  ///< What the events leave: 1 less the five above
  kLightOperations,
  kHeavyOperations,
  kMispredicts,
  kMachineClears,
  kFrontendLatency,
  kFrontendBandwidth,
  kBackendMemory,
  kBackendCore,
};
inline constexpr std::size_t kTopdownParts = 14;
inline constexpr std::size_t kTopdownLevel1Parts = 6;

/// How the parts follow from the counts. docs/design/topdown.md has the sources.
enum class TopdownFormula : std::uint8_t {
  kZen,       ///< AMD: all five parts are counted; bad speculation is issued less retired
  kIntel,     ///< Intel before Ice Lake: the backend is what remains
  kIcelake,   ///< Intel from Ice Lake on, sampled: bad speculation is what remains
  kMetrics,   ///< The same by the kernel's slots and topdown-* events: all four are counted
  kArm,       ///< Armv8.4 and later: used slots are divided as retired to issued operations
  kNeoverse,  ///< The same; slots after a flush belong to bad speculation, not to the frontend
  /// The same; and the frontend's event counts one slot a cycle too many (Neoverse N2 before r0p3).
  kNeoverseN2,
};
inline constexpr std::size_t kTopdownFormulas = 7;

/// Counts of one piece of code or of a program, by role. Negative: not counted.
struct TopdownCounts {
  double of[kTopdownRoles];
  double slots_per_cycle = 0;  ///< kNeoverseN2 only

  TopdownCounts() noexcept;
  double& operator[](TopdownRole role) noexcept { return of[static_cast<std::size_t>(role)]; }
  double operator[](TopdownRole role) const noexcept { return of[static_cast<std::size_t>(role)]; }
  bool Has(TopdownRole role) const noexcept { return (*this)[role] >= 0; }
};

/// Shares of all slots by part.
struct TopdownShares {
  double of[kTopdownParts];
  bool known[kTopdownParts];
  double operator[](TopdownPart part) const noexcept { return of[static_cast<std::size_t>(part)]; }
  bool Knows(TopdownPart part) const noexcept { return known[static_cast<std::size_t>(part)]; }
};

/// The shares that the counts allow. Sampled counts scatter: a share may leave [0, 1] a little, and
/// is not cut here. Nothing is known without slots. The level 1 parts add to 1: by construction, or
/// by kUnattributed, which is known where all other parts are counted independently.
TopdownShares SharesOf(TopdownFormula formula, const TopdownCounts& counts) noexcept;

/// What SharesOf needs for level 1: the roles that must be counted.
bool HasLevel1(TopdownFormula formula, const TopdownCounts& counts) noexcept;

/// For people and JSON: "retiring", "bad_speculation", ...
std::string_view NameOf(TopdownPart part) noexcept;
std::string_view NameOf(TopdownRole role) noexcept;
std::string_view NameOf(TopdownFormula formula) noexcept;

/// An event's column in a spool: "topdown.zen.slots-x8": formula, role and the slots that one count
/// stands for. The report needs nothing else, whichever machine it runs on.
struct TopdownName {
  TopdownFormula formula = TopdownFormula::kZen;
  TopdownRole role = TopdownRole::kSlots;
  std::uint32_t factor = 1;  ///< 1..kMost
  static constexpr std::uint32_t kMost = 1024;
};
Text<64> TextOf(const TopdownName& name) noexcept;
/// Modifiers (":u") may follow. False: it is not such a name.
bool ParseTopdownName(std::string_view text, TopdownName& name) noexcept;

}  // namespace csink
