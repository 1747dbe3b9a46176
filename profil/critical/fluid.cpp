#include <limits>
#include <queue>
#include <utility>

#include "profil/critical/replay.h"

/// File: Replay::Fluid. All threads that can run do so at the same speed, so the work that each of
/// them has done since the begin is one number, `done_`, for all: a thread that begins work of w
/// ends it when done_ has grown by w. An event costs the logarithm of the number of threads.

namespace csink::critical {

class FluidRun {
 public:
  FluidRun(const Replay& replay, const Change& change, bool delays)
      : replay_(replay),
        change_(change),
        delays_(delays),
        saved_(replay.Saved(change)),
        missing_(replay.nodes_.size()),
        met_(replay.nodes_.size()),
        waits_here_(replay.nodes_.size()) {
    processors_ = change.processors != 0 ? change.processors : replay.log_.processors;
  }

  double Run() {
    const auto& first = replay_.first_of_;
    const std::uint32_t root = replay_.log_.root;
    if (root == kNone) return 0;
    first_ = static_cast<std::uint32_t>(first[root]);
    last_ = static_cast<std::uint32_t>(first[root + 1] - 1);
    for (std::uint32_t i = 0; i < missing_.size(); ++i) missing_[i] = NeedsOf(i);
    for (std::size_t thread = 0; thread + 1 < first.size(); ++thread) {
      Arrive(static_cast<std::uint32_t>(first[thread]));
    }
    Settle();
    while (!is_over_ && Advance()) Settle();
    return is_over_ ? end_ - begin_ : std::numeric_limits<double>::quiet_NaN();
  }

 private:
  using Timer = std::pair<double, std::uint32_t>;  ///< When, and the node
  using Timers = std::priority_queue<Timer, std::vector<Timer>, std::greater<>>;

  std::uint32_t NeedsOf(std::uint32_t index) const {
    const Replay::Node& node = replay_.nodes_[index];
    if (replay_.IsRemoved(node, change_)) return 0;
    std::uint32_t needs = 0;
    for (std::uint32_t k = 0; k < node.needs; ++k) {
      if (replay_.needs_[node.first_need + k] != kNone) ++needs;
    }
    return needs;
  }

  /// The thread has done its work up to this node.
  void Arrive(std::uint32_t index) {
    if (missing_[index] > 0) {
      waits_here_[index] = true;
    } else {
      Pass(index);
    }
  }
  /// The thread is here, and so is all that the node needs.
  void Pass(std::uint32_t index) {
    const Replay::Node& node = replay_.nodes_[index];
    double until = now_;
    if (!replay_.IsRemoved(node, change_)) {
      // Without a need there was no waker that it could be late after.
      if (delays_ && node.needs > 0) until = std::max(until, met_[index] + node.own_delay);
      until += node.fixed;
    }
    if (until > now_) {
      sleeping_.push({until, index});
    } else {
      passed_.push_back(index);
    }
  }

  /// The thread begins to work towards this node.
  void Begin(std::uint32_t index) {
    const double work = replay_.nodes_[index].work - saved_[index];
    if (work > 0) {
      running_.push({done_ + work, index});
    } else {
      Arrive(index);
    }
  }

  /// Handles nodes that are passed, until time must go on.
  void Settle() {
    while (!passed_.empty()) {
      const std::uint32_t index = passed_.back();
      passed_.pop_back();
      if (index == first_) begin_ = now_;
      if (index == last_) {
        end_ = now_;
        is_over_ = true;
      }
      for (const std::uint32_t next : replay_.DependentsOf(index)) {
        if (missing_[next] == 0 || --missing_[next] > 0) continue;
        met_[next] = now_;
        const bool is_round = replay_.nodes_[next].thread == kNone;
        if (is_round) passed_.push_back(next);
        if (waits_here_[next]) Pass(next);
      }
      const std::uint32_t thread = replay_.nodes_[index].thread;
      if (thread == kNone || index + 1 == replay_.first_of_[thread + 1]) continue;
      const Replay::Node& following = replay_.nodes_[index + 1];
      if (delays_ && following.stolen > 0) {
        stolen_.push({now_ + following.stolen, index + 1});
      } else {
        Begin(index + 1);
      }
    }
  }

  /// Goes to the next end of work or of a sleep; false: there is none.
  bool Advance() {
    const double speed = running_.empty() ? 1
                                          : std::min(1.0, static_cast<double>(processors_) /
                                                              static_cast<double>(running_.size()));
    const bool has_work = !running_.empty();
    const double until = has_work ? now_ + (running_.top().first - done_) / speed : 0;
    const bool is_stolen =
        !stolen_.empty() && (sleeping_.empty() || stolen_.top().first < sleeping_.top().first);
    Timers& timers = is_stolen ? stolen_ : sleeping_;
    if (!timers.empty() && (!has_work || timers.top().first <= until)) {
      const auto [time, node] = timers.top();
      timers.pop();
      if (has_work) done_ += (time - now_) * speed;
      now_ = time;
      if (is_stolen) {
        Begin(node);
      } else {
        passed_.push_back(node);
      }
      return true;
    }
    if (!has_work) return false;
    const auto [done, node] = running_.top();
    running_.pop();
    now_ = until;
    done_ = done;
    Arrive(node);
    return true;
  }

  const Replay& replay_;
  const Change& change_;
  const bool delays_;
  std::vector<double> saved_;
  std::vector<std::uint32_t> missing_;  ///< Needs of each node that have not come
  std::vector<double> met_;             ///< When the last of them came
  std::vector<bool> waits_here_;        ///< A thread has arrived and waits for them
  std::uint32_t processors_ = 1;
  std::uint32_t first_ = 0;  ///< Nodes of the root
  std::uint32_t last_ = 0;
  double now_ = 0;
  double done_ = 0;
  double begin_ = 0;
  double end_ = 0;
  bool is_over_ = false;
  Timers running_;   ///< By the amount of done_ at which their work is done
  Timers sleeping_;  ///< By time: threads that are at the node
  Timers stolen_;    ///< By time: threads without a processor, that then work towards the node
  std::vector<std::uint32_t> passed_;
};

double Replay::Fluid(const Change& change, bool delays) const {
  return FluidRun(*this, change, delays).Run();
}

}  // namespace csink::critical
