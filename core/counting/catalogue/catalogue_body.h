#pragma once

#include <unordered_map>
#include <utility>
#include <vector>

#include "core/counting/catalogue/catalogue_entries.h"
#include "core/counting/catalogue/event_attributes.h"
#include "core/counting/catalogue/event_macros.h"
#include "core/counting/catalogue/event_order.h"
#include "core/events/event_text.h"
#include "core/util/futex_lock.h"
#include "core/util/thread_id.h"

namespace csink {

/// The implementation of the catalogue. All members except `entries` are protected by the lock
/// (Held), which the calls of NativeCatalogue take. Inside core/counting/catalogue only.
/// Owns:    libpfm4's order, macros, entries, and what was derived of each event.
/// Threads: any, with the lock. Signals: not safe, except `entries`.
class NativeCatalogue::Body {
 public:
  /// Holds the lock for a scope. Converts to false if the caller is a signal handler that
  /// interrupted the holder.
  class Held : public FutexHolding {
   public:
    explicit Held(Body& body) : FutexHolding(body.lock_, OwnTid()) {}
    explicit operator bool() const noexcept { return held(); }

   private:
    /// Kept for each thread: one system call fewer a look-up.
    static pid_t OwnTid() {
      static thread_local pid_t tid = AskTid();
      return tid;
    }
  };

  /// Nothing is opened or read here. `macro_file`: a path, or "" for no macros.
  Body(const PfmLibrary* (*open)(), std::string macro_file)
      : open_(open), macro_file_(std::move(macro_file)) {}

  /// The id of `name`, added if it is new. Once a name has been encoded, it is found again without
  /// libpfm4. Errors as NativeCatalogue::Find.
  Result<std::uint32_t> Find(CatalogueSide side, std::string_view name, EventComplaint& complaint);
  /// Groups, defaults and fixed values of an event, derived at the first call.
  Result<const EventAttributes*> Attributes(std::string_view event, EventComplaint& complaint);

  /// libpfm4, opened at the first call (about 2 ms); nullptr: it cannot be loaded, which is not
  /// tried again. Also sets order_.
  const PfmLibrary* Pfm();
  /// The PMUs and events of this machine; nullptr without libpfm4.
  const EventOrder* order() { return Pfm() ? order_.get() : nullptr; }
  /// The user's macros, read at the first call; empty where the file has a mistake (macro_problem).
  const EventMacros& Macros();
  /// Reads the macros if that was not done. "": the file has no mistake, or there is no file.
  std::string_view macro_problem() {
    Macros();
    return macro_problem_;
  }

  /// The id under which libpfm4's event index `event` is listed; added if it is new.
  std::optional<std::uint32_t> ListedEvent(CatalogueSide side, int event);
  /// The first listed event of a side, and the one after `id`; nullopt: there is none.
  std::optional<std::uint32_t> First(CatalogueSide side);
  std::optional<std::uint32_t> Next(std::uint32_t id);
  /// The id behind `id` in one of the three lists of its event; nullopt: the list has ended.
  /// Unit masks, macros and modifiers; complete combinations of unit masks; one unit mask of each
  /// group.
  enum class List { kAttributes, kCombinations, kGroups };
  std::optional<std::uint32_t> Step(std::uint32_t id, List list);

  /// Read by NativeCatalogue without the lock.
  CatalogueEntries entries;

  void ResetAfterFork() noexcept { lock_.ResetAfterFork(); }

 private:
  /// An event string with its macros replaced.
  struct Expanded {
    EventText text;     ///< `whole` is what the user wrote
    std::string plain;  ///< What libpfm4 is asked for
  };
  /// The ids listed for an event, made when they are first asked for.
  struct Listing {
    /// The id of the event itself; kNone: the event is not listed yet.
    std::uint32_t base = CatalogueEntries::kNone;
    std::optional<std::vector<std::uint32_t>> lists[3];
  };

  /// Replaces macros in `name`. Errors as EventMacros::Expand.
  Result<Expanded> Expand(std::string_view name, EventComplaint& complaint);
  /// The name of the PMU that an event without a stated PMU belongs to; "": unknown.
  std::string PmuOf(const EventText& text);
  /// Adds an event of the kernel's own (KernelEvent); nullopt: `plain` is not one.
  std::optional<Result<std::uint32_t>> AddKernelEvent(CatalogueSide side, std::string_view name,
                                                      std::string_view plain, bool any_name);
  /// Adds an event in perf's spelling ("cpu/event=0x76/"), which the kernel's files in sysfs
  /// describe.
  Result<std::uint32_t> AddSysfsEvent(CatalogueSide side, std::string_view name,
                                      EventComplaint& complaint);
  /// Asks libpfm4 for the encoding of `plain`; `text` says whether a PMU is stated.
  PfmAnswer Ask(const EventText& text, const std::string& plain);
  /// Adds the entry of a successful answer of libpfm4. Error: kNoEvent, an event of the other side.
  Result<std::uint32_t> AddPfmEvent(CatalogueSide side, std::string_view name,
                                    const Expanded& expanded, const PfmAnswer& answer,
                                    EventComplaint& complaint);
  /// Adds `entry` unless it is there, and publishes its encoding. Error: kLimit.
  Result<std::uint32_t> Keep(CatalogueEntry& entry, const NativeEncoding& encoding);
  /// Explains why libpfm4 refused the event with `code`.
  Error Refuse(const Expanded& expanded, int code, EventComplaint& complaint);
  /// What was derived of libpfm4's event `event`; nullptr: there is no such event. Derived once.
  const EventAttributes* AttributesOf(int event);
  /// The description of one attribute; "": the event has no such attribute.
  std::string_view AttributeText(const pfm_event_info_t& event, std::string_view name);
  /// The descriptions of all attributes of a string, joined by ':'.
  std::string MaskText(const pfm_event_info_t& event, std::string_view pmu,
                       std::string_view attributes);
  /// Sets the entry's place in the listing order. Returns false if its event is unknown.
  bool Place(CatalogueEntry& entry);
  /// The id of "EVENT:attributes", added if it is new, without an encoding: listing must not cost
  /// one.
  std::uint32_t AddListed(const CatalogueEntry& event, std::string_view attributes,
                          std::string_view text);
  /// The three lists of an event, in the order in which Step returns them.
  std::vector<std::uint32_t> MakeAttributes(const CatalogueEntry& event);
  std::vector<std::uint32_t> MakeCombinations(const CatalogueEntry& event);
  std::vector<std::uint32_t> MakeGroups(const CatalogueEntry& event);

  /// Called once, by Pfm.
  const PfmLibrary* (*open_)();
  /// "" for none; otherwise read once, by Macros.
  std::string macro_file_;
  /// Knows its holder, so that a handler that interrupted a look-up is refused (Held).
  FutexLock lock_;
  /// Pfm has been called; pfm_ may still be null.
  bool opened_ = false;
  const PfmLibrary* pfm_ = nullptr;
  std::unique_ptr<EventOrder> order_;
  bool macros_read_ = false;
  EventMacros macros_;
  std::string macro_problem_;
  /// By libpfm4's event index. Pointers, because callers keep the addresses.
  std::unordered_map<int, std::unique_ptr<EventAttributes>> attributes_;
  /// The attributes of an event that were already read from libpfm4: those below number `next`. The
  /// names belong to libpfm4; the descriptions, too, or lie in `entries`.
  struct SeenAttributes {
    int next = 0;
    std::vector<std::pair<std::string_view, std::string_view>> texts;
  };
  std::unordered_map<int, SeenAttributes> seen_attributes_;
  /// By libpfm4's event index.
  std::unordered_map<int, Listing> listings_;
};

}  // namespace csink
