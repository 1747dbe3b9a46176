#include "core/machine/installed_program.h"

namespace csink {

std::span<const ProgramPlace> PlacesOf(ProgramKind kind) noexcept {
  // Beside the library, as in a build tree. An installation has the library in lib/ or
  // lib/<triple>/, where bin/ is one or two folders up.
  static constexpr ProgramPlace kToolPlaces[] = {{0, ""}, {1, "bin/"}, {2, "bin/"}};
  static constexpr ProgramPlace kHelperPlaces[] = {{0, ""}, {0, CSINK_LIBEXEC_FROM_LIB "/"}};
  if (kind == ProgramKind::kTool) return kToolPlaces;
  return kHelperPlaces;
}

}  // namespace csink
