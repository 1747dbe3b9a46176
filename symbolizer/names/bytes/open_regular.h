#pragma once

#include <sys/stat.h>

#include <string>

#include "core/util/unique_fd.h"

namespace csink::symbolizer {

/// Opens a regular file for reading. Anything else is not opened at all: the open alone of a device
/// or a FIFO may have effects, and paths come out of profiles, which are not trusted. Invalid if
/// there is no such file; errno is then set, EINVAL: not a regular file. `status`: what was found
/// at the path, zero if nothing. `flags`: further ones of open(2), such as O_NOFOLLOW. Threads:
/// any.
UniqueFd OpenRegular(const std::string& path, struct stat& status, int flags = 0);

}  // namespace csink::symbolizer
