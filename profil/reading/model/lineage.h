#pragma once

#include "profil/reading/model/profile.h"

namespace csink {

/// Connects the images of processes in a tree whose records do not contain the connection: a
/// process with few samples leaves a record without start ticks and generation, because
/// /proc/self/stat costs 10 us (docs/design/profil.md).
///
/// Two images with the same host and pid belong together if the first one ended by exec, or if both
/// have the same start ticks. They get the same start ticks, and generations numbered from 0. A
/// process whose parent is in the profile gets the parent's depth + 1. Rows that are sums of many
/// processes are left alone. Call after all spools were merged.
void RelateImages(Profile& profile);

}  // namespace csink
