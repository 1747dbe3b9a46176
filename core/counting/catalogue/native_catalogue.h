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

/// File: all native events of this machine, by name, by id and in listing order. Grammar and
/// meaning of an event string are those of libpfm4 (pfm_find_event(3)), with macros added
/// (docs/event-macros.md).

namespace csink {

struct PfmLibrary;
struct EventAttributes;

/// The component to which an event belongs: perf_event or perf_event_uncore.
enum class CatalogueSide : std::uint8_t { kCore, kUncore };

/// How to open one event.
struct NativeEncoding {
  /// Set are: type, config, config1, config2, size; and what modifiers state: precise_ip,
  /// exclude_*, sample_period and freq, exclusive, pinned. exclude_user, exclude_kernel and
  /// exclude_hv are valid only where the flags below say so. exclude_guest is as libpfm4 sets it (1
  /// unless :mg).
  perf_event_attr attr = {};
  bool user_given = false;    ///< :u was stated, or another level alone, which excludes this one
  bool kernel_given = false;  ///< The same for :k
  bool hypervisor_given = false;  ///< The same for :h
  bool period_given = false;      ///< :period or :freq was stated
  bool software = false;          ///< A counter of the kernel's own: needs no PMU
  bool kernel_only = false;       ///< Stays 0 with exclude_kernel (context-switches)
  int cpu = -1;                   ///< :cpu=, or the first CPU of an uncore PMU's cpumask; -1: any
  int pmu = -1;                   ///< libpfm4's number of the PMU
};

/// The description of an event. All texts live as long as the catalogue.
struct NativeDescription {
  std::string_view name;        ///< As the user wrote it, or as it is listed ("perf::TASK-CLOCK")
  std::string_view event_text;  ///< The description of the event
  std::string_view
      mask_text;  ///< The descriptions of its unit masks and modifiers, joined by ':'; may be empty
  std::string_view pmu_name;  ///< "skx"
  std::string_view pmu_text;  ///< "Intel Skylake X"
  CatalogueSide side = CatalogueSide::kCore;
  bool is_attribute = false;  ///< It is listed as a unit mask, modifier or macro of its event
};

/// libpfm4's kind of a PMU; kSystem: the kernel's own events.
enum class PmuKind : std::uint8_t { kUnknown, kCore, kUncore, kSystem };

/// One PMU of this machine.
struct CataloguePmu {
  int number = -1;  ///< libpfm4's number
  std::string_view name;
  std::string_view text;
  PmuKind kind = PmuKind::kUnknown;
  int generic_counters = 0;  ///< 0: none, or unknown
  int fixed_counters = 0;
  int events = 0;
  bool is_default = false;  ///< Names without "pmu::" belong to it: the first core PMU
};

/// The catalogue of native events; one for each process. Macros come from the file that
/// CSINK_EVENT_MACROS names.
///
///   EventComplaint complaint;
///   const auto id = catalogue.Find(CatalogueSide::kCore, "page-faults:u", complaint);
///   if (!id) return complaint.c_str();  // a sentence for the user
///   const auto how = catalogue.Encode(*id, complaint);
///
/// Owns:    all names and descriptions. An id stays valid until the process ends, and the same text
///          of the same side always has the same id.
/// Threads: any. Entries with an id are found and read without a lock; everything else takes one
///          lock, which is held while libpfm4 works.
/// Signals: reading by id (Describe, Encoding), and Find of a text that was found before, are safe;
///          everything else allocates.
class NativeCatalogue {
 public:
  /// The process's catalogue, made at the first call and never destroyed. libpfm4 is loaded when it
  /// is first needed, not here. CSINK_EVENT_MACROS is read here; set-id programs ignore it.
  static NativeCatalogue& Get();

  /// For tests: `open` is called once for libpfm4 (nullptr: there is none); `macro_file` is read
  /// where it is not "".
  NativeCatalogue(const PfmLibrary* (*open)(), std::string macro_file);
  ~NativeCatalogue();
  NativeCatalogue(const NativeCatalogue&) = delete;
  NativeCatalogue& operator=(const NativeCatalogue&) = delete;

  /// The id (< 2^24) of a complete event. Events of the kernel's own ("perf::TASK-CLOCK",
  /// "PAGE-FAULTS:u") never need libpfm4.
  /// Errors: each with a sentence in `complaint` that names the part at fault and the nearest
  ///         spelling: kNoEvent (no such event or PMU), kAttribute (a unit mask or modifier is
  ///         unknown, impossible or missing, a fixed one is changed, or a macro group needs a
  ///         choice), kCombination (unit masks that exclude each other), kInvalid (not an event
  ///         string), kUnsupported (libpfm4 cannot be loaded), kConflict (called by a handler that
  ///         interrupted a look-up), kLimit (the catalogue is full).
  Result<std::uint32_t> Find(CatalogueSide side, std::string_view name, EventComplaint& complaint);

  /// How to open the event. A listed event may be incomplete (CYCLE_ACTIVITY needs a unit mask);
  /// then the error of Find for its name.
  Result<const NativeEncoding*> Encode(std::uint32_t id, EventComplaint& complaint);

  /// The same without an error, for an id that Find or Encode succeeded for; otherwise all zero
  /// with pmu -1.
  const NativeEncoding& Encoding(std::uint32_t id) const noexcept;

  /// Whether an event has this id. Signals: safe.
  bool IsKnown(std::uint32_t id) const noexcept;
  /// The description of an event; empty texts for an unknown id. Signals: safe.
  NativeDescription Describe(std::uint32_t id) const noexcept;
  /// The side of an event; kCore for an unknown id. Signals: safe.
  CatalogueSide SideOf(std::uint32_t id) const noexcept { return Describe(id).side; }

  /// Stores "Event sentence, masks:first:second" in `buffer`, as PAPI_event_info_t.long_descr has
  /// it, cut to `size` bytes including the NUL. Signals: safe.
  void CopyLongText(std::uint32_t id, char* buffer, std::size_t size) const noexcept;

  /// The events of the PMUs of this machine, in libpfm4's order (PAPI_ENUM_FIRST,
  /// PAPI_ENUM_EVENTS). Next of a unit mask's id is the event after its event. nullopt: there is
  /// none, or the caller is a handler that interrupted a look-up; the same below.
  std::optional<std::uint32_t> First(CatalogueSide side);
  std::optional<std::uint32_t> Next(std::uint32_t id);

  /// The attributes of an event, one at a time: unit masks, macros, then modifiers as "EVENT:e=0"
  /// (PAPI_NTV_ENUM_UMASKS). For an event's id the first one, for an attribute's id the next one.
  std::optional<std::uint32_t> NextUnitMask(std::uint32_t id);

  /// The complete combinations of unit masks: one mask of each group, or a single mask where it may
  /// stand alone (PAPI_NTV_ENUM_UMASK_COMBOS). Steps as NextUnitMask does, in a list of its own.
  std::optional<std::uint32_t> NextCombination(std::uint32_t id);

  /// The first mask of each group (PAPI_NTV_ENUM_GROUPS). Steps as NextUnitMask does.
  std::optional<std::uint32_t> NextGroup(std::uint32_t id);

  /// The number of events that First and Next list; 0 without libpfm4. Unit masks are not counted.
  std::size_t CountEvents(CatalogueSide side);

  /// Groups, defaults, fixed values and codes of an event's unit masks, modifiers and macros
  /// (core/counting/catalogue/event_attributes.h); attributes in `event` are ignored. Derived at
  /// the first call for an event. Errors: as Find.
  Result<const EventAttributes*> Attributes(std::string_view event, EventComplaint& complaint);

  /// The PMUs of this machine, in libpfm4's order. Empty: libpfm4 cannot be loaded.
  const std::vector<CataloguePmu>& Pmus();

  /// "", or why only events of the kernel's own are known ("libpfm4 cannot be loaded ...").
  std::string_view Problem();

  /// "", or "file:line: what" for a mistake in the file of CSINK_EVENT_MACROS, which is then not
  /// used.
  std::string_view MacroProblem();

  /// In a forked child, before any other call: the lock's holder may not exist there. A look-up
  /// that another thread of the parent had begun stays unfinished.
  void ResetAfterFork() noexcept;

 private:
  class Body;
  std::unique_ptr<Body> body_;
};

}  // namespace csink
