#include "symbolizer/report/verdict/wall_division.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "profil/reading/model/saturating.h"
#include "symbolizer/report/wording/numbers.h"

namespace csink::report {
namespace {

/// Less waiting is not explained: 50 ms, and 5 % of the time in which threads wanted to run.
constexpr double kLeastSeconds = 0.05;
constexpr double kLeastShare = 0.05;
/// An undivided rest is mentioned from 1 % of the wall time on.
constexpr double kUndividedShare = 0.01;
/// Two bounds that differ by less than this part of the waiting are one number.
constexpr double kSameBounds = 0.02;

/// From the first begin to the last update of the processes with times; on one machine.
std::uint64_t SpanNs(const Profile& profile) {
  std::uint64_t begin = ~std::uint64_t{0};
  std::uint64_t end = 0;
  for (const ProcessRow& process : profile.processes) {
    if (!process.wall.known()) continue;
    begin = std::min(begin, process.BeginMonotonicNs());
    end = std::max(end, process.update_monotonic_ns);
  }
  return SaturatingSubtract(end, begin);
}

/// The bounds of OwnWaiting.
OwnWaiting Bounds(const WallDivision& division, double span_seconds) {
  const double waiting = division.waiting_seconds;
  const double processors = division.processors;
  // Processor time that the program did not use. At most so much of the waiting was for others.
  const double others = std::max(0.0, processors * span_seconds - division.running_seconds);
  // Without more threads than processors no thread waits for another thread of the program.
  const double surplus = std::max(0.0, static_cast<double>(division.threads) - processors);
  OwnWaiting own;
  own.most_seconds = std::min(waiting, surplus * span_seconds);
  // Clocks that were read one after the other must not turn the bounds round.
  own.least_seconds = std::min(own.most_seconds, std::max(0.0, waiting - others));
  return own;
}

/// Why the times of threads could not be read.
std::string ReadFailure(std::uint32_t error) {
  if (error == ENODATA) return "this kernel does not keep schedstat (CONFIG_SCHED_INFO)";
  return std::string("schedstat in /proc was not readable: ") +
         std::strerror(static_cast<int>(error));
}

/// The sentence about the undivided rest, or "".
std::string UndividedText(const WallDivision& division) {
  if (division.undivided_seconds < 0.001) return "";
  if (division.undivided_seconds < kUndividedShare * division.wall_seconds) return "";
  return "; " + Duration(division.undivided_seconds) + " waiting or blocked is not divided: " +
         (division.read_errno != 0 ? ReadFailure(division.read_errno)
                                   : "threads that lived less than 2 ms are not looked at");
}

/// The sentence about those for whom threads waited, or "".
std::string OwnText(const WallDivision& division) {
  const double waiting = division.waiting_seconds;
  const double wanted = division.running_seconds + waiting;
  if (!division.own_waiting || waiting < kLeastSeconds || waiting < kLeastShare * wanted) return "";
  const OwnWaiting& own = *division.own_waiting;
  const std::string processors = Count(division.processors, "processor", "processors");
  const std::string others = "other programs or a CPU limit";
  // A bound near 0 or near all of the waiting says nothing as a number, so that each of these cases
  // has a sentence of its own.
  if (own.most_seconds < kSameBounds * waiting) {
    return "; they waited for " + others + ": the program has no more threads than its " +
           processors;
  }
  if (own.least_seconds > (1 - kSameBounds) * waiting) {
    return "; they waited for each other: the program filled its " + processors;
  }
  const std::string rest =
      " of the waiting was for the program's own threads, which share " + processors;
  if (own.least_seconds < kSameBounds * waiting) {
    if (own.most_seconds > (1 - kSameBounds) * waiting) {
      return "; the waiting may be for the program's own threads, which share " + processors +
             ", or for " + others;
    }
    return "; at most " + Duration(own.most_seconds) + rest + ", the others for " + others;
  }
  if (own.most_seconds > (1 - kSameBounds) * waiting) {
    return "; at least " + Duration(own.least_seconds) + rest;
  }
  return "; " + Duration(own.least_seconds) + " to " + Duration(own.most_seconds) + rest +
         ", the others for " + others;
}

}  // namespace

std::optional<WallDivision> DivideWall(const Profile& profile) {
  WallParts sum;
  WallDivision division;
  bool one_machine = true;
  const std::string* host = nullptr;
  for (const ProcessRow& process : profile.processes) {
    if (!process.wall.known()) continue;
    AddTo(sum, process.wall);
    division.processors = std::max(division.processors, process.processors);
    // Of several processes one reason is named.
    if (process.wall_errno != 0) division.read_errno = process.wall_errno;
    one_machine = one_machine && (!host || *host == process.host);
    host = &process.host;
  }
  if (!sum.known()) return std::nullopt;
  division.threads = sum.threads;
  division.wall_seconds = Seconds(sum.wall_ns);
  division.running_seconds = Seconds(sum.run_ns);
  division.waiting_seconds = Seconds(sum.wait_ns);
  division.undivided_seconds = Seconds(sum.undivided_ns);
  division.blocked_seconds = Seconds(sum.BlockedNs());
  if (one_machine && division.processors != 0) {
    division.own_waiting = Bounds(division, Seconds(SpanNs(profile)));
  }
  return division;
}

std::string DivisionLine(const WallDivision& division) {
  return "threads: " + Duration(division.running_seconds) + " running, " +
         Duration(division.waiting_seconds) + " waiting for a processor, " +
         Duration(division.blocked_seconds) + " blocked (" +
         Count(division.threads, "thread", "threads") + ", " + Duration(division.wall_seconds) +
         " of wall time together)" + UndividedText(division) + OwnText(division);
}

}  // namespace csink::report
