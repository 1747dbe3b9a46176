#pragma once

#include <stdlib.h>
#include <unistd.h>

#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/counting/presets/preset_table.h"

/// File: machines and files for the tests of PresetTable.

namespace csink {

/// A file that goes when the test does.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::string_view text) {
    char name[] = "/tmp/csink-presets-XXXXXX";
    close(mkstemp(name));
    path_ = name;
    Write(text);
  }
  ~TemporaryFile() { unlink(path_.c_str()); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  void Write(std::string_view text) { std::ofstream(path_) << text; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

inline PresetOptions Machine(std::vector<PresentPmu> pmus) {
  PresetOptions options;
  options.pmus = std::move(pmus);
  return options;
}

inline PresetOptions Skylake() {
  return Machine({{"perf", false}, {"ix86arch", true}, {"skx", true}});
}

/// The definition of an event; nullptr: it has none.
inline const PresetDefinition* ByName(const PresetTable& table, std::string_view name) {
  return table.ByCode(table.CodeOf(name));
}

/// "pmu::A pmu::B | postfix" of one event; "-" when it has no definition.
inline std::string Show(const PresetTable& table, std::string_view name) {
  const PresetDefinition* d = ByName(table, name);
  if (!d) return "-";
  std::string text;
  for (const PresetNative& native : d->natives) text += native.qualified + ' ';
  return text + "| " + d->formula.Postfix();
}

inline std::unique_ptr<PresetTable> WithUserEvents(std::string_view text,
                                                   PresetOptions options = Skylake()) {
  const TemporaryFile file(text);
  options.user_events_file = file.path();
  return PresetTable::Load(std::move(options));
}

inline std::unique_ptr<PresetTable> WithOverride(std::string_view text,
                                                 PresetOptions options = Skylake()) {
  const TemporaryFile file(text);
  options.override_file = file.path();
  return PresetTable::Load(std::move(options));
}

}  // namespace csink
