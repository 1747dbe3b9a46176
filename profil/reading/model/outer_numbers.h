#pragma once

#include "profil/reading/model/profile.h"

namespace csink {

/// Gives processes whose parent is in another pid namespace the number by which that one knows
/// them, in their rows and in what they recorded of others, so that the end that the parent saw is
/// theirs. Their own number stays in ProcessRow::namespace_pid. Call before RelateImages and
/// ApplyChildEnds.
void ApplyOuterNumbers(Profile& profile);

}  // namespace csink
