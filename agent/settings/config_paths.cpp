#include "agent/settings/complain.h"
#include "agent/settings/config.h"
#include "core/util/output_template.h"

/// File: the paths that settings name, made absolute at the start, because the program may change
/// its working directory and its environment.

namespace csink::agent {
namespace {

// The value of %{NAME}. Other templates (%p, %h, ...) are left: their values are known when the
// report is written.
bool VariableValue(const TemplatePart& part, std::string_view& value, void* context) noexcept {
  if (part.letter != '{') return false;
  Text<256> name;
  name.Add(part.variable);
  const char* found = FindVariable(static_cast<char* const*>(context), name.c_str());
  // A name that was cut would find another variable. A variable that is not set becomes "".
  value = found && name.size() == part.variable.size() ? found : "";
  return true;
}

// A part of CSINK_OUTPUT that looks like a template but is none is kept literally; one line says
// so.
void WarnUnknownPart(std::string_view output) noexcept {
  const std::string_view part = UnknownPart(output);
  if (part.empty()) return;
  Text<512> line;
  line.Add("CSINK_OUTPUT: '");
  std::size_t shown = 0;
  for (const char c : part) {
    if (++shown > 40) break;
    line.Add(c >= ' ' && c < 127 ? c : '?');
  }
  line.Add("' is unknown and is not replaced; known are %e %p %h %g %t %r %j %n %{NAME} %%");
  Complain(line.view());
}

}  // namespace

void SettleOutputPath(Config& config, std::string_view directory,
                      char* const* environment) noexcept {
  config.output_path.Clear();
  if (config.output.size() == 0) return;
  WarnUnknownPart(config.output.view());
  if (config.output.c_str()[0] != '/' && !directory.empty()) {
    // Percent signs of the directory must not be taken for templates.
    for (const char c : directory)
      config.output_path.Add(c == '%' ? "%%" : std::string_view(&c, 1));
    config.output_path.Add('/');
  }
  void* context = const_cast<char**>(environment);
  if (ExpandTemplate(config.output.view(), VariableValue, context, TemplateRound::kFirst,
                     config.output_path)) {
    return;
  }
  config.output_path.Clear();
  Complain("CSINK_OUTPUT is ignored: the name is too long; reports go to stderr");
}

void SettleSpoolDir(Config& config, std::string_view directory) noexcept {
  const auto given = config.spool_dir;
  if (given.size() == 0 || given.c_str()[0] == '/' || directory.empty()) return;
  // A cut path would be another folder.
  if (directory.size() + 1 + given.size() >= TextRoom(Setting::kSpoolDir)) {
    Complain("CSINK_SPOOL_DIR is ignored: as an absolute path it is too long");
    config.spool_dir.Clear();
    return;
  }
  config.spool_dir.Clear();
  config.spool_dir.Add(directory).Add('/').Add(given.view());
}

}  // namespace csink::agent
