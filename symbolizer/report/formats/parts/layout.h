#pragma once

#include <cstdint>
#include <vector>

#include "symbolizer/report/formats/parts/spots.h"

/// File: one address space for all modules of a report. A profile of several processes has none,
/// because each process mapped its libraries at other addresses; some formats need one. Modules
/// keep their own addresses where these are free, others get invented ones.

namespace csink::report {

/// A part of a module's file, as if it were mapped once: all spots for which address minus file
/// offset is the same.
struct Segment {
  /// Index into Profile::modules.
  std::uint32_t module = 0;
  /// Whole pages that contain all samples of the part; `limit` is behind the last page.
  std::uint64_t start = 0, limit = 0;
  /// File offset of `start`.
  std::uint64_t file_offset = 0;
};

/// The segments and addresses of all spots. Does not refer to the report afterwards.
class Layout {
 public:
  /// Computes all segments; `spots` is that of `report`.
  Layout(const Report& report, const Spots& spots);

  /// The program's own segments come first. Disjoint, unless modules have overlapping addresses of
  /// their own.
  const std::vector<Segment>& segments() const { return segments_; }
  /// Index into segments() of a spot's segment.
  std::uint32_t SegmentOf(std::uint32_t spot) const { return segment_of_[spot]; }
  /// Address of a spot in the common address space. Never 0, which readers take for "unknown".
  std::uint64_t AddressOf(std::uint32_t spot) const { return address_of_[spot]; }

 private:
  std::vector<Segment> segments_;
  std::vector<std::uint32_t> segment_of_;
  std::vector<std::uint64_t> address_of_;
};

/// What the symbolizer knew about the spots of a segment, so that readers need not look again:
/// whether any of them has it.
struct SegmentNames {
  bool functions = false, files = false, lines = false, inlines = false;
};
/// One for each of Layout::segments(). Inlined functions count only with `inlines`.
std::vector<SegmentNames> NamesOfSegments(const Spots& spots, const Layout& layout, bool inlines);

/// The executable of a process if there is one, else any module; among several the one with most
/// samples. kNoModule: there are no samples.
std::uint32_t MainModule(const Profile& profile);

}  // namespace csink::report
