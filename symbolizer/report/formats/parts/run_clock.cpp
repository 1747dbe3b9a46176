#include "symbolizer/report/formats/parts/run_clock.h"

#include <algorithm>

#include "profil/reading/model/saturating.h"

namespace csink::report {
namespace {

/// Keeps a double that came from ns convertible.
std::uint64_t WholeNs(double ns) {
  return ns <= 0 ? 0 : static_cast<std::uint64_t>(std::min(ns, 9e18));
}

}  // namespace

RunClock::RunClock(const Profile& profile) : profile_(profile) {
  for (const ProcessRow& row : profile.processes) {
    const auto [it, is_new] =
        hosts_.try_emplace(row.host, Host{row.BeginMonotonicNs(), row.start_realtime_ns});
    if (!is_new && row.BeginMonotonicNs() < it->second.monotonic_ns) {
      it->second = {row.BeginMonotonicNs(), row.start_realtime_ns};
    }
  }
  for (const auto& [name, host] : hosts_) {
    if (start_realtime_ns_ == 0 || host.realtime_ns < start_realtime_ns_) {
      start_realtime_ns_ = host.realtime_ns;
    }
  }
  row_of_thread_.resize(profile.threads.size());
  for (std::uint32_t i = 0; i < profile.thread_times.size(); ++i) {
    row_of_thread_[profile.thread_times[i].thread] = i + 1;
  }
}

const ThreadTime* RunClock::TimeOf(std::uint32_t thread) const {
  const std::uint32_t row = thread < row_of_thread_.size() ? row_of_thread_[thread] : 0;
  return row == 0 ? nullptr : &profile_.thread_times[row - 1];
}

std::uint64_t RunClock::Since(std::size_t process, std::uint64_t monotonic_ns) const {
  const Host& host = hosts_.at(profile_.processes[process].host);
  const std::uint64_t later = SaturatingSubtract(host.realtime_ns, start_realtime_ns_);
  const std::uint64_t ns = SaturatingSubtract(monotonic_ns, host.monotonic_ns);
  // A damaged spool may have any times.
  constexpr std::uint64_t kMost = std::uint64_t{1} << 61;
  return std::min(ns, kMost) + std::min(later, kMost);
}

std::uint64_t RunClock::BeginOf(std::size_t process) const {
  return Since(process, profile_.processes[process].BeginMonotonicNs());
}

std::uint64_t RunClock::EndOf(std::size_t process) const {
  return std::max(BeginOf(process),
                  Since(process, profile_.processes[process].update_monotonic_ns));
}

Activity::Activity(const Profile& profile, const RunClock& clock, std::size_t process,
                   std::uint32_t thread, bool even) {
  if (process >= profile.processes.size()) return;
  begin_ns_ = clock.BeginOf(process);
  end_ns_ = clock.EndOf(process);
  const ThreadTime* row = clock.TimeOf(thread);
  if (row == nullptr) return;
  begin_ns_ = clock.Since(row->process, row->start_ns);
  end_ns_ = std::max(begin_ns_, clock.Since(row->process, row->end_ns));
  if (even) return;
  for (std::size_t i = 0; i < row->slices.size(); ++i) {
    const std::uint64_t from = std::max(row->start_ns, row->origin_ns + i * row->width_ns);
    const std::uint64_t to = std::min(row->end_ns, row->origin_ns + (i + 1) * row->width_ns);
    if (from >= to || row->slices[i].run_us == 0) continue;
    parts_.push_back({clock.Since(row->process, from), clock.Since(row->process, to),
                      static_cast<double>(row->slices[i].run_us), 0});
  }
  AddUp();
}

void Activity::AddUp() {
  cpu_ = 0;
  for (Part& part : parts_) {
    part.cpu_before = cpu_;
    cpu_ += part.cpu;
  }
}

void Activity::BeginAt(std::uint64_t ns) {
  if (ns <= begin_ns_ || ns >= end_ns_) return;
  begin_ns_ = ns;
  std::vector<Part> later;
  for (Part part : parts_) {
    if (part.end_ns <= ns) continue;
    if (part.begin_ns < ns) {
      part.cpu *=
          static_cast<double>(part.end_ns - ns) / static_cast<double>(part.end_ns - part.begin_ns);
      part.begin_ns = ns;
    }
    later.push_back(part);
  }
  parts_ = std::move(later);
  AddUp();
}

void Activity::LastAtLeast(std::uint64_t ns) { end_ns_ = std::max(end_ns_, begin_ns_ + ns); }

std::uint64_t Activity::At(double part) const {
  if (cpu_ <= 0) return begin_ns_ + WholeNs(part * static_cast<double>(end_ns_ - begin_ns_));
  const double wanted = part * cpu_;
  // The last part that begins before; the first one begins with 0.
  auto it = std::upper_bound(parts_.begin(), parts_.end(), wanted,
                             [](double cpu, const Part& p) { return cpu < p.cpu_before; });
  if (it != parts_.begin()) --it;
  const double inside = std::clamp((wanted - it->cpu_before) / it->cpu, 0.0, 1.0);
  return it->begin_ns + WholeNs(inside * static_cast<double>(it->end_ns - it->begin_ns));
}

}  // namespace csink::report
