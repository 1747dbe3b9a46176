#include "symbolizer/tool/doctor_command.h"

#include <cstring>
#include <string>

#include "symbolizer/tool/child.h"
#include "symbolizer/tool/launch.h"
#include "symbolizer/tool/output.h"
#include "symbolizer/tool/report_command.h"

namespace csink::tool {

int RunDoctor(bool events) {
  const auto agent = FindAgent();
  if (!agent) return kExitNothing;
  Changes changes = {{"CSINK_DOCTOR", events ? "events" : "1"}, {"CSINK_ENABLE", "1"}};
  Environment environment(*agent, changes);
  const Ended ended = RunChild({"/proc/self/exe", kNothingCommand}, environment.data(), true);
  if (ended.spawn_errno != 0) {
    Complain(std::string("cannot run itself: ") + std::strerror(ended.spawn_errno));
    return kExitNothing;
  }
  return ended.ExitCode();
}

}  // namespace csink::tool
