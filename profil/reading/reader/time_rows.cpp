#include "profil/reading/reader/time_rows.h"

#include <algorithm>
#include <memory>

#include "profil/format/slices.h"
#include "profil/reading/reader/bytes.h"

/// File: rows of the time line. A row has a fixed size and no reference but its thread or region,
/// so only its shape, its times and that reference are checked.

namespace csink::spool {
namespace {

/// Widths above this are damage: kMaxDoublings of them would not fit into 64 bits.
constexpr std::uint64_t kMaxWidthNs = 3600ull * 1'000'000'000;

/// Whether slices have a place in time: users divide by the widths.
bool WidthsAreValid(const Header& header) {
  const auto valid = [](std::uint64_t width) { return width > 0 && width <= kMaxWidthNs; };
  return header.slices_start_ns != 0 && valid(header.slice_width_ns) &&
         valid(header.place_width_ns);
}

/// Whether a slice has nothing to show.
bool IsZero(const ThreadSlice& slice) {
  return slice.run_us == 0 && slice.wait_us == 0 && slice.blocked_us == 0 && slice.samples == 0;
}
bool IsZero(std::uint32_t samples) { return samples == 0; }

/// Checks the shape of a row, and completes a doubling. Returns false if the row is of no use.
template <class Row>
bool MakeComplete(Spool& spool, Row& row) {
  const SliceShape shape = SliceShape::Of(row.shape);
  if (!WidthsAreValid(spool.header) || shape.doublings > kMaxDoublings ||
      shape.merged > SlicesOf<Row>() / 2 + 1) {
    AddProblem(spool, "a row of the time line is damaged");
    return false;
  }
  if (shape.merged != 0) {
    // The process was killed in the middle, or it doubles the row just now: then another copy may
    // be complete.
    ++spool.changed_rows;
    FinishDoubling(row);
    return true;
  }
  if (row.shape == row.shape_behind) return true;
  ++spool.changed_rows;
  // The file of a process that ended does not change any more.
  if (spool.header.state != State::kLive) {
    AddProblem(spool, "a row of the time line is damaged");
  }
  return false;
}

/// Copies the slices up to the last one that is not zero.
template <class Row, class Slice>
void TakeSlices(const Row& row, std::vector<Slice>& slices) {
  std::size_t used = SlicesOf<Row>();
  while (used > 0 && IsZero(row.slices[used - 1])) --used;
  slices.assign(row.slices, row.slices + used);
}

}  // namespace

void Read(Spool& spool, const StoredRecord<ThreadSlicesRecord>& at) {
  // On the heap: a row has 16 KiB.
  const auto row = std::make_unique<ThreadSlicesRecord>(at.Load(spool.bytes));
  if (!MakeComplete(spool, *row)) return;
  ThreadSlices read;
  read.thread = row->thread;
  read.flags = row->flags;
  // Slices begin at slices_start_ns, so an earlier start would be outside of them.
  read.start_ns = std::max(row->start_ns, spool.header.slices_start_ns);
  read.end_ns = std::max(row->end_ns, read.start_ns);
  read.width_ns = spool.header.slice_width_ns << SliceShape::Of(row->shape).doublings;
  TakeSlices(*row, read.slices);
  spool.thread_slices.push_back(std::move(read));
}

void Read(Spool& spool, const StoredRecord<PlaceSlicesRecord>& at) {
  PlaceSlicesRecord row = at.Load(spool.bytes);
  if (row.region == kNone) return;  // another place is taking it over
  if (!MakeComplete(spool, row)) return;
  PlaceSlices read;
  read.pc = row.pc;
  read.region = row.region;
  read.width_ns = spool.header.place_width_ns << SliceShape::Of(row.shape).doublings;
  TakeSlices(row, read.samples);
  if (!read.samples.empty()) spool.place_slices.push_back(std::move(read));
}

void CheckTimeRows(Spool& spool) {
  std::vector<bool> seen(spool.threads.size());
  std::erase_if(spool.thread_slices, [&](const ThreadSlices& row) {
    // A second row of the same thread would show its time twice.
    const bool valid = row.thread < seen.size() && !seen[row.thread];
    if (valid) {
      seen[row.thread] = true;
    } else {
      AddProblem(spool, "a row of the time line has no thread");
    }
    return !valid;
  });
  std::erase_if(spool.place_slices, [&](const PlaceSlices& row) {
    bool valid = row.region < spool.regions.size();
    if (valid) {
      const Region& region = spool.regions[row.region];
      valid =
          (region.flags & kRegionUnknown) != 0 || (row.pc >= region.start && row.pc < region.end);
    }
    // In a live file the region may just be missing in the copy that was read.
    if (!valid && spool.header.state != State::kLive) {
      AddProblem(spool, "a row of the time line has no module");
    }
    return !valid;
  });
}

}  // namespace csink::spool
