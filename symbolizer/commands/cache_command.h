#pragma once

#include <string>

namespace csink::tool {

/// `csink cache show`: where names are kept, how many and how much; `csink cache clear`: removes
/// them. Returns the exit status: 0; kExitNothing when the folder cannot be used.
int RunCache(const std::string& action);

}  // namespace csink::tool
