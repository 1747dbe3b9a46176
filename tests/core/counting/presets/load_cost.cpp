// Loads the presets of the PMUs named on the command line, once: what a program's PAPI_library_init
// pays for them. Prints how many there are.

#include <cstdio>

#include "core/counting/presets/preset_table.h"

int main(int argc, char** argv) {
  csink::PresetOptions options;
  options.pmus.push_back({"perf", false});
  for (int i = 1; i < argc; ++i) options.pmus.push_back({argv[i], true});
  const auto table = csink::PresetTable::Load(std::move(options));
  int defined = 0;
  for (std::size_t i = 0; i < csink::kStandardPresetCount; ++i)
    defined += table->ByIndex(i) != nullptr;
  std::printf("%d presets\n", defined);
  return defined == 0;
}
