#pragma once

#include <cstdint>
#include <vector>

#include "profil/critical/replay.h"
#include "profil/reading/model/flat_index.h"

/// File: makes the graph of a Replay. Moments that nothing waits for become part of the work
/// around them, so that the graph is small.

namespace csink::critical {

class ReplayBuilder {
 public:
  explicit ReplayBuilder(Replay& replay)
      : replay_(replay), log_(replay.log_), waits_(replay.waits_) {}
  void Build();

 private:
  enum class Kind : std::uint8_t { kStart, kBeginOfWait, kEndOfWait, kPoint, kInserted, kEnd };
  /// A moment of a thread, before those are left out that nothing needs.
  struct Event {
    std::int64_t time_ns = 0;
    Kind kind = Kind::kStart;
    bool is_needed = false;
    MomentKind of = MomentKind::kUnseenWait;
    std::uint64_t object = 0;
    std::uint32_t index = kNone;  ///< Of its wait, its moment or its waker
  };
  /// A point in a thread that no hook noted: the time of an inferred waker.
  struct Inserted {
    std::uint32_t thread = 0;
    std::int64_t time_ns = 0;
    std::uint32_t waker = 0;
  };

  /// Fills free_, which FreeNs reads.
  void FindFreeTimes();
  /// Time in [begin, end] in which less of the log's threads ran than there are processors.
  double FreeNs(std::int64_t begin, std::int64_t end) const;
  double FreeWhileOn(std::span<const OnProcessor> on, const Event& from, const Event& to) const;
  void MarkNeeded();
  void Need(std::uint32_t waker_index, const Waker& waker);
  void EventsOf(std::uint32_t thread);
  void PointsOf(std::uint32_t thread, std::vector<Event>& points);
  void NodesOf(std::uint32_t thread);
  void AddNode(std::uint32_t thread, const Event& event);
  void AddPiece(std::uint32_t thread, const Event& from, const Event& to, std::int64_t work);
  std::uint32_t ClassOf(std::uint64_t key);
  void AddNeeds();
  std::uint32_t RoundOf(const Wait& wait);
  std::uint32_t NodeOf(std::uint32_t waker_index, const Waker& waker) const;
  void Sort();
  void DropCircles(std::vector<std::uint32_t>& missing, std::vector<std::uint32_t>& ready);
  void AddDependents();

  Replay& replay_;
  const CriticalLog& log_;
  const Waits& waits_;
  std::vector<bool> start_needed_, end_needed_;  ///< By moment
  std::vector<bool> is_kept_;                    ///< By moment: it is a wait of waits_
  std::vector<std::uint32_t> node_of_start_, node_of_end_;
  std::vector<std::uint32_t> node_of_waker_;   ///< Of inserted points
  std::vector<std::uint32_t> round_of_waker_;  ///< By Wait::first_waker
  std::vector<Inserted> inserted_;
  std::size_t next_inserted_ = 0;
  std::vector<Event> events_;
  /// A time from which on a processor is free, or none is any more, with the free time up to it
  struct FreeTime {
    std::int64_t time_ns = 0;
    std::int64_t before_ns = 0;
    bool is_free = false;
  };
  std::vector<FreeTime> free_;
  std::vector<std::int64_t> times_;  ///< Of the nodes
  FlatIndex classes_;
  std::vector<std::uint64_t> class_keys_;
  std::size_t next_order_ = 0;
  std::vector<std::uint32_t> by_time_;
  // Of the thread whose nodes are made:
  std::size_t next_on_ = 0;
  std::size_t next_sample_ = 0;
};

}  // namespace csink::critical
