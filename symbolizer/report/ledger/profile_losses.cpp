#include "symbolizer/report/ledger/profile_losses.h"

#include <algorithm>
#include <array>
#include <limits>

#include "profil/reading/model/saturating.h"
#include "symbolizer/report/ledger/ledger.h"
#include "symbolizer/report/wording/modifiers.h"
#include "symbolizer/report/wording/numbers.h"

namespace csink::report {
namespace {

/// Whether the events of an image include kernel mode: a CPU timer cannot exclude it.
bool SamplesSystem(const Profile& profile, const ProcessRow& image) {
  if (image.source == spool::Source::kTimer) return true;
  const EventTotals* clock = ClockOf(profile);
  const EventTotals* event = clock ? clock : profile.events.empty() ? nullptr : &profile.events[0];
  return event && PrivilegeModifiers(event->name).find('k') != std::string::npos;
}

/// Upper bound for the time, in nanoseconds, that a context switch adds to user mode in the
/// kernel's accounts, because the event's timer is stopped and started: 7 us were measured in a
/// virtual machine. docs/long-run.md has the costs of switches.
constexpr std::uint64_t kMostOfASwitchNs = 20'000;
/// With fewer switches in a second of CPU time, the effect is not mentioned.
constexpr std::uint64_t kManySwitches = 5'000;

/// The part of `rest`, in nanoseconds, that context switches may have used. 0 if they do not
/// explain it. Only for samples from perf events (rings).
std::uint64_t SwitchingNs(const ProcessRow& process, std::uint64_t rest) {
  if (process.source != spool::Source::kRing) return 0;
  const auto switches = static_cast<double>(process.switches);
  std::uint64_t ns = SaturatingSubtract(process.user_ns, process.start_user_ns);
  AddTo(ns, SaturatingSubtract(process.system_ns, process.start_system_ns));
  if (switches < kManySwitches * Seconds(SaturatingSubtract(ns, process.paused_ns))) return 0;
  return static_cast<double>(rest) <= switches * kMostOfASwitchNs ? rest : 0;
}

/// Samples of the clock event of an image.
EventCount ClockOfImage(const Profile& profile, const ProcessRow& image) {
  for (std::size_t i = 0; i < profile.events.size() && i < image.counts.size(); ++i) {
    if (profile.events[i].kind == EventClass::kClock) return image.counts[i];
  }
  return {};
}

/// The CPU time for which chance may give fewer than kFewSamplesOfAProcess samples: samples of a
/// clock come at equal distances, so twice as many periods are far beyond it. With more, the
/// samples are missing for a reason that is not known here.
std::uint64_t MostOfFewSamplesNs(const Profile& profile) {
  const EventTotals* clock = ClockOf(profile);
  if (!clock || clock->period == 0) return std::numeric_limits<std::uint64_t>::max();
  return SaturatingMultiply(2 * kFewSamplesOfAProcess, clock->period);
}

void Add(ProfileLoss& loss, std::uint64_t ns, std::uint64_t count = 0) {
  if (ns == 0) return;
  AddTo(loss.ns, ns);
  AddTo(loss.count, count);
  ++loss.processes;
}

}  // namespace

std::uint64_t JudgedNs(const Profile& profile, const ProcessRow& image) {
  std::uint64_t judged = SaturatingSubtract(image.user_ns, image.start_user_ns);
  if (SamplesSystem(profile, image)) {
    AddTo(judged, SaturatingSubtract(image.system_ns, image.start_system_ns));
  }
  return SaturatingSubtract(judged, image.paused_ns);
}

ProfiledTime DivideProfiled(const Profile& profile, const ProcessTimes& times) {
  ProfiledTime sum;
  for (const ProcessTime& process : times.profiled) {
    std::uint64_t end_ns = 0;  // End of the image before
    for (const ProcessRow* image : process.images) {
      const std::uint64_t start_ns = SaturatingAdd(image->start_user_ns, image->start_system_ns);
      // A value below that of the image before: the pid belongs to another process now.
      const std::uint64_t before_ns = start_ns < end_ns ? start_ns : start_ns - end_ns;
      const std::uint64_t own_ns = std::min(before_ns, image->evidence.start_agent_ns);
      AddTo(sum.before_agent_ns, before_ns - own_ns);
      AddTo(sum.profiler_start_ns, own_ns);
      AddTo(sum.profiler_ns, own_ns);
      end_ns = SaturatingAdd(image->user_ns, image->system_ns);
      AddTo(sum.judged_ns, JudgedNs(profile, *image));
      AddTo(sum.paused_ns, image->paused_ns);
      AddTo(sum.profiler_ns, image->agent_ns);
      for (const EventCount& count : image->counts) {
        AddTo(sum.interrupt_ns, SaturatingMultiply(count.samples, image->evidence.interrupt_ns));
      }
      if (!SamplesSystem(profile, *image)) {
        AddTo(sum.system_ns, SaturatingSubtract(image->system_ns, image->start_system_ns));
      }
    }
  }
  return sum;
}

std::vector<ProfileLoss> LossesOf(const Profile& profile) {
  ProfileLoss no_ring = {.cause = Cause::kNoRing};
  ProfileLoss full = {.cause = Cause::kFullRing};
  ProfileLoss short_threads = {.cause = Cause::kShortThreads};
  ProfileLoss off = {.cause = Cause::kSwitchedOff};
  ProfileLoss late = {.cause = Cause::kLateThreads};
  ProfileLoss switching = {.cause = Cause::kSwitches};
  ProfileLoss few = {.cause = Cause::kFewSamples};
  ProfileLoss profiler = {.cause = Cause::kProfiler};
  for (const ProcessRow& image : profile.processes) {
    const auto lost = [&](spool::Loss cause) {
      return image.lost_ns[static_cast<std::size_t>(cause)];
    };
    Add(no_ring, lost(spool::Loss::kNoRing));
    Add(full, lost(spool::Loss::kBlockedDrain));
    Add(short_threads, lost(spool::Loss::kShortThread));
    // The agent's unexplained rest holds these. Each gets at most what those before it left,
    // because the clock may count user time only.
    std::uint64_t rest = lost(spool::Loss::kUnexplained);
    const auto part = [&rest](std::uint64_t ns) {
      const std::uint64_t taken = std::min(rest, ns);
      rest -= taken;
      return taken;
    };
    Add(off, part(image.switched_off_ns));
    Add(profiler, part(image.evidence.agent_thread_ns));
    Add(late, part(image.evidence.late_thread_ns), image.evidence.late_threads);
    Add(switching, part(SwitchingNs(image, rest)), image.switches);
    const EventCount samples = ClockOfImage(profile, image);
    const std::uint64_t judged_ns = JudgedNs(profile, image);
    if (image.processes == 1 && samples.samples < kFewSamplesOfAProcess &&
        judged_ns <= MostOfFewSamplesNs(profile)) {
      Add(few, SaturatingSubtract(judged_ns, samples.weight), samples.samples);
    }
  }
  return {no_ring, full, short_threads, off, profiler, late, switching, few};
}

}  // namespace csink::report
