#include "core/events/event_spec.h"

// File: the one part of an event's spec that a signal handler needs. event_spec.cpp parses names
// and may call libpfm4, so it cannot be in a *_signal.cpp itself.
namespace csink {

Text<80> EventDisplayName(const EventSpec& spec) noexcept {
  Text<80> text;
  text.Add(spec.name);
  // The spelling of perf's -e, so that the shown name can be given to csink again. An event of both
  // levels has no suffix, as perf writes it.
  if (!spec.exclude_user || !spec.exclude_kernel) {
    text.Add(':').Add(spec.exclude_user ? "" : "u").Add(spec.exclude_kernel ? "" : "k");
  }
  // Only a level that the user asked for is shown: the default level differs between machines, and
  // one event should have one name in all reports.
  if (spec.precise_given && spec.precise != 0) {
    text.Add(':');
    for (int i = 0; i < spec.precise; ++i) text.Add('p');
  }
  return text;
}

}  // namespace csink
