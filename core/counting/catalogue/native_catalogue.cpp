#include "core/counting/catalogue/native_catalogue.h"

#include <cstdlib>
#include <cstring>

#include "core/counting/catalogue/catalogue_body.h"

// The interface only takes the lock and calls Body. Find, Describe and Encoding of an id read
// CatalogueEntries without the lock, so that they work in a signal handler.

namespace csink {
namespace {

std::string MacroFile() {
  // secure_getenv: a set-user-ID program must not read a file that its caller names.
  const char* file = secure_getenv("CSINK_EVENT_MACROS");
  return file ? file : "";
}

}  // namespace

NativeCatalogue& NativeCatalogue::Get() {
  // Never destroyed: threads may still look up names during exit.
  static NativeCatalogue& catalogue = *new NativeCatalogue(&PfmLibrary::Get, MacroFile());
  return catalogue;
}

NativeCatalogue::NativeCatalogue(const PfmLibrary* (*open)(), std::string macro_file)
    : body_(std::make_unique<Body>(open, std::move(macro_file))) {}

NativeCatalogue::~NativeCatalogue() = default;

Result<std::uint32_t> NativeCatalogue::Find(CatalogueSide side, std::string_view name,
                                            EventComplaint& complaint) {
  // Without the lock: a name that was found before is found again also by a signal handler.
  const std::uint32_t id = body_->entries.Find(side, name);
  const CatalogueEntry* entry = body_->entries.At(id);
  if (entry && entry->encoding.load(std::memory_order_acquire)) return id;
  const Body::Held held(*body_);
  // A program may call libpapi from a handler that interrupted a look-up on this thread.
  // Refused instead of waited for: the holder is the thread that the handler interrupted.
  if (!held) {
    complaint.Clear();
    complaint.Add("event names cannot be resolved in a signal handler that interrupted a look-up");
    return Error{Errc::kConflict, 0, "look-up inside a look-up"};
  }
  return body_->Find(side, name, complaint);
}

Result<const NativeEncoding*> NativeCatalogue::Encode(std::uint32_t id, EventComplaint& complaint) {
  const CatalogueEntry* entry = body_->entries.At(id);
  if (!entry) {
    complaint.Clear();
    complaint.Add("no event has number ").Number(id);
    return Error{Errc::kNoEvent, 0, "no such event"};
  }
  // By name: an event that was listed and never looked up has a number, but no encoding yet.
  const Result<std::uint32_t> found = Find(entry->side, entry->name, complaint);
  if (!found) return found.error();
  return entry->encoding.load(std::memory_order_acquire);
}

const NativeEncoding& NativeCatalogue::Encoding(std::uint32_t id) const noexcept {
  // A reference must be returned, also for a number that is none.
  static constexpr NativeEncoding kNone;
  const CatalogueEntry* entry = body_->entries.At(id);
  const NativeEncoding* encoding =
      entry ? entry->encoding.load(std::memory_order_acquire) : nullptr;
  return encoding ? *encoding : kNone;
}

bool NativeCatalogue::IsKnown(std::uint32_t id) const noexcept {
  return body_->entries.At(id) != nullptr;
}

NativeDescription NativeCatalogue::Describe(std::uint32_t id) const noexcept {
  const CatalogueEntry* entry = body_->entries.At(id);
  if (!entry) return {};
  return {entry->name,     entry->event_text, entry->mask_text,   entry->pmu_name,
          entry->pmu_text, entry->side,       entry->is_attribute};
}

void NativeCatalogue::CopyLongText(std::uint32_t id, char* buffer,
                                   std::size_t size) const noexcept {
  if (size == 0) return;
  const NativeDescription event = Describe(id);
  std::size_t used = 0;
  const auto add = [&](std::string_view text) {
    // Cut, not refused: PAPI's structs have fixed arrays.
    const std::size_t part = std::min(text.size(), size - 1 - used);
    if (part != 0) std::memcpy(buffer + used, text.data(), part);
    used += part;
  };
  add(event.event_text);
  if (!event.mask_text.empty()) {
    add(", masks:");
    add(event.mask_text);
  }
  buffer[used] = 0;
}

// A handler that interrupted a look-up of its own thread gets an empty answer from the functions
// below.
std::optional<std::uint32_t> NativeCatalogue::First(CatalogueSide side) {
  const Body::Held held(*body_);
  return held ? body_->First(side) : std::nullopt;
}

std::optional<std::uint32_t> NativeCatalogue::Next(std::uint32_t id) {
  const Body::Held held(*body_);
  return held ? body_->Next(id) : std::nullopt;
}

std::optional<std::uint32_t> NativeCatalogue::NextUnitMask(std::uint32_t id) {
  const Body::Held held(*body_);
  return held ? body_->Step(id, Body::List::kAttributes) : std::nullopt;
}

std::optional<std::uint32_t> NativeCatalogue::NextCombination(std::uint32_t id) {
  const Body::Held held(*body_);
  return held ? body_->Step(id, Body::List::kCombinations) : std::nullopt;
}

std::optional<std::uint32_t> NativeCatalogue::NextGroup(std::uint32_t id) {
  const Body::Held held(*body_);
  return held ? body_->Step(id, Body::List::kGroups) : std::nullopt;
}

std::size_t NativeCatalogue::CountEvents(CatalogueSide side) {
  const Body::Held held(*body_);
  const EventOrder* order = held ? body_->order() : nullptr;
  return order ? order->Events(side).size() : 0;
}

Result<const EventAttributes*> NativeCatalogue::Attributes(std::string_view event,
                                                           EventComplaint& complaint) {
  const Body::Held held(*body_);
  if (!held) return Error{Errc::kConflict, 0, "look-up inside a look-up"};
  return body_->Attributes(event, complaint);
}

const std::vector<CataloguePmu>& NativeCatalogue::Pmus() {
  static const std::vector<CataloguePmu> kNone;
  const Body::Held held(*body_);
  const EventOrder* order = held ? body_->order() : nullptr;
  return order ? order->pmus() : kNone;
}

std::string_view NativeCatalogue::Problem() {
  const Body::Held held(*body_);
  if (!held || body_->Pfm()) return {};
  return "libpfm4 cannot be loaded (libpfm.so.4): only the kernel's own events are available";
}

std::string_view NativeCatalogue::MacroProblem() {
  const Body::Held held(*body_);
  return held ? body_->macro_problem() : std::string_view();
}

void NativeCatalogue::ResetAfterFork() noexcept { body_->ResetAfterFork(); }

}  // namespace csink
