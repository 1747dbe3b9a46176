#pragma once

#include <linux/perf_event.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/events/event_spec.h"
#include "core/util/result.h"

/// File: all native events of this machine by name, by number and in order.
/// The grammar and the meaning of an event string are libpfm4's, as the man page
/// pfm_find_event gives them, plus macros (docs/event-macros.md).

namespace csink {

struct PfmLibrary;
struct EventAttributes;

/// Where an event counts: perf_event's events, or perf_event_uncore's.
enum class CatalogueSide : std::uint8_t { kCore, kUncore };

/// How to open one event.
struct NativeEncoding {
  /// type, config, config1, config2, size; what modifiers gave: precise_ip, exclude_*,
  /// sample_period and freq, exclusive, pinned. exclude_user/kernel/hv are meant only where the
  /// flags below say that they were given; exclude_guest is as libpfm4 sets it (1 unless :mg).
  perf_event_attr attr = {};
  bool user_given = false;    ///< :u was stated (or another level alone, which excludes this one)
  bool kernel_given = false;  ///< the same for :k
  bool hypervisor_given = false;  ///< the same for :h
  bool period_given = false;      ///< :period or :freq
  bool software = false;          ///< The kernel's own counter: needs no PMU
  bool kernel_only = false;       ///< Stays 0 with exclude_kernel (context-switches)
  int cpu = -1;                   ///< :cpu=, or the first of an uncore PMU's cpumask; -1: any
  int pmu = -1;                   ///< libpfm4's number of the PMU
};

/// What an event is, in words. All texts live as long as the catalogue.
struct NativeDescription {
  std::string_view name;        ///< As the user wrote it, or as it is listed ("perf::TASK-CLOCK")
  std::string_view event_text;  ///< The event's own sentence
  std::string_view
      mask_text;  ///< Those of its unit masks and modifiers, joined by ':'; may be empty
  std::string_view pmu_name;  ///< "skx"
  std::string_view pmu_text;  ///< "Intel Skylake X"
  CatalogueSide side = CatalogueSide::kCore;
  bool is_attribute = false;  ///< Listed as a unit mask, modifier or macro of its event
};

enum class PmuKind : std::uint8_t { kUnknown, kCore, kUncore, kSystem };

/// One PMU that is present.
struct CataloguePmu {
  int number = -1;  ///< libpfm4's
  std::string_view name;
  std::string_view text;
  PmuKind kind = PmuKind::kUnknown;
  int generic_counters = 0;  ///< 0: none, or not known
  int fixed_counters = 0;
  int events = 0;
  bool is_default = false;  ///< Takes names without "pmu::"; the first core PMU
};

/// The catalogue: one per process. Macros come from the file that CSINK_EVENT_MACROS names.
/// Owns:    all names and descriptions it ever gave an id. An id stays valid, and
///          the same text of the same side has the same id, until the process ends.
/// Threads: any. What has an id is found and read without a lock; the rest waits for
///          one lock that is held while libpfm4 works.
/// Signals: reading by id is safe (Describe, Encoding), and so is Find of a text that has an id;
///          the rest allocates.
class NativeCatalogue {
 public:
  /// The process's. libpfm4 is opened at the first need, not here.
  static NativeCatalogue& Get();

  /// For tests: `open` is asked once for libpfm4 (nullptr: there is none) and
  /// `macro_file` is read when it is not empty.
  NativeCatalogue(const PfmLibrary* (*open)(), std::string macro_file);
  ~NativeCatalogue();
  NativeCatalogue(const NativeCatalogue&) = delete;
  NativeCatalogue& operator=(const NativeCatalogue&) = delete;

  /// The id (< 2^24) of a complete event. Names of the kernel's own events
  /// ("perf::TASK-CLOCK", "PAGE-FAULTS:u") never need libpfm4.
  /// Errors, each with a complaint that names the culprit and the nearest spelling:
  /// kNoEvent (no such event or PMU), kAttribute (unknown, impossible or missing unit mask or
  /// modifier, a hard-wired one changed, a macro group without a choice), kCombination (unit masks
  /// that exclude each other), kInvalid (not an event string), kUnsupported (libpfm4 cannot
  /// be loaded), kConflict (asked by a handler that interrupted this very look-up), kLimit.
  Result<std::uint32_t> Find(CatalogueSide side, std::string_view name, EventComplaint& complaint);

  /// How to open it. A listed event may be incomplete (CYCLE_ACTIVITY needs a unit
  /// mask): then the error that Find gives for its name.
  Result<const NativeEncoding*> Encode(std::uint32_t id, EventComplaint& complaint);

  /// The same for an id that Find or Encode gave a good answer for; else all zero with pmu -1.
  const NativeEncoding& Encoding(std::uint32_t id) const noexcept;

  bool IsKnown(std::uint32_t id) const noexcept;
  /// Of an id that is not known: empty.
  NativeDescription Describe(std::uint32_t id) const noexcept;
  CatalogueSide SideOf(std::uint32_t id) const noexcept { return Describe(id).side; }

  /// "Event sentence, masks:first:second" as PAPI_event_info_t.long_descr has it, cut to
  /// `size` bytes with the NUL. Signals: safe.
  void CopyLongText(std::uint32_t id, char* buffer, std::size_t size) const noexcept;

  /// The events in libpfm4's order, of present PMUs only (PAPI_ENUM_FIRST,
  /// PAPI_ENUM_EVENTS). Next of a unit mask's id is the event after its event.
  std::optional<std::uint32_t> First(CatalogueSide side);
  std::optional<std::uint32_t> Next(std::uint32_t id);

  /// What may stand behind an event, one at a time: unit masks, macros, then modifiers as
  /// "EVENT:e=0" (PAPI_NTV_ENUM_UMASKS). Of an event: its first. Of one of these: the next one.
  std::optional<std::uint32_t> NextUnitMask(std::uint32_t id);

  /// The complete choices of unit masks: one of each group, or one mask where they may be given
  /// alone (PAPI_NTV_ENUM_UMASK_COMBOS). Steps as NextUnitMask does, in a list of its own.
  std::optional<std::uint32_t> NextCombination(std::uint32_t id);

  /// The masks of the event that are first of their group (PAPI_NTV_ENUM_GROUPS).
  std::optional<std::uint32_t> NextGroup(std::uint32_t id);

  std::size_t CountEvents(CatalogueSide side);

  /// Groups, defaults, wired values and codes of an event's unit masks, modifiers and macros
  /// (core/catalogue/event_attributes.h); attributes in `event` do not matter. Derived
  /// at the first need. Errors: as Find.
  Result<const EventAttributes*> Attributes(std::string_view event, EventComplaint& complaint);

  /// The PMUs that are present, in libpfm4's order. Empty: libpfm4 cannot be loaded.
  const std::vector<CataloguePmu>& Pmus();

  /// Empty, or why there are only the kernel's own events ("libpfm4 cannot be loaded ...").
  std::string_view Problem();

  /// Empty, or "file:line: what" of CSINK_EVENT_MACROS, of which nothing is used then.
  std::string_view MacroProblem();

  /// In a forked child, before anything else: a thread that does not exist here may hold the lock.
  void ResetAfterFork() noexcept;

 private:
  class Body;
  std::unique_ptr<Body> body_;
};

}  // namespace csink
