#pragma once

#include <cstdint>
#include <vector>

#include "symbolizer/report/formats/spots.h"

/// File: one address space for all modules of a report. A profile of several processes has none,
/// because each process mapped its libraries at other addresses; some formats need one.

namespace csink::report {

/// A part of a module's file, as if it were mapped once.
struct Segment {
  std::uint32_t module = 0;
  std::uint64_t start = 0, limit = 0;  ///< Whole pages that contain all samples of the part
  std::uint64_t file_offset = 0;       ///< File offset of `start`
};

class Layout {
 public:
  Layout(const Report& report, const Spots& spots);

  /// The program's own segments come first. Disjoint, unless modules have overlapping addresses of
  /// their own.
  const std::vector<Segment>& segments() const { return segments_; }
  std::uint32_t SegmentOf(std::uint32_t spot) const { return segment_of_[spot]; }
  /// Never 0, which readers take for "unknown".
  std::uint64_t AddressOf(std::uint32_t spot) const { return address_of_[spot]; }

 private:
  std::vector<Segment> segments_;
  std::vector<std::uint32_t> segment_of_;
  std::vector<std::uint64_t> address_of_;
};

/// The executable of a process if there is one, else any module; among several the one with most
/// samples. kNoModule: there are no samples.
std::uint32_t MainModule(const Profile& profile);

}  // namespace csink::report
