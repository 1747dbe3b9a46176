#pragma once

#include <string>
#include <string_view>

#include "profil/reading/model/profile.h"

/// File: the container that a process runs in.

namespace csink::report {

/// The id of a container in the text of /proc/PID/cgroup or /proc/PID/mountinfo (proc(5)): 64
/// hexadecimal digits that are a whole part of a path, also behind a prefix as in
/// "docker-ID.scope". Docker, containerd, CRI-O and podman name the control group of a container
/// so. In a control group namespace of its own the first text is "/", and the mounts of
/// /etc/hostname and /etc/resolv.conf from the container's folder tell the id. Of several, the last
/// in the first line that has one: an inner container is below an outer one. Empty: none.
std::string ContainerIdIn(std::string_view text);

/// The id of the container of a process that still runs on this machine, read from /proc. Empty if
/// it has ended, is another machine's, cannot be read or is in no container.
/// Threads: any.
std::string ContainerOf(const ProcessRow& process);

}  // namespace csink::report
