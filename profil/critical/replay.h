#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "profil/critical/waits.h"

/// File: replays a log with changes: some code faster, a lock never waited for, another number of
/// processors.

namespace csink::critical {

/// An object of one process.
struct Object {
  std::uint32_t process = 0;  ///< Index into CriticalLog::processes
  std::uint64_t object = 0;
};

/// What is changed. The default changes nothing.
struct Change {
  std::vector<std::uint32_t> places;  ///< Their code takes `shorter` less
  double shorter = 0;                 ///< 0..1
  /// Also what the places called, not only samples whose innermost place is one of them
  bool with_callees = false;
  std::optional<Object> never_waited_for = {};  ///< Waits for it take no time
  std::uint32_t processors = 0;                 ///< 0: those of the log; for ReplayFluid
};

/// The log as a graph: nodes are moments at which threads meet, with the work between them. Code
/// between two nodes has its places by the samples there; where these are few, by those between
/// nodes of the same thread, kind and object, then by those of all threads.
/// Threads: const access from any thread. Memory: about 100 bytes a moment.
class Replay {
 public:
  Replay(const CriticalLog& log, const Waits& waits);

  /// The run's time if every thread keeps its recorded delays, and waits for the same wakers.
  double Dag(const Change& change) const;
  /// The same if threads share the processors equally and have no other delays. With `delays` those
  /// remain that are not the program's own doing: a processor was free, but the thread was not
  /// woken yet, or other programs had the processor.
  double Fluid(const Change& change, bool delays) const;

  std::size_t nodes() const noexcept { return nodes_.size(); }

 private:
  friend class ReplayBuilder;
  friend class FluidRun;

  /// A moment; of a barrier's round: that all have come.
  struct Node {
    std::uint32_t thread = kNone;  ///< kNone: a round
    std::uint32_t wait = kNone;    ///< Index into Waits::waits.rows, at its end
    std::uint32_t first_need = 0;
    std::uint32_t needs = 0;
    double work = 0;     ///< Since the previous node of the thread, on a processor
    double elapsed = 0;  ///< The same with the time without a processor
    double delay = 0;    ///< From the last waker to the end of the wait
    double fixed = 0;    ///< A wait for something outside, or not known
    /// The parts of `delay`, and of the time without a processor since the previous node, in which
    /// the log's own threads left a processor free: not for each other did they wait
    double own_delay = 0;
    double stolen = 0;
  };
  /// Work between two moments.
  struct Piece {
    std::uint32_t node = 0;  ///< That it is a part of
    std::uint32_t samples = 0;
    /// Indices into class_samples_: pieces between the same kinds of moments and objects of the
    /// same thread, of all threads, and those between the same kinds
    std::uint32_t own_class = 0;
    std::uint32_t all_class = 0;
    std::uint32_t kind_class = 0;
    double work = 0;
  };

  /// Runs of nodes that wait for a node: [first_dependent_[i], first_dependent_[i + 1]).
  std::span<const std::uint32_t> DependentsOf(std::uint32_t node) const noexcept {
    return {dependents_.data() + first_dependent_[node],
            first_dependent_[node + 1] - first_dependent_[node]};
  }
  /// For each node, by how much its work gets shorter.
  std::vector<double> Saved(const Change& change) const;
  bool IsRemoved(const Node& node, const Change& change) const;

  const CriticalLog& log_;
  const Waits& waits_;
  std::vector<Node> nodes_;                ///< Those of a thread together, in order; then rounds
  std::vector<std::size_t> first_of_;      ///< Of each thread, one more than threads
  std::vector<std::uint32_t> needs_;       ///< Of all nodes: nodes that come before; kNone: dropped
  std::vector<std::uint32_t> dependents_;  ///< The same in the other direction
  std::vector<std::uint32_t> first_dependent_;
  std::vector<std::uint32_t> order_;  ///< Each node behind those that it needs
  std::vector<Piece> pieces_;
  std::vector<std::uint32_t> piece_of_sample_;  ///< By CriticalLog::samples.rows; kNone: in a wait
  std::vector<std::uint32_t> class_samples_;
};

}  // namespace csink::critical
