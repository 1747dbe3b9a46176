#include "symbolizer/report/formats/parts/sample_owner.h"

#include <algorithm>
#include <utility>

namespace csink::report {
namespace {

/// The owner of all places of a report without threads.
SampleOwner Whole(const Report& report) {
  SampleOwner owner;
  owner.pid = owner.tid = report.pid;
  if (!report.profile.processes.empty()) owner.program = report.profile.processes[0].program;
  owner.name = owner.program;
  return owner;
}

}  // namespace

SampleOwner OwnerOf(const Report& report, std::uint32_t index) {
  if (index == kNoThread) return Whole(report);
  const Profile& profile = report.profile;
  const ThreadRow& thread = profile.threads[index];
  const ProcessRow& process = profile.processes[thread.process];
  SampleOwner owner;
  owner.thread = index;
  owner.process = thread.process;
  owner.pid = process.pid;
  // A sum of threads that has no number shares the row of the main thread.
  const bool named = thread.HasOwnTid();
  owner.tid = named ? thread.tid : process.pid;
  owner.program = process.program;
  owner.name = thread.name.empty() || !named ? process.program : thread.name;
  return owner;
}

std::vector<SampleOwner> SampleOwners(const Report& report) {
  const Profile& profile = report.profile;
  // By thread; the last one has the places without a thread.
  std::vector<std::vector<std::uint32_t>> places(profile.threads.size() + 1);
  for (std::uint32_t i = 0; i < profile.places.size(); ++i) {
    const std::uint32_t thread = profile.places[i].thread;
    places[thread == kNoThread ? profile.threads.size() : thread].push_back(i);
  }
  std::vector<SampleOwner> owners;
  for (std::uint32_t thread = 0; thread < places.size(); ++thread) {
    if (places[thread].empty()) continue;
    owners.push_back(OwnerOf(report, thread == profile.threads.size() ? kNoThread : thread));
    owners.back().places = std::move(places[thread]);
  }
  std::stable_sort(owners.begin(), owners.end(), [](const SampleOwner& a, const SampleOwner& b) {
    return a.process < b.process;
  });
  return owners;
}

}  // namespace csink::report
