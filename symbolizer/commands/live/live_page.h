#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "symbolizer/commands/load/known_names.h"
#include "symbolizer/commands/load/live_spools.h"
#include "symbolizer/report/annotate/annotation.h"
#include "symbolizer/report/tables/report.h"

/// File: the page of a running program, and its data, made again as the program runs.

namespace csink::tool {

/// The data of the page as they were read last.
struct LiveData {
  /// One JSON object (docs/page.schema.json).
  std::shared_ptr<const std::string> text = std::make_shared<const std::string>();
  /// Raised whenever the text changes; 0: nothing was read yet.
  std::uint64_t version = 0;
};

/// Reads the spools of a running program and makes the page of them. Names are looked up once for
/// each address. Source and instructions are read only for the last state: they would cost more
/// than everything else.
/// Threads: one.
class LivePage {
 public:
  /// `pid` and its start time identify the process. `tree`: also its descendants.
  LivePage(std::uint32_t pid, std::uint64_t start_ticks, bool tree,
           const report::Resolver& resolve);

  /// Looks for new spools: at most five times a second, or once with `tree`, which reads all of
  /// /proc. Returns false when the program has ended; its last state is read then.
  bool Look();
  /// The newest data. Reads them again if a second has passed since the last time, and ten times
  /// the time that this took, so that csink needs at most a tenth of a processor for it.
  const LiveData& Newest();
  /// The page with the newest data.
  std::shared_ptr<const std::string> Page();

  bool has_ended() const { return has_ended_; }
  /// Whether the program has had any samples.
  bool has_samples() const;

 private:
  void Read();

  report::Resolver resolve_;
  KnownNames names_;
  LiveSpools spools_;
  report::Report report_;
  std::vector<annotate::Annotation> annotations_;  ///< Of the last state
  LiveData data_;
  /// The user of the process; 0: not known.
  std::uint32_t owner_ = 0;
  bool has_ended_ = false;
  double look_interval_;
  /// Seconds on CLOCK_MONOTONIC.
  double next_look_ = 0;
  double next_read_ = 0;
};

}  // namespace csink::tool
