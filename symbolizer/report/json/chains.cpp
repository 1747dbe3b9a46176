#include "symbolizer/report/json/chains.h"

namespace csink::report {

Json ChainsJson(const std::optional<ChainGrade>& chains) {
  if (!chains) return nullptr;
  Json known = Json::object();
  Json cut = Json::object();
  Json modules = Json::array();
  for (const ChainEndCount& end : chains->ends) {
    const bool is_start = end.end == spool::ChainEnd::kMain ||
                          end.end == spool::ChainEnd::kThread ||
                          end.end == spool::ChainEnd::kUnchecked;
    if (is_start) continue;
    (spool::IsCut(end.end) ? cut : known)[WordFor(end.end)] = end.chains;
    for (const ModuleChains& module : end.modules) {
      modules.push_back({{"end", WordFor(end.end)},
                         {"module", module.module},
                         {"chains", module.chains},
                         {"copied_bytes", end.copied_bytes}});
    }
  }
  return {{"grade", chains->grade ? Json(WordFor(*chains->grade)) : Json(nullptr)},
          {"way", WordFor(chains->way)},
          {"chains", chains->chains},
          {"reach_start", chains->reach_start},
          {"known_end", chains->known_end},
          {"known_ends", std::move(known)},
          {"unchecked", chains->unchecked},
          {"cut", chains->cut},
          {"cut_by", std::move(cut)},
          {"ended_in", std::move(modules)}};
}

}  // namespace csink::report
