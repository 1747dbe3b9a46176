#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "symbolizer/report/tables/report.h"

namespace csink::tool {

/// A resolver that asks another one for each address once: of a program that is looked at again
/// and again only what is new has to be looked up. Code without a file may change its names, so
/// that is always asked for.
/// Threads: one.
class KnownNames {
 public:
  explicit KnownNames(report::Resolver resolve) : resolve_(std::move(resolve)) {}

  symbolizer::ModuleAnswer operator()(const symbolizer::ModuleRequest& request);
  /// How many addresses were looked up so far.
  std::size_t asked() const { return asked_; }

 private:
  using Id = std::tuple<std::string, std::vector<std::uint8_t>, std::uint64_t, std::uint64_t,
                        std::uint64_t, int>;
  struct Known {
    symbolizer::ModuleAnswer answer;  ///< Of the last question; without locations
    std::unordered_map<std::uint64_t, symbolizer::Location> locations;
  };

  report::Resolver resolve_;
  std::map<Id, Known> modules_;
  std::size_t asked_ = 0;
};

}  // namespace csink::tool
