#include "symbolizer/report/verdict/words.h"

/// File: the words of docs/report.schema.json. The switches have no default, so that the compiler
/// warns of a value without a word; invalid values from a damaged spool reach the return behind the
/// switch.

namespace csink::report {

const char* WordFor(ProcessState state) {
  switch (state) {
    case ProcessState::kComplete:
      return "complete";
    case ProcessState::kLive:
      return "live";
    case ProcessState::kKilled:
      return "killed";
    case ProcessState::kExited:
      return "exited";
    case ProcessState::kUnknown:
      return "unknown";
  }
  return "";
}

const char* StateMark(ProcessState state) {
  switch (state) {
    case ProcessState::kComplete:
      break;
    case ProcessState::kLive:
      return "[running] ";
    case ProcessState::kKilled:
      return "[killed] ";
    case ProcessState::kExited:
      return "[exited] ";
    case ProcessState::kUnknown:
      return "[end unknown] ";
  }
  return "";
}

const char* WordFor(Grade grade) {
  switch (grade) {
    case Grade::kGood:
      return "good";
    case Grade::kFair:
      return "fair";
    case Grade::kPoor:
      return "poor";
    case Grade::kShort:
      return "short";
  }
  return "";
}

const char* WordFor(symbolizer::NameSource source) {
  using symbolizer::NameSource;
  switch (source) {
    case NameSource::kSymbol:
      return "symbol";
    case NameSource::kPerfMap:
      return "perf-map";
    case NameSource::kPlt:
      return "plt";
    case NameSource::kFde:
      return "fde";
    case NameSource::kNone:
      return "none";
  }
  return "";
}

const char* WordFor(EventClass kind) {
  switch (kind) {
    case EventClass::kOther:
      return "other";
    case EventClass::kClock:
      return "clock";
    case EventClass::kCycles:
      return "cycles";
    case EventClass::kInstructions:
      return "instructions";
    case EventClass::kCacheReferences:
      return "cache-references";
    case EventClass::kCacheMisses:
      return "cache-misses";
    case EventClass::kBranches:
      return "branches";
    case EventClass::kBranchMisses:
      return "branch-misses";
    case EventClass::kPageFaults:
      return "page-faults";
    case EventClass::kContextSwitches:
      return "context-switches";
  }
  return "other";
}

const char* WordFor(spool::Skid skid) {
  using spool::Skid;
  switch (skid) {
    case Skid::kUnknown:
      return "unknown";
    case Skid::kExact:
      return "exact";
    case Skid::kNextInstruction:
      return "next-instruction";
    case Skid::kInterrupt:
      return "interrupt";
    case Skid::kTimer:
      return "timer";
    case Skid::kTick:
      return "tick";
  }
  return "unknown";
}

}  // namespace csink::report
