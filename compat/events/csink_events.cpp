#include "compat/events/include/csink_events.h"

#include <new>

#include "compat/events/describe.h"
#include "core/counting/catalogue/native_catalogue.h"

/// File: the C interface over the catalogue of native events (core/counting/catalogue). Each call
/// looks the event up anew; the catalogue remembers what it has resolved.

namespace {

using csink::Errc;
using csink::EventAttributes;
using csink::EventComplaint;
using csink::NativeCatalogue;
using csink::Result;

/// kUnsupported, kConflict and kLimit come from libpfm4 or from loading it; the rest is the
/// caller's.
int CodeOf(Errc code) {
  switch (code) {
    case Errc::kNoEvent:
      return CSINK_EVENTS_ENOEVENT;
    case Errc::kAttribute:
      return CSINK_EVENTS_EATTRIBUTE;
    case Errc::kCombination:
      return CSINK_EVENTS_ECOMBINATION;
    case Errc::kUnsupported:
    case Errc::kConflict:
    case Errc::kLimit:
      return CSINK_EVENTS_ELIBRARY;
    default:
      return CSINK_EVENTS_EINVAL;
  }
}

/// Runs the body of an exported function. No exception may reach the C caller; std::bad_alloc is
/// the only one that can occur.
template <class Body>
int AtCBoundary(Body body) noexcept {
  try {
    return body();
  } catch (...) {
    return CSINK_EVENTS_ELIBRARY;
  }
}

/// As snprintf: copies what fits, adds a NUL, and returns the length of the whole text.
int Copy(std::string_view text, char* buffer, std::size_t size) {
  if (buffer && size != 0) {
    // One byte is left for the NUL. With size 0 only the length is asked for.
    const std::size_t part = text.size() < size ? text.size() : size - 1;
    text.copy(buffer, part);
    buffer[part] = 0;
  }
  return static_cast<int>(text.size());
}

/// Writes good(attributes) or bad(message). The message is written, too, although the result is the
/// error's code and not its length.
template <class Good, class Bad>
int Describe(const char* event, char* buffer, std::size_t size, Good good, Bad bad) {
  if (!event || (!buffer && size != 0)) return CSINK_EVENTS_EINVAL;
  EventComplaint complaint;
  const auto found = NativeCatalogue::Get().Attributes(event, complaint);
  if (found) return Copy(good(**found), buffer, size);
  // The buffer then has the sentence, and the result tells that it is no description.
  Copy(bad(complaint.view()), buffer, size);
  return CodeOf(found.error().code);
}

}  // namespace

extern "C" {

__attribute__((visibility("default"))) int csink_event_attributes(const char* event,
                                                                  csink_event_attribute* out,
                                                                  int* count) {
  return AtCBoundary([&] {
    if (!event || !count || *count < 0 || (!out && *count > 0)) return CSINK_EVENTS_EINVAL;
    EventComplaint complaint;
    const auto found = NativeCatalogue::Get().Attributes(event, complaint);
    if (!found) return CodeOf(found.error().code);
    const auto& attributes = (*found)->attributes;
    // The members in the order of the structure.
    for (std::size_t i = 0; i < attributes.size() && i < static_cast<std::size_t>(*count); ++i) {
      const csink::EventAttribute& from = attributes[i];
      // The strings belong to the catalogue, which is never destroyed.
      out[i] = {from.name.c_str(),    from.text.c_str(), from.modifiers.c_str(),
                from.same_as.c_str(), from.code,         static_cast<int>(from.kind),
                from.group,           from.is_default,   from.hard_wired};
    }
    // The number of all attributes: a caller whose array was too small asks again.
    *count = static_cast<int>(attributes.size());
    return CSINK_EVENTS_OK;
  });
}

__attribute__((visibility("default"))) int csink_event_attributes_json(const char* event,
                                                                       char* buffer, size_t size) {
  return AtCBoundary(
      [&] { return Describe(event, buffer, size, csink::DescribeAsJson, csink::ErrorAsJson); });
}

__attribute__((visibility("default"))) int csink_event_attributes_text(const char* event,
                                                                       char* buffer, size_t size) {
  return AtCBoundary([&] {
    const auto sentence = [](std::string_view text) { return std::string(text) + "\n"; };
    return Describe(event, buffer, size, csink::DescribeAsText, sentence);
  });
}

__attribute__((visibility("default"))) int csink_event_check(const char* event, char* message,
                                                             size_t size) {
  return AtCBoundary([&] {
    if (!event || (!message && size != 0)) return CSINK_EVENTS_EINVAL;
    EventComplaint complaint;
    NativeCatalogue& catalogue = NativeCatalogue::Get();
    // The core side first: most events are the processor's.
    Result<std::uint32_t> id = catalogue.Find(csink::CatalogueSide::kCore, event, complaint);
    if (!id && id.error().code == Errc::kNoEvent) {
      EventComplaint other;
      Result<std::uint32_t> uncore = catalogue.Find(csink::CatalogueSide::kUncore, event, other);
      // An event of a socket (uncore) is unknown to the core side. If the uncore side knows the
      // event, its answer or its message is the useful one.
      const bool is_there = uncore || uncore.error().code != Errc::kNoEvent;
      if (is_there) {
        complaint = other;
        id = std::move(uncore);
      }
    }
    Copy(id ? std::string_view() : complaint.view(), message, size);
    return id ? CSINK_EVENTS_OK : CodeOf(id.error().code);
  });
}

}  // extern "C"
