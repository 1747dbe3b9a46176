#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "symbolizer/report/tables/report.h"

namespace csink::tool {

/// A resolver that looks up each address only once, for programs that are shown repeatedly (`csink
/// top`). Code without a file is looked up each time, because its names may change. Nothing is ever
/// forgotten: memory grows with the number of different addresses.
/// Owns:    all answers.
/// Threads: one.
class KnownNames {
 public:
  /// `resolve` is asked for addresses that are not known yet.
  explicit KnownNames(report::Resolver resolve) : resolve_(std::move(resolve)) {}

  /// Answers a request from memory, and asks `resolve` for new addresses only. Facts about the
  /// module (symbols, problem) are those of the last time that `resolve` was asked.
  symbolizer::ModuleAnswer operator()(const symbolizer::ModuleRequest& request);
  /// Number of addresses that were looked up so far.
  std::size_t asked() const { return asked_; }

 private:
  /// Identifies a module and the detail: path, build-id, device (major, minor), inode, detail.
  using Id = std::tuple<std::string, std::vector<std::uint8_t>, std::uint64_t, std::uint64_t,
                        std::uint64_t, int>;
  /// What is known of one module.
  struct Known {
    symbolizer::ModuleAnswer answer;  ///< The last answer, without its locations
    /// By file offset.
    std::unordered_map<std::uint64_t, symbolizer::Location> locations;
  };

  report::Resolver resolve_;
  std::map<Id, Known> modules_;
  std::size_t asked_ = 0;
};

}  // namespace csink::tool
