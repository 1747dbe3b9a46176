#pragma once

#include <unordered_map>
#include <utility>
#include <vector>

#include "core/catalogue/catalogue_entries.h"
#include "core/catalogue/event_attributes.h"
#include "core/catalogue/event_macros.h"
#include "core/catalogue/event_order.h"
#include "core/events/event_text.h"
#include "core/util/futex_lock.h"
#include "core/util/thread_id.h"

namespace csink {

/// The implementation of the catalogue. All members except `entries` are protected by the lock
/// (Held). Inside core/events only. Threads: any, with the lock. Signals: not safe, except
/// `entries`.
class NativeCatalogue::Body {
 public:
  /// Holds the lock for a scope. False: the caller is a signal handler that interrupted the holder.
  class Held : public FutexHolding {
   public:
    explicit Held(Body& body) : FutexHolding(body.lock_, OwnTid()) {}
    explicit operator bool() const noexcept { return held(); }

   private:
    static pid_t OwnTid() {
      static thread_local pid_t tid = AskTid();
      return tid;
    }
  };

  Body(const PfmLibrary* (*open)(), std::string macro_file)
      : open_(open), macro_file_(std::move(macro_file)) {}

  /// The id of `name`, added if it is new. Errors as NativeCatalogue::Find.
  Result<std::uint32_t> Find(CatalogueSide side, std::string_view name, EventComplaint& complaint);
  /// Groups, defaults and fixed values of an event, derived at the first call.
  Result<const EventAttributes*> Attributes(std::string_view event, EventComplaint& complaint);

  /// libpfm4, opened at the first call; nullptr: it cannot be loaded. Also sets order_.
  const PfmLibrary* Pfm();
  const EventOrder* order() { return Pfm() ? order_.get() : nullptr; }
  /// The user's macros, read at the first call; empty where the file has a mistake (macro_problem).
  const EventMacros& Macros();
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
  enum class List { kAttributes, kCombinations, kGroups };
  std::optional<std::uint32_t> Step(std::uint32_t id, List list);

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
    std::uint32_t base = CatalogueEntries::kNone;
    std::optional<std::vector<std::uint32_t>> lists[3];
  };

  /// Replaces macros in `name`. Errors as EventMacros::Expand.
  Result<Expanded> Expand(std::string_view name, EventComplaint& complaint);
  std::string PmuOf(const EventText& text);
  /// Adds an event of the kernel's own (KernelEvent); nullopt: `plain` is not one.
  std::optional<Result<std::uint32_t>> AddKernelEvent(CatalogueSide side, std::string_view name,
                                                      std::string_view plain, bool any_name);
  Result<std::uint32_t> AddSysfsEvent(CatalogueSide side, std::string_view name,
                                      EventComplaint& complaint);
  PfmAnswer Ask(const EventText& text, const std::string& plain);
  Result<std::uint32_t> AddPfmEvent(CatalogueSide side, std::string_view name,
                                    const Expanded& expanded, const PfmAnswer& answer,
                                    EventComplaint& complaint);
  Result<std::uint32_t> Keep(CatalogueEntry& entry, const NativeEncoding& encoding);
  /// Explains why libpfm4 refused the event with `code`.
  Error Refuse(const Expanded& expanded, int code, EventComplaint& complaint);
  const EventAttributes* AttributesOf(int event);
  std::string_view AttributeText(const pfm_event_info_t& event, std::string_view name);
  std::string MaskText(const pfm_event_info_t& event, std::string_view pmu,
                       std::string_view attributes);
  /// Sets the entry's place in the listing order; false: its event is unknown.
  bool Place(CatalogueEntry& entry);
  std::uint32_t AddListed(const CatalogueEntry& event, std::string_view attributes,
                          std::string_view text);
  std::vector<std::uint32_t> MakeAttributes(const CatalogueEntry& event);
  std::vector<std::uint32_t> MakeCombinations(const CatalogueEntry& event);
  std::vector<std::uint32_t> MakeGroups(const CatalogueEntry& event);

  const PfmLibrary* (*open_)();
  std::string macro_file_;
  FutexLock lock_;
  bool opened_ = false;
  const PfmLibrary* pfm_ = nullptr;
  std::unique_ptr<EventOrder> order_;
  bool macros_read_ = false;
  EventMacros macros_;
  std::string macro_problem_;
  std::unordered_map<int, std::unique_ptr<EventAttributes>> attributes_;
  /// The attributes of an event that were already read from libpfm4: those below number `next`. The
  /// texts belong to libpfm4.
  struct SeenAttributes {
    int next = 0;
    std::vector<std::pair<std::string_view, std::string_view>> texts;
  };
  std::unordered_map<int, SeenAttributes> seen_attributes_;
  std::unordered_map<int, Listing> listings_;
};

}  // namespace csink
