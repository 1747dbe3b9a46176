#include "compat/papi/retired.h"

#include <utility>
#include <vector>

namespace csink::papi {
namespace {

// What the last PAPI_shutdown kept. Bounded: each PAPI_shutdown frees what the one before has kept.
struct Retired {
  std::vector<std::unique_ptr<CounterSet>> counters;
  std::vector<std::unique_ptr<PresetTable>> tables;
  std::vector<std::unordered_map<const PresetDefinition*, ResolvedPreset>> resolved;
};

Retired& All() noexcept {
  // Never destroyed: other threads may still read while the process exits.
  static Retired* const all = new Retired;
  return *all;
}

}  // namespace

void Retire(std::unique_ptr<CounterSet> counters) noexcept {
  if (counters) All().counters.push_back(std::move(counters));
}

void Retire(std::unique_ptr<PresetTable> table,
            std::unordered_map<const PresetDefinition*, ResolvedPreset> resolved) noexcept {
  if (table) All().tables.push_back(std::move(table));
  if (!resolved.empty()) All().resolved.push_back(std::move(resolved));
}

void FreeRetired() noexcept {
  All().resolved.clear();
  All().tables.clear();
  All().counters.clear();
}

}  // namespace csink::papi
