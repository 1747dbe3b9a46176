#include "core/events/event_spec.h"

namespace csink {

Text<80> EventDisplayName(const EventSpec& spec) noexcept {
  Text<80> text;
  text.Add(spec.name);
  if (!spec.exclude_user || !spec.exclude_kernel) {
    text.Add(':').Add(spec.exclude_user ? "" : "u").Add(spec.exclude_kernel ? "" : "k");
  }
  if (spec.precise_given && spec.precise != 0) {
    text.Add(':');
    for (int i = 0; i < spec.precise; ++i) text.Add('p');
  }
  return text;
}

}  // namespace csink
