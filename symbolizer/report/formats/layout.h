#pragma once

#include <cstdint>
#include <vector>

#include "symbolizer/report/formats/spots.h"

/// File: one address space for all modules of a report. Histograms of many processes have none:
/// each mapped its libraries elsewhere. The formats that want one get this.

namespace csink::report {

/// A part of a module's file, as if mapped once.
struct Segment {
  std::uint32_t module = 0;
  std::uint64_t start = 0, limit = 0;  ///< Whole pages; what was sampled lies within
  std::uint64_t file_offset = 0;       ///< Of `start`
};

class Layout {
 public:
  Layout(const Report& report, const Spots& spots);

  /// The program's own first. Disjoint, unless files claim addresses for themselves that overlap.
  const std::vector<Segment>& segments() const { return segments_; }
  std::uint32_t SegmentOf(std::uint32_t spot) const { return segment_of_[spot]; }
  /// Never 0.
  std::uint64_t AddressOf(std::uint32_t spot) const { return address_of_[spot]; }

 private:
  std::vector<Segment> segments_;
  std::vector<std::uint32_t> segment_of_;
  std::vector<std::uint64_t> address_of_;
};

/// The executable of a process, else any module; of several the one with most samples. kNoModule
/// without any.
std::uint32_t MainModule(const Profile& profile);

}  // namespace csink::report
