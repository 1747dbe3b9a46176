#pragma once

#include <string_view>

namespace csink {

/// The part of a job's id that names a world of MPI_Comm_spawn, "spawn.WORLD"
/// (agent/start/batch_job.h); "": the ranks are of the job's first world.
inline std::string_view SpawnedWorld(std::string_view job) {
  constexpr std::string_view kSpawn = "spawn.";
  const std::size_t at = job.rfind(kSpawn);
  const bool is_spawned = at != std::string_view::npos && (at == 0 || job[at - 1] == '.');
  return is_spawned ? job.substr(at) : std::string_view();
}

}  // namespace csink
