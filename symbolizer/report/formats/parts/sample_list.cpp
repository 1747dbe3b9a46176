#include "symbolizer/report/formats/parts/sample_list.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>

#include "profil/reading/model/saturating.h"
#include "symbolizer/report/wording/numbers.h"

namespace csink::report {
namespace {

/// The recorded times of samples, by what a place knows of them.
class RecordedTimes {
 public:
  explicit RecordedTimes(const TimedProfile& timed) : samples_(timed.samples) {
    order_.resize(samples_.size());
    for (std::uint32_t i = 0; i < order_.size(); ++i) order_[i] = i;
    // Samples are sorted by time, and stay so within a key.
    std::stable_sort(order_.begin(), order_.end(), [&](std::uint32_t a, std::uint32_t b) {
      return KeyOf(samples_[a]) < KeyOf(samples_[b]);
    });
  }

  /// The next at most `most` times of samples of the thread in the place, CLOCK_MONOTONIC.
  void Take(const ThreadRow& thread, const Place& place, std::size_t event, std::uint64_t most,
            std::vector<std::uint64_t>& times) {
    times.clear();
    if (samples_.empty()) return;
    const Key key{static_cast<std::uint32_t>(thread.process),
                  thread.tid,
                  static_cast<std::uint32_t>(event),
                  place.address.module,
                  place.address.offset,
                  place.caller};
    const auto first = std::lower_bound(
        order_.begin(), order_.end(), key,
        [&](std::uint32_t i, const Key& wanted) { return KeyOf(samples_[i]) < wanted; });
    // Places that differ by mark alone share the samples.
    std::size_t& taken = taken_[static_cast<std::size_t>(first - order_.begin())];
    for (auto it = first + static_cast<std::ptrdiff_t>(taken);
         it != order_.end() && times.size() < most && KeyOf(samples_[*it]) == key; ++it) {
      times.push_back(samples_[*it].time_ns);
    }
    taken += times.size();
  }

 private:
  using Key = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t, std::uint64_t,
                         std::uint32_t>;
  static Key KeyOf(const TimedSample& s) {
    return {s.process, s.thread, s.event, s.address.module, s.address.offset, s.caller};
  }

  const std::vector<TimedSample>& samples_;
  std::vector<std::uint32_t> order_;
  std::unordered_map<std::size_t, std::size_t> taken_;  ///< By first element in order_
};

/// a * b / c without overflow.
std::uint64_t Scaled(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  return static_cast<std::uint64_t>(static_cast<unsigned __int128>(a) * b / c);
}

}  // namespace

std::string SampleList::Describe() const {
  std::string text = "A record for each sample";
  if (samples > records.size()) {
    text = Grouped(records.size()) + " records stand for " + Grouped(samples) +
           " samples: shares of records are about those of samples";
  }
  if (timed == records.size() && timed != 0) return text + "; times are recorded";
  if (timed != 0) {
    return text + "; the times of " + Grouped(timed) +
           " are recorded, the others are spread over the life of their thread";
  }
  return text +
         "; times were not recorded (csink run --critical): samples are spread over the life of "
         "their thread, in the order of marks and stacks";
}

SampleList ListSamples(const Report& report, const RunClock& clock,
                       const std::vector<SampleOwner>& owners,
                       const std::vector<std::size_t>& events,
                       const std::vector<std::uint32_t>& rank_of_place, Spread spread,
                       std::size_t most) {
  const Profile& profile = report.profile;
  SampleList list;
  for (const std::size_t event : events) {
    for (const Place& place : profile.places) AddTo(list.samples, place.counts[event].samples);
  }
  // Damaged counts may have a weight without a sample.
  const auto records_of = [&](const EventCount& count) -> std::uint64_t {
    if (count.weight == 0 && count.samples == 0) return 0;
    const std::uint64_t samples = std::max<std::uint64_t>(1, count.samples);
    if (list.samples <= most) return samples;
    return std::max<std::uint64_t>(1, Scaled(samples, most, list.samples));
  };
  RecordedTimes recorded(profile.timed);
  const auto order_of = [&](std::uint32_t place) {
    const std::uint32_t phase = profile.places[place].phase;
    const std::uint64_t mark =
        phase < profile.phases.size() ? profile.phases[phase].first_monotonic_ns : 0;
    return std::tuple(mark, phase, rank_of_place.empty() ? place : rank_of_place[place], place);
  };

  std::vector<std::uint64_t> times;
  for (std::uint32_t o = 0; o < owners.size(); ++o) {
    const SampleOwner& owner = owners[o];
    std::vector<std::uint32_t> places = owner.places;
    std::sort(places.begin(), places.end(),
              [&](std::uint32_t a, std::uint32_t b) { return order_of(a) < order_of(b); });
    const bool has_tid = owner.thread != kNoThread && profile.threads[owner.thread].HasOwnTid();
    for (const std::size_t event : events) {
      std::vector<std::size_t> untimed;
      std::uint64_t weight_untimed = 0;
      const std::uint64_t timed_before = list.timed;
      for (const std::uint32_t place : places) {
        const EventCount& count = profile.places[place].counts[event];
        const std::uint64_t records = records_of(count);
        if (records == 0) continue;
        times.clear();
        if (has_tid) {
          recorded.Take(profile.threads[owner.thread], profile.places[place], event, count.samples,
                        times);
        }
        // Of several samples a record, the middle one gives the time.
        const std::uint64_t with_time = std::min<std::uint64_t>(
            records, Scaled(times.size(), records, std::max<std::uint64_t>(1, count.samples)));
        for (std::uint64_t i = 0; i < records; ++i) {
          ListedSample sample;
          sample.weight = Scaled(count.weight, i + 1, records) - Scaled(count.weight, i, records);
          sample.place = place;
          sample.owner = o;
          sample.event = static_cast<std::uint32_t>(event);
          if (i < with_time) {
            sample.time_ns =
                clock.Since(owner.process, times[Scaled(times.size(), 2 * i + 1, 2 * with_time)]);
            ++list.timed;
          } else {
            untimed.push_back(list.records.size());
            AddTo(weight_untimed, sample.weight);
          }
          list.records.push_back(sample);
        }
      }
      if (untimed.empty()) continue;
      Activity activity(profile, clock, owner.process, owner.thread, spread == Spread::kEven);
      // The log ends where its limit was reached; what has no time came later.
      if (list.timed != timed_before && profile.timed.counts.full_monotonic_ns != 0) {
        activity.BeginAt(clock.Since(owner.process, profile.timed.counts.full_monotonic_ns));
      }
      // A thread without a life, as of a damaged spool, would put all samples on one time.
      const bool is_clock = profile.events[event].kind == EventClass::kClock;
      if (activity.end_ns() <= activity.begin_ns()) {
        activity.LastAtLeast(is_clock ? std::min(weight_untimed, std::uint64_t{1} << 60)
                                      : untimed.size() * std::uint64_t{1'000'000});
      }
      double before = 0;
      for (const std::size_t i : untimed) {
        const double own = static_cast<double>(list.records[i].weight);
        const double all = std::max(1.0, static_cast<double>(weight_untimed));
        list.records[i].time_ns = activity.At(std::min(1.0, (before + own / 2) / all));
        before += own;
      }
    }
  }
  std::stable_sort(
      list.records.begin(), list.records.end(),
      [](const ListedSample& a, const ListedSample& b) { return a.time_ns < b.time_ns; });
  return list;
}

}  // namespace csink::report
