#pragma once

#include "agent/settings/config.h"
#include "core/events/event_spec.h"

namespace csink::agent {

/// Room for every setting, however its quotes fall.
using ConfigLines = Text<16 * 1024>;

/// The effective configuration, lines NAME='value' that a POSIX shell can source: every
/// setting that is not at its default, and what was chosen for the events and the source.
/// Not what belongs to one run alone (the tree of `csink run`) or names csink's own files.
/// Signals: safe.
void WriteConfig(const Config& config, const EventList& events, bool timer_source,
                 ConfigLines& lines) noexcept;

}  // namespace csink::agent
