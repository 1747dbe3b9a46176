#include "agent/results/spool_place.h"

#include "agent/settings/config.h"

/// File: reads the environment once, at the start. What a handler may call is in
/// spool_place_signal.cpp.

namespace csink::agent {

void SpoolPlace::ReadEnvironment(char* const* environment) noexcept {
  if (const char* dir = FindVariable(environment, "XDG_RUNTIME_DIR")) runtime_dir_.Add(dir);
  const char* temporary = FindVariable(environment, "TMPDIR");
  // A relative $TMPDIR would depend on the working directory.
  temporary_dir_.Add(temporary && temporary[0] == '/' ? temporary : "/tmp");
}

}  // namespace csink::agent
