#include "agent/start/doctor_events.h"

#include "agent/start/doctor_print.h"

/// File: tries every event name and prints those that can be sampled. The listing gives an event
/// and then its unit masks. An event that libpfm4 refuses without a mask is held back until one of
/// its masks works, so that no event is printed of which nothing can be sampled.

namespace csink::agent {
namespace {

// "  pmu::name        what it is", or indented further for a unit mask.
Text<1024> LineOf(const EventName& name) noexcept {
  Text<1024> line;
  line.Add(name.is_unit_mask ? "    " : "  ");
  if (!name.pmu.empty()) line.Add(name.pmu).Add("::");
  line.Add(name.name);
  if (!name.what.empty()) {
    line.Add(' ');
    // Descriptions begin in one column, as far as the names leave room.
    while (line.size() < 42) line.Add(' ');
    line.Add(name.what);
  }
  line.Add('\n');
  return line;
}

}  // namespace

void SampledNames::LeaveOut(std::string_view why) noexcept {
  ++left_out_;
  for (Reason& reason : reasons_) {
    // The last entry collects all reasons that found no entry.
    const bool last = &reason == reasons_ + kMostReasons - 1;
    // An entry without names is free and becomes that of this reason.
    if (reason.names == 0) reason.why.Add(last ? std::string_view("for other reasons") : why);
    if (!last && reason.why.view() != why) continue;
    ++reason.names;
    return;
  }
}

void SampledNames::GiveUpWaiting() noexcept {
  if (waiting_.size() != 0) {
    LeaveOut("needs a unit mask, and no event with one of its unit masks can be sampled");
  }
  waiting_.Clear();
}

void SampledNames::Add(const EventName& name) noexcept {
  ++names_;
  // The next event begins, so the unit masks of the one before have all been tried.
  if (!name.is_unit_mask) GiveUpWaiting();
  const Text<1024> line = LineOf(name);
  Text<256> full;
  if (!name.pmu.empty()) full.Add(name.pmu).Add("::");
  // rNNN stands for any raw code; one code is tried for all.
  full.Add(name.name == "rNNN" ? std::string_view("rc0") : name.name);
  EventComplaint complaint;
  const Result<EventList> list = ParseEventList(full.view(), complaint);
  if (!list) {
    // libpfm4 requires a unit mask. The name is printed when one of its masks can be sampled.
    if (!name.is_unit_mask) {
      waiting_.Add(line.view());
    } else {
      LeaveOut("needs further attributes");
    }
    return;
  }
  const int error = TrySampling(kernel_, list->events[0], machine_.limit);
  if (error != 0) {
    LeaveOut(WhyNotSampled(kernel_, list->events[0], error, machine_).view());
    return;
  }
  // The event whose mask this is comes first, once.
  if (waiting_.size() != 0) print_(waiting_.view());
  waiting_.Clear();
  print_(line.view());
}

void SampledNames::Finish() noexcept {
  GiveUpWaiting();
  if (left_out_ == 0) return;
  Text<256> head;
  head.Add("not listed, because they cannot be sampled on this machine: ").Number(left_out_);
  head.Add(" of ").Number(names_).Add(" names\n");
  print_(head.view());
  for (const Reason& reason : reasons_) {
    if (reason.names == 0) continue;
    Text<300> line;
    Text<24> number;
    number.Number(reason.names);
    for (std::size_t i = number.size(); i < 6; ++i) line.Add(' ');
    line.Add(number.view()).Add("  ").Add(reason.why.view()).Add('\n');
    print_(line.view());
  }
}

}  // namespace csink::agent
