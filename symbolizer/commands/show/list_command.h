#pragma once

namespace csink::tool {

/// `csink report` without arguments: prints one line for each spool, and one line with the number
/// of those that CleanSpools would remove. Removes nothing. Returns the exit status.
int ListSpools();

}  // namespace csink::tool
