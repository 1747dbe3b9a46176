#include <algorithm>
#include <map>

#include "symbolizer/report/causes/rules.h"
#include "symbolizer/report/wording/numbers.h"
#include "symbolizer/report/wording/shorten.h"

/// File: what the program asked of the kernel, and for what it waited. Kernel time is in no
/// function without --kernel, so that what rests on it is at most likely.

namespace csink::report {
namespace {

constexpr double kWaitLevel = 0.01;
constexpr double kMiB = 1024.0 * 1024.0;

Amounts FactOf(const ChangeEvidence& evidence, double RunFactsSum::*fact) {
  return evidence.Of([fact](const Baseline& run) { return run.details.facts.*fact; });
}

std::string Number(double value) { return Grouped(static_cast<std::uint64_t>(value + 0.5)); }

ChangeCauseKind KindOf(const std::string& name) {
  if (name == "fsync") return ChangeCauseKind::kFsync;
  if (name == "sleep") return ChangeCauseKind::kSleep;
  for (const char* lock : {"mutex", "read-lock", "write-lock"}) {
    if (name == lock) return ChangeCauseKind::kLock;
  }
  return ChangeCauseKind::kWait;
}

/// User time that was sampled in calls of this name and of its relatives (pwrite64, writev).
double AddedIn(const ChangeEvidence& evidence, const std::string& call) {
  double added = 0;
  for (const ChangeEvidence::Function& function : evidence.functions()) {
    const std::string_view name = KernelCallOf(function.name);
    if (name == call || name == call + "v" || name == "p" + call || name == "p" + call + "64") {
      added += std::max(0.0, function.seconds.Added());
    }
  }
  return added;
}

/// More calls for the same bytes, or many small calls that A did not make.
void AddCalls(const ChangeEvidence& evidence, const char* call, double RunFactsSum::*calls,
              double RunFactsSum::*bytes, ChangeCauseKind kind, Causes& causes) {
  const Amounts number = FactOf(evidence, calls);
  const Amounts moved = FactOf(evidence, bytes);
  constexpr double kLeastCalls = 200;
  if (number.now_mean <= 2 * number.was_mean + kLeastCalls) return;
  const double ratio = moved.now_mean / std::max(1.0, moved.was_mean);
  const bool same_bytes = ratio >= 0.7 && ratio <= 1.4;
  // Calls that A does not have may read what A had mapped.
  constexpr double kSmallCall = 512;
  const double bytes_each = moved.now_mean / number.now_mean;
  if (!same_bytes && bytes_each > kSmallCall) return;
  const double share = evidence.ShareOf(evidence.AddedIn("kernel") + AddedIn(evidence, call));
  ChangeCause cause;
  cause.kind = kind;
  cause.grade = GradeOf(share, false);
  if (evidence.is_slower()) cause.share = share;
  cause.fact =
      Number(number.was_mean) + " calls of " + call + " in {A}, " + Number(number.now_mean) +
      " in {B} " +
      (same_bytes ? "for the same " + FixedText(moved.now_mean / 1e6, 1) + " MB: smaller pieces"
                  : "of " + Number(bytes_each) + " bytes each");
  cause.next = "run with --kernel, which samples the kernel's time";
  Add(std::move(cause), causes);
}

void AddFaults(const ChangeEvidence& evidence, Causes& causes) {
  const Amounts faults = FactOf(evidence, &RunFactsSum::minor_faults);
  const Amounts memory = FactOf(evidence, &RunFactsSum::max_resident_bytes);
  constexpr double kLeastFaults = 3000;
  if (faults.now_mean <= 2 * faults.was_mean || faults.now_mean - faults.was_mean <= kLeastFaults) {
    return;
  }
  const double share = evidence.ShareOf(evidence.AddedIn("kernel"));
  // A page of 2 MiB is one fault for 512 pages.
  constexpr double kPage = 4096;
  const double was = faults.was_mean * kPage / std::max(kPage, memory.was_mean);
  const double now = faults.now_mean * kPage / std::max(kPage, memory.now_mean);
  const bool like = memory.now_mean < 1.5 * memory.was_mean && memory.was_mean > 32 * kMiB;
  ChangeCause cause;
  if (evidence.is_slower() && share > 0) cause.share = share;
  if (like && was < 0.5 && now > 0.75) {
    cause.kind = ChangeCauseKind::kHugePages;
    cause.grade = faults.p_value < kWaitLevel ? CauseGrade::kLikely : CauseGrade::kSeen;
    cause.share.reset();  // Fewer misses of the TLB are user time, in every function
    cause.fact =
        "memory of " + FixedText(memory.was_mean / kMiB, 0) + " MiB came in " +
        Number(faults.was_mean) + " page faults in {A}, " + FixedText(memory.now_mean / kMiB, 0) +
        " MiB in " + Number(faults.now_mean) +
        " in {B}: in {A} fewer than pages of 4 KiB need (huge pages, or memory that came at once)";
  } else {
    cause.kind = ChangeCauseKind::kFaults;
    cause.grade = GradeOf(share, false);
    cause.fact =
        Number(faults.was_mean) + " page faults in {A}, " + Number(faults.now_mean) + " in {B}";
    cause.next = "run with --kernel, which samples the kernel's time";
  }
  Add(std::move(cause), causes);
}

void AddThreads(const ChangeEvidence& evidence, Causes& causes) {
  const Amounts threads = evidence.Of([](const Baseline& run) { return run.details.threads; });
  const Amounts preempted = FactOf(evidence, &RunFactsSum::preemptions);
  double processors = 0;
  for (const Baseline& run : evidence.sides().now) {
    processors = std::max(processors, run.details.processors);
  }
  if (processors <= 0 || threads.now_mean <= processors + 1 ||
      threads.now_mean <= 1.5 * threads.was_mean) {
    return;
  }
  double spinning = 0;
  for (const ChangeEvidence::Function& function : evidence.functions()) {
    if (function.now_code != nullptr) spinning += function.now_code->SecondsOf(kPauses);
    if (function.was_code != nullptr) spinning -= function.was_code->SecondsOf(kPauses);
  }
  const double share = evidence.ShareOf(std::max(0.0, spinning));
  // Other programs preempt, too, and may hide the difference.
  const bool is_preempted = preempted.now_mean > 1.5 * preempted.was_mean + 10;
  if (!is_preempted && share < kLikelyShare) return;
  ChangeCause cause;
  cause.kind = ChangeCauseKind::kThreads;
  cause.grade = share >= kProvedShare ? CauseGrade::kProved : CauseGrade::kLikely;
  if (share >= kLikelyShare) cause.share = share;
  cause.fact =
      Number(threads.was_mean) + " threads in {A}, " + Number(threads.now_mean) + " in {B} on " +
      Count(static_cast<std::uint64_t>(processors), "processor", "processors") + "; preempted " +
      Number(preempted.was_mean) + " times in {A}, " + Number(preempted.now_mean) + " in {B}" +
      (share >= kLikelyShare ? "; the added time spins (pause)" : "");
  Add(std::move(cause), causes);
}

/// Where the input grew, functions whose code is the same grow with it.
void AddInput(const ChangeEvidence& evidence, Causes& causes) {
  const Amounts read = FactOf(evidence, &RunFactsSum::read_bytes);
  const auto size_of = [](const Baseline& run) {
    double size = 0;
    for (const auto& [name, value] : run.details.facts.surroundings) {
      if (name.starts_with("input:")) size += std::strtod(value.c_str(), nullptr);
    }
    return size;
  };
  const Amounts size = evidence.Of(size_of);
  constexpr double kLeastGrowth = 1.1;
  constexpr double kLeastBytes = 1e5;
  const double read_ratio = read.now_mean / std::max(1.0, read.was_mean);
  const bool more_read = evidence.HasCalls() && read.now_mean - read.was_mean > kLeastBytes &&
                         read_ratio > kLeastGrowth && read.p_value < kWaitLevel;
  const bool larger = size.was_mean > 0 && size.now_mean > kLeastGrowth * size.was_mean;
  if (!more_read && !larger) return;
  const double ratio =
      std::max(more_read ? read_ratio : 0.0, larger ? size.now_mean / size.was_mean : 0.0);
  double added = 0;
  bool grows_alike = true;
  std::size_t functions = 0;
  for (const ChangeEvidence::Function* function : evidence.Grown()) {
    constexpr double kLeastSeconds = 0.01;
    if (function->seconds.was_mean <= kLeastSeconds) continue;
    const double grown = function->seconds.now_mean / function->seconds.was_mean;
    grows_alike =
        grows_alike && grown > 0.7 * ratio && grown < 1.4 * ratio && evidence.IsSameCode(*function);
    added += function->seconds.Added();
    ++functions;
  }
  const double share = evidence.ShareOf(added);
  ChangeCause cause;
  cause.kind = ChangeCauseKind::kInput;
  const bool agrees = functions > 0 && grows_alike && share >= 0.5;
  cause.grade = agrees ? CauseGrade::kLikely : CauseGrade::kSeen;
  if (functions > 0 && evidence.is_slower()) cause.share = share;
  cause.fact = larger ? "the input has " + Number(size.was_mean) + " bytes in {A}, " +
                            Number(size.now_mean) + " in {B}"
                      : FixedText(read.was_mean / 1e6, 2) + " MB were read in {A}, " +
                            FixedText(read.now_mean / 1e6, 2) + " MB in {B}";
  if (agrees) cause.fact += "; the functions that grew have the same code and grew alike";
  Add(std::move(cause), causes);
}

/// "blocked in mutex, most in f x.cpp:3: 0 s in A, 1 s in B".
std::string BlockedWords(const ChangeEvidence& evidence, const WaitSum& wait) {
  std::map<std::string, double> places;  // Of B
  for (const Baseline& run : evidence.sides().now) {
    for (const RunDetails::Wait& one : run.details.waits) {
      if (WaitName(one) != wait.name) continue;
      std::string place = one.function;
      if (!one.file.empty()) place += " " + BaseName(one.file);
      if (one.line != 0) place += ":" + std::to_string(one.line);
      places[place] += one.seconds;
    }
  }
  const auto most =
      std::max_element(places.begin(), places.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  return "blocked in " + wait.name + (most == places.end() ? "" : ", most in " + most->first) +
         ": " + Duration(wait.seconds.was_mean) + " in {A}, " + Duration(wait.seconds.now_mean) +
         " in {B}";
}

/// Threads that hand work to each other at each step: the time is in the kernel's switching as much
/// as in the waits.
void AddHandOver(const ChangeEvidence& evidence, Causes& causes) {
  const Amounts switches = FactOf(evidence, &RunFactsSum::voluntary_switches);
  constexpr double kLeastMore = 3000;
  if (switches.now_mean < 3 * switches.was_mean ||
      switches.now_mean - switches.was_mean < kLeastMore || switches.p_value >= kWaitLevel) {
    return;
  }
  const WaitSum* largest = nullptr;
  for (const WaitSum& wait : evidence.waits()) {
    const bool is_of_threads = wait.name == "condition" || wait.name == "mutex" ||
                               wait.name == "semaphore" || wait.name == "futex" ||
                               wait.name == "barrier" || wait.name == "read";
    if (is_of_threads && (largest == nullptr || wait.excess > largest->excess)) largest = &wait;
  }
  if (largest == nullptr || largest->excess <= 0) return;
  const double blocked = evidence.AddedIn("blocked") > 0 ? largest->excess : 0;
  const double share = evidence.ShareOf(evidence.AddedIn("kernel") + blocked);
  if (share < kLikelyShare) return;
  ChangeCause cause;
  cause.kind = KindOf(largest->name);
  cause.grade = CauseGrade::kLikely;
  cause.share = share;
  cause.fact = BlockedWords(evidence, *largest) + "; threads gave up the processor " +
               Number(switches.was_mean) + " times in {A}, " + Number(switches.now_mean) +
               " in {B}";
  cause.next = "run with --kernel, which samples the kernel's time";
  Add(std::move(cause), causes);
}

}  // namespace

void AddWaits(const ChangeEvidence& evidence, Causes& causes) {
  if (!evidence.is_slower()) return;
  bool found = false;
  for (const WaitSum& wait : evidence.waits()) {
    const double share = evidence.ShareOf(wait.excess);
    if (wait.seconds.p_value >= kWaitLevel || share < kLikelyShare) continue;
    ChangeCause cause;
    cause.kind = KindOf(wait.name);
    const bool is_known = IsKnownWait(wait.name);
    cause.grade = is_known ? GradeOf(share, true) : CauseGrade::kSeen;
    if (is_known) cause.share = share;
    cause.fact = BlockedWords(evidence, wait);
    Add(std::move(cause), causes);
    found = found || is_known;
  }
  if (!found && evidence.HasFacts()) AddHandOver(evidence, causes);
}

void AddSystem(const ChangeEvidence& evidence, Causes& causes) {
  if (evidence.HasFacts()) {
    AddFaults(evidence, causes);
    AddThreads(evidence, causes);
    AddInput(evidence, causes);
  }
  if (evidence.HasCalls()) {
    AddCalls(evidence, "read", &RunFactsSum::read_calls, &RunFactsSum::read_bytes,
             ChangeCauseKind::kReadCalls, causes);
    AddCalls(evidence, "write", &RunFactsSum::write_calls, &RunFactsSum::written_bytes,
             ChangeCauseKind::kWriteCalls, causes);
  }
}

}  // namespace csink::report
