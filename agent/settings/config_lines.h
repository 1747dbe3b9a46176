#pragma once

#include "agent/settings/config.h"
#include "core/events/event_spec.h"

namespace csink::agent {

/// 16 KiB: room for every setting even if each quote of a value takes four bytes.
using ConfigLines = Text<16 * 1024>;

/// Writes the effective configuration as lines NAME='value' that a POSIX shell can source: every
/// setting that is not at its default, and the events and the source that were chosen. Left out are
/// settings that belong to one run (the tree of `csink run`) and those that name csink's own files.
/// Threads: under the collector's lock. Signals: safe.
void WriteConfig(const Config& config, const EventList& events, bool timer_source,
                 ConfigLines& lines) noexcept;

}  // namespace csink::agent
