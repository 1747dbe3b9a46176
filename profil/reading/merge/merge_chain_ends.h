#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "profil/reading/merge/merge_modules.h"
#include "profil/reading/model/profile.h"
#include "profil/reading/reader/reader.h"

namespace csink {

/// Sums the ends of call chains of several spools by end, way and module.
class ChainEndTable {
 public:
  void Add(const spool::Spool& spool, SpoolCode& code);
  std::vector<ChainEndSum> Take() { return std::move(rows_); }

 private:
  using Key = std::tuple<spool::ChainEnd, spool::ChainWay, std::uint32_t>;
  std::vector<ChainEndSum> rows_;
  std::map<Key, std::size_t> index_;
};

}  // namespace csink
