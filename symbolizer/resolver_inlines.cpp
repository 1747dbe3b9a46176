#include "symbolizer/resolver_inlines.h"

#include <algorithm>
#include <thread>

#include "symbolizer/dwarf_inlines.h"

namespace csink::symbolizer {

void AddInlines(const ElfFile& info, DebugFiles& files, std::span<const std::uint64_t> vaddrs,
                std::vector<Location>& locations) {
  // A symbol keeps its suffix (.cold, .isra), which DIEs do not have: where one covers the
  // address, the function's DIE is not asked for its name.
  std::vector<std::uint64_t> starts(vaddrs.size());
  for (std::size_t i = 0; i < vaddrs.size(); ++i) {
    if (locations[i].source == NameSource::kSymbol) starts[i] = locations[i].function_vaddr;
  }
  const unsigned threads = std::clamp(std::thread::hardware_concurrency(), 1u, 4u);
  std::vector<InlineAnswer> answers = FindInlines(info, files, vaddrs, starts, threads);
  for (std::size_t i = 0; i < vaddrs.size(); ++i) {
    Location& location = locations[i];
    InlineAnswer& answer = answers[i];
    location.inlined = std::move(answer.frames);
    if (answer.function.empty()) continue;
    location.function = std::move(answer.function);
    location.raw_name = std::move(answer.raw_name);
    location.source = NameSource::kSymbol;
    location.function_vaddr = answer.start;
  }
}

}  // namespace csink::symbolizer
