#include "profil/critical/replay_builder.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace csink::critical {
namespace {

/// Whether code around such a moment differs by the object: what a thread does with one lock is not
/// what it does with another one.
bool DiffersByObject(MomentKind kind) {
  switch (kind) {
    case MomentKind::kMutexWait:
    case MomentKind::kConditionWait:
    case MomentKind::kBarrierWait:
    case MomentKind::kSemaphoreWait:
    case MomentKind::kReadWriteLockWait:
    case MomentKind::kMutexUnlock:
    case MomentKind::kConditionSignal:
    case MomentKind::kConditionBroadcast:
    case MomentKind::kSemaphorePost:
    case MomentKind::kReadWriteUnlock:
      return true;
    default:
      return false;
  }
}

/// Points that are the start and the end of a thread anyway.
bool IsOfLife(MomentKind kind) {
  return kind == MomentKind::kThreadStart || kind == MomentKind::kThreadEnd ||
         kind == MomentKind::kProcessEnd;
}

}  // namespace

void ReplayBuilder::Build() {
  const std::size_t moments = log_.moments.rows.size();
  start_needed_.resize(moments);
  end_needed_.resize(moments);
  is_kept_.resize(moments);
  node_of_start_.assign(moments, kNone);
  node_of_end_.assign(moments, kNone);
  node_of_waker_.assign(waits_.wakers.size(), kNone);
  round_of_waker_.assign(waits_.wakers.size(), kNone);
  MarkNeeded();
  FindFreeTimes();
  replay_.piece_of_sample_.assign(log_.samples.rows.size(), kNone);
  for (std::uint32_t thread = 0; thread < log_.threads.size(); ++thread) {
    replay_.first_of_.push_back(replay_.nodes_.size());
    EventsOf(thread);
    NodesOf(thread);
  }
  replay_.first_of_.push_back(replay_.nodes_.size());
  AddNeeds();
  Sort();
  AddDependents();
}

void ReplayBuilder::FindFreeTimes() {
  std::vector<std::pair<std::int64_t, int>> changes;
  for (const OnProcessor& time : log_.on.rows) {
    changes.emplace_back(time.begin_ns, 1);
    changes.emplace_back(time.end_ns, -1);
  }
  std::sort(changes.begin(), changes.end());
  free_.push_back({0, 0, true});
  std::int64_t running = 0;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    running += changes[i].second;
    const std::int64_t time = changes[i].first;
    if (i + 1 < changes.size() && changes[i + 1].first == time) continue;
    const bool is_free = running < static_cast<std::int64_t>(log_.processors);
    const FreeTime& last = free_.back();
    if (is_free == last.is_free) continue;
    free_.push_back({time, last.before_ns + (last.is_free ? time - last.time_ns : 0), is_free});
  }
}

double ReplayBuilder::FreeNs(std::int64_t begin, std::int64_t end) const {
  const auto up_to = [this](std::int64_t time) {
    const auto behind =
        std::upper_bound(free_.begin(), free_.end(), time,
                         [](std::int64_t at, const FreeTime& row) { return at < row.time_ns; });
    if (behind == free_.begin()) return std::int64_t{0};
    const FreeTime& row = *std::prev(behind);
    return row.before_ns + (row.is_free ? time - row.time_ns : 0);
  };
  return end <= begin ? 0 : static_cast<double>(up_to(end) - up_to(begin));
}

void ReplayBuilder::Need(std::uint32_t waker_index, const Waker& waker) {
  if (waker.at == At::kStartOfMoment) start_needed_[waker.moment] = true;
  if (waker.at == At::kEndOfMoment) end_needed_[waker.moment] = true;
  if (waker.at == At::kTime) inserted_.push_back({waker.thread, waker.time_ns, waker_index});
}

void ReplayBuilder::MarkNeeded() {
  for (const Wait& wait : waits_.waits.rows) {
    if (wait.moment != kNone) is_kept_[wait.moment] = true;
  }
  // All of Waits::wakers, also those of waits that were left out: few.
  for (std::uint32_t i = 0; i < waits_.wakers.size(); ++i) Need(i, waits_.wakers[i]);
  for (const Waker& creator : waits_.creators) {
    if (creator.thread != kNone) Need(kNone, creator);
  }
  std::sort(inserted_.begin(), inserted_.end(), [](const Inserted& a, const Inserted& b) {
    return std::tie(a.thread, a.time_ns, a.waker) < std::tie(b.thread, b.time_ns, b.waker);
  });
}

/// Points of a thread by time, and what is left of waits inside of others.
void ReplayBuilder::PointsOf(std::uint32_t thread, std::vector<Event>& points) {
  for (std::size_t i = log_.moments.begins[thread]; i < log_.moments.begins[thread + 1]; ++i) {
    const Moment& moment = log_.moments.rows[i];
    const auto index = static_cast<std::uint32_t>(i);
    if (is_kept_[i] || (IsOfLife(moment.kind) && !start_needed_[i])) continue;
    const bool is_point = IsPoint(moment.kind);
    if (is_point || start_needed_[i]) {
      points.push_back(
          {moment.start_ns, Kind::kPoint, start_needed_[i], moment.kind, moment.object, index});
    }
    if (!is_point && end_needed_[i]) {
      points.push_back({moment.end_ns, Kind::kPoint, true, moment.kind, moment.object, index});
    }
  }
  const Thread& life = log_.threads[thread];
  for (; next_inserted_ < inserted_.size() && inserted_[next_inserted_].thread == thread;
       ++next_inserted_) {
    const Inserted& row = inserted_[next_inserted_];
    points.push_back({std::clamp(row.time_ns, life.start_ns, life.end_ns), Kind::kInserted, true,
                      MomentKind::kUnseenWait, 0, row.waker});
  }
  std::stable_sort(points.begin(), points.end(),
                   [](const Event& a, const Event& b) { return a.time_ns < b.time_ns; });
}

/// Fills events_. At one time, ends of waits come before points, and these before begins of waits:
/// a thread that was woken may wake others at the same time.
void ReplayBuilder::EventsOf(std::uint32_t thread) {
  events_.clear();
  std::vector<Event> points;
  PointsOf(thread, points);
  const Thread& life = log_.threads[thread];
  events_.push_back({life.start_ns, Kind::kStart, true});
  std::size_t next = 0;
  const auto add_points = [&](std::int64_t until, bool with_until, bool in_wait) {
    for (; next < points.size() &&
           (points[next].time_ns < until || (with_until && points[next].time_ns == until));
         ++next) {
      // Inside of a wait a point is no end of work, unless somebody waits for it.
      if (!in_wait || points[next].is_needed) events_.push_back(points[next]);
    }
  };
  for (std::size_t i = waits_.waits.begins[thread]; i < waits_.waits.begins[thread + 1]; ++i) {
    const Wait& wait = waits_.waits.rows[i];
    const auto index = static_cast<std::uint32_t>(i);
    const bool is_hooked = wait.moment != kNone;
    add_points(wait.start_ns, true, false);
    events_.push_back({wait.start_ns, Kind::kBeginOfWait, is_hooked && start_needed_[wait.moment],
                       wait.kind, wait.object, index});
    add_points(wait.end_ns, false, true);
    const bool is_needed =
        wait.wakers > 0 || wait.end_ns > wait.start_ns || (is_hooked && end_needed_[wait.moment]);
    events_.push_back({wait.end_ns, Kind::kEndOfWait, is_needed, wait.kind, wait.object, index});
  }
  add_points(life.end_ns, true, false);
  events_.push_back({life.end_ns, Kind::kEnd, true});
}

/// FreeNs of the times between two events in which the thread ran.
double ReplayBuilder::FreeWhileOn(std::span<const OnProcessor> on, const Event& from,
                                  const Event& to) const {
  double free = 0;
  for (std::size_t i = next_on_; i < on.size() && on[i].begin_ns < to.time_ns; ++i) {
    free += FreeNs(std::max(on[i].begin_ns, from.time_ns), std::min(on[i].end_ns, to.time_ns));
  }
  return free;
}

void ReplayBuilder::NodesOf(std::uint32_t thread) {
  const auto on = log_.on.Of(thread);
  next_on_ = 0;
  next_sample_ = log_.samples.begins[thread];
  double work = 0;
  double elapsed = 0;
  double stolen = 0;
  for (std::size_t i = 0; i < events_.size(); ++i) {
    const Event& event = events_[i];
    if (i > 0 && event.kind != Kind::kEndOfWait) {
      const Event& from = events_[i - 1];
      const std::int64_t time = event.time_ns - from.time_ns;
      const std::int64_t ran = OnProcessorNs(on, from.time_ns, event.time_ns, next_on_);
      AddPiece(thread, from, event, ran);
      work += static_cast<double>(ran);
      elapsed += static_cast<double>(time);
      if (ran < time) {
        // While the thread itself ran, it left nothing free or others did: that part is no delay.
        const double free = FreeNs(from.time_ns, event.time_ns) - FreeWhileOn(on, from, event);
        stolen += std::max(0.0, free);
      }
    }
    if (!event.is_needed) continue;
    AddNode(thread, event);
    replay_.nodes_.back().work = work;
    replay_.nodes_.back().elapsed = elapsed;
    replay_.nodes_.back().stolen = stolen;
    work = elapsed = stolen = 0;
  }
}

std::uint32_t ReplayBuilder::ClassOf(std::uint64_t key) {
  const std::uint32_t found = classes_.FindOrAdd(
      key, class_keys_.size(), [&](std::uint32_t index) { return class_keys_[index] == key; });
  if (found == class_keys_.size()) {
    class_keys_.push_back(key);
    replay_.class_samples_.push_back(0);
  }
  return found;
}

/// The work between two events, for the node that comes next.
void ReplayBuilder::AddPiece(std::uint32_t thread, const Event& from, const Event& to,
                             std::int64_t work) {
  Replay::Piece piece;
  piece.node = static_cast<std::uint32_t>(replay_.nodes_.size());
  piece.work = static_cast<double>(work);
  const auto& samples = log_.samples.rows;
  const std::size_t end = log_.samples.begins[thread + 1];
  while (next_sample_ < end && samples[next_sample_].time_ns < from.time_ns) ++next_sample_;
  const bool is_last = to.kind == Kind::kEnd;
  for (; next_sample_ < end && (samples[next_sample_].time_ns < to.time_ns ||
                                (is_last && samples[next_sample_].time_ns == to.time_ns));
       ++next_sample_) {
    replay_.piece_of_sample_[next_sample_] = static_cast<std::uint32_t>(replay_.pieces_.size());
    ++piece.samples;
  }
  if (work == 0 && piece.samples == 0) return;
  std::uint64_t kinds = 0x5bd1e9955bd1e995;
  std::uint64_t objects = kinds;
  for (const Event* event : {&from, &to}) {
    const std::uint64_t kind =
        static_cast<std::uint64_t>(event->kind) << 32 | static_cast<std::uint64_t>(event->of);
    kinds = Mix(kinds, kind);
    objects = Mix(objects, DiffersByObject(event->of) ? Mix(kind, event->object) : kind);
  }
  piece.kind_class = ClassOf(Mix(kinds, 3));
  piece.all_class = ClassOf(Mix(objects, 4));
  piece.own_class = ClassOf(Mix(Mix(objects, 5), thread));
  for (const std::uint32_t of : {piece.kind_class, piece.all_class, piece.own_class}) {
    replay_.class_samples_[of] += piece.samples;
  }
  replay_.pieces_.push_back(piece);
}

void ReplayBuilder::AddNode(std::uint32_t thread, const Event& event) {
  const auto index = static_cast<std::uint32_t>(replay_.nodes_.size());
  Replay::Node node;
  node.thread = thread;
  const auto set = [&](std::vector<std::uint32_t>& nodes, std::uint32_t moment) {
    if (moment != kNone) nodes[moment] = index;
  };
  switch (event.kind) {
    case Kind::kStart: {
      const Waker& creator = waits_.creators[thread];
      const std::int64_t begin =
          log_.root == kNone ? event.time_ns : log_.threads[log_.root].start_ns;
      if (creator.thread == kNone) {
        node.fixed = static_cast<double>(std::max<std::int64_t>(0, event.time_ns - begin));
      } else {
        node.delay =
            static_cast<double>(std::max<std::int64_t>(0, event.time_ns - creator.time_ns));
        node.own_delay = FreeNs(creator.time_ns, event.time_ns);
      }
      break;
    }
    case Kind::kBeginOfWait:
      set(node_of_start_, waits_.waits.rows[event.index].moment);
      break;
    case Kind::kEndOfWait: {
      const Wait& wait = waits_.waits.rows[event.index];
      node.wait = event.index;
      set(node_of_end_, wait.moment);
      const Waker* waker = waits_.LatestWaker(thread, wait);
      if (wait.known == Known::kNot || wait.known == Known::kOutside) {
        node.fixed = static_cast<double>(wait.end_ns - wait.start_ns);
      } else if (waker != nullptr && waker->time_ns > wait.start_ns) {
        node.delay = static_cast<double>(std::max<std::int64_t>(0, wait.end_ns - waker->time_ns));
        node.own_delay = FreeNs(waker->time_ns, wait.end_ns);
      }
      break;
    }
    case Kind::kPoint: {
      const Moment& moment = log_.moments.rows[event.index];
      set(event.time_ns == moment.start_ns && start_needed_[event.index] ? node_of_start_
                                                                         : node_of_end_,
          event.index);
      break;
    }
    case Kind::kInserted:
      node_of_waker_[event.index] = index;
      break;
    case Kind::kEnd:
      break;
  }
  replay_.nodes_.push_back(node);
  times_.push_back(event.time_ns);
}

std::uint32_t ReplayBuilder::NodeOf(std::uint32_t waker_index, const Waker& waker) const {
  switch (waker.at) {
    case At::kStartOfMoment:
      return node_of_start_[waker.moment];
    case At::kEndOfMoment:
      return node_of_end_[waker.moment];
    case At::kEndOfThread:
      return static_cast<std::uint32_t>(replay_.first_of_[waker.thread + 1] - 1);
    case At::kTime:
      return node_of_waker_[waker_index];
  }
  return kNone;
}

/// The node at which all threads of the wait's round have come. Without it each of n threads would
/// need n nodes.
std::uint32_t ReplayBuilder::RoundOf(const Wait& wait) {
  std::uint32_t& round = round_of_waker_[wait.first_waker];
  if (round != kNone) return round;
  round = static_cast<std::uint32_t>(replay_.nodes_.size());
  Replay::Node node;
  node.first_need = static_cast<std::uint32_t>(replay_.needs_.size());
  for (std::uint32_t i = 0; i < wait.wakers; ++i) {
    const std::uint32_t index = wait.first_waker + i;
    const std::uint32_t need = NodeOf(index, waits_.wakers[index]);
    if (need != kNone) replay_.needs_.push_back(need);
  }
  node.needs = static_cast<std::uint32_t>(replay_.needs_.size()) - node.first_need;
  replay_.nodes_.push_back(node);
  times_.push_back(waits_.wakers[wait.first_waker + wait.wakers - 1].time_ns);
  return round;
}

void ReplayBuilder::AddNeeds() {
  const std::size_t nodes = replay_.first_of_.back();
  for (std::size_t i = 0; i < nodes; ++i) {
    const std::uint32_t thread = replay_.nodes_[i].thread;
    std::vector<std::uint32_t> needs;
    if (i == replay_.first_of_[thread]) {
      const Waker& creator = waits_.creators[thread];
      if (creator.thread != kNone) needs.push_back(NodeOf(kNone, creator));
    } else if (replay_.nodes_[i].wait != kNone) {
      const Wait& wait = waits_.waits.rows[replay_.nodes_[i].wait];
      if (wait.kind == MomentKind::kBarrierWait && wait.wakers > 1) {
        needs.push_back(RoundOf(wait));
      } else {
        for (std::uint32_t k = 0; k < wait.wakers; ++k) {
          const std::uint32_t index = wait.first_waker + k;
          if (waits_.wakers[index].thread == thread) continue;
          needs.push_back(NodeOf(index, waits_.wakers[index]));
        }
      }
    }
    std::erase(needs, kNone);
    replay_.nodes_[i].first_need = static_cast<std::uint32_t>(replay_.needs_.size());
    replay_.nodes_[i].needs = static_cast<std::uint32_t>(needs.size());
    replay_.needs_.insert(replay_.needs_.end(), needs.begin(), needs.end());
  }
}

/// Fills order_. Clocks that go back may make circles: a node of a circle is then taken by its
/// time, and what it needed is dropped.
void ReplayBuilder::Sort() {
  AddDependents();
  auto& nodes = replay_.nodes_;
  const auto is_first = [&](std::uint32_t node) {
    return nodes[node].thread == kNone || node == replay_.first_of_[nodes[node].thread];
  };
  std::vector<std::uint32_t> missing(nodes.size());
  std::vector<std::uint32_t> ready;
  for (std::uint32_t i = 0; i < nodes.size(); ++i) {
    missing[i] = nodes[i].needs + (is_first(i) ? 0 : 1);
    if (missing[i] == 0) ready.push_back(i);
  }
  while (replay_.order_.size() < nodes.size()) {
    if (ready.empty()) DropCircles(missing, ready);
    const std::uint32_t node = ready.back();
    ready.pop_back();
    replay_.order_.push_back(node);
    const auto meet = [&](std::uint32_t next) {
      if (missing[next] > 0 && --missing[next] == 0) ready.push_back(next);
    };
    for (const std::uint32_t next : replay_.DependentsOf(node)) meet(next);
    const std::uint32_t thread = nodes[node].thread;
    if (thread != kNone && node + 1 < replay_.first_of_[thread + 1]) meet(node + 1);
  }
}

void ReplayBuilder::DropCircles(std::vector<std::uint32_t>& missing,
                                std::vector<std::uint32_t>& ready) {
  if (by_time_.empty()) {
    by_time_.resize(replay_.nodes_.size());
    std::iota(by_time_.begin(), by_time_.end(), 0u);
    std::sort(by_time_.begin(), by_time_.end(), [&](std::uint32_t a, std::uint32_t b) {
      return std::tie(times_[a], a) < std::tie(times_[b], b);
    });
  }
  // All nodes before the first that is missing something are done, also the thread's own.
  while (missing[by_time_[next_order_]] == 0) ++next_order_;
  const std::uint32_t node = by_time_[next_order_];
  Replay::Node& row = replay_.nodes_[node];
  bool has_need = false;
  for (std::uint32_t k = 0; k < row.needs; ++k) {
    std::uint32_t& need = replay_.needs_[row.first_need + k];
    if (need != kNone && missing[need] > 0) need = kNone;
    if (need != kNone) has_need = true;
  }
  if (!has_need && row.wait != kNone) {
    const Wait& wait = waits_.waits.rows[row.wait];
    row.fixed = static_cast<double>(wait.end_ns - wait.start_ns);
  }
  missing[node] = 0;
  ready.push_back(node);
}

void ReplayBuilder::AddDependents() {
  auto& first = replay_.first_dependent_;
  first.assign(replay_.nodes_.size() + 1, 0);
  for (const std::uint32_t need : replay_.needs_) {
    if (need != kNone) ++first[need + 1];
  }
  std::partial_sum(first.begin(), first.end(), first.begin());
  replay_.dependents_.assign(first.back(), 0);
  std::vector<std::uint32_t> next(first.begin(), first.end() - 1);
  for (std::uint32_t i = 0; i < replay_.nodes_.size(); ++i) {
    const Replay::Node& node = replay_.nodes_[i];
    for (std::uint32_t k = 0; k < node.needs; ++k) {
      const std::uint32_t need = replay_.needs_[node.first_need + k];
      if (need != kNone) replay_.dependents_[next[need]++] = i;
    }
  }
}

}  // namespace csink::critical
