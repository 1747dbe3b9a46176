#pragma once

namespace csink::tool {

/// Returns false if a seccomp filter that this process inherited would end it at
/// perf_event_open(2), as systemd's SystemCallFilter=@system-service does. A child process makes
/// the call in our place, once; without a filter none is made. Threads: any.
bool PerfMayBeOpened();

}  // namespace csink::tool
