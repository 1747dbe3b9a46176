#include "symbolizer/names/lines/producers.h"

#include <memory>
#include <utility>

#include "symbolizer/names/dwarf/names.h"
#include "symbolizer/names/dwarf/units.h"

namespace csink::symbolizer {

using namespace dwarf;  // the forms

std::vector<Producer> ProducersOf(const ElfFile& file) {
  // A shared_ptr without ownership: the caller owns the file.
  DwarfObject object(std::shared_ptr<const ElfFile>(std::shared_ptr<const ElfFile>(), &file), "");
  Lookup lookup(object);
  std::vector<Producer> producers;
  std::uint64_t cost = 0;
  InfoFeed feed(object.info);
  while (feed.left() != 0 && cost < kMaxRootCost && producers.size() < kMostProducers) {
    auto unit = ReadUnitHeader(feed.Peek(kMaxUnitHeader), feed.offset(), feed.left());
    if (!unit || unit->size == 0) break;
    cost += kCostOfUnit;
    if (ReadRootAhead(*unit, feed, object.abbrev, cost) && unit->name && unit->producer &&
        !IsAlternateText(unit->name.form) && !IsAlternateText(unit->producer.form)) {
      Producer producer{lookup.Text(*unit, unit->name), lookup.Text(*unit, unit->producer)};
      if (!producer.source.empty() && !producer.text.empty()) {
        producers.push_back(std::move(producer));
      }
    }
    if (!feed.Skip(unit->end() - feed.offset())) break;
  }
  return producers;
}

}  // namespace csink::symbolizer
