#include "symbolizer/report/verdict/chain_grade.h"
#include "symbolizer/report/verdict/words.h"
#include "symbolizer/report/wording/numbers.h"
#include "symbolizer/report/wording/shorten.h"

/// File: the words of chain_grade.h. The switches have no default, so that the compiler warns of a
/// value without words.

namespace csink::report {
namespace {

using spool::ChainEnd;
using spool::ChainWay;

/// Modules in one line; further ones are "...".
constexpr std::size_t kMostModules = 3;

std::string BytesText(std::uint32_t bytes) {
  return bytes % 1024 == 0 ? std::to_string(bytes / 1024) + " KiB"
                           : std::to_string(bytes) + " bytes";
}

/// " (libfoo.so)", or with numbers where there are several modules.
std::string Modules(const ChainEndCount& end) {
  std::string text;
  for (std::size_t i = 0; i < end.modules.size() && i < kMostModules; ++i) {
    text += (i == 0 ? "" : ", ") + Printable(end.modules[i].module);
    if (end.modules.size() > 1) text += " " + Grouped(end.modules[i].chains);
  }
  if (end.modules.size() > kMostModules) text += ", ...";
  return text.empty() ? "" : " (" + text + ")";
}

std::string BehindTheCopy(const ChainEndCount& end, ChainWay way) {
  if (end.copied_bytes == 0) return "behind the copied part of the stack";
  return "behind the " + BytesText(end.copied_bytes) + " of stack that were copied" +
         (way == ChainWay::kFramePointers ? " (CSINK_STACKS=unwind copies more)" : "");
}

/// What was seen at the end, to be read after "end" or "are cut".
std::string WhatWasSeen(const ChainEndCount& end, ChainWay way) {
  switch (end.end) {
    case ChainEnd::kUnknown:
      return "for an unknown reason";
    case ChainEnd::kMain:
    case ChainEnd::kThread:
      return "at the start of a thread";
    case ChainEnd::kOutermost:
      return "where the unwind table has no caller" + Modules(end);
    case ChainEnd::kContext:
      return "at the bottom of a fiber";
    case ChainEnd::kHandlerStack:
      return "at a signal handler with a stack of its own";
    case ChainEnd::kUnchecked:
      return "where frame pointers end";
    case ChainEnd::kCopyEnded:
      return BehindTheCopy(end, way);
    case ChainEnd::kNoRows:
      return "at code without unwind rows" + Modules(end);
    case ChainEnd::kJit:
      return "at JIT code without unwind rows";
    case ChainEnd::kRule:
      return "at an unwind rule that is not supported" + Modules(end);
    case ChainEnd::kFramePointers:
      return "where frame pointers end or lead nowhere" + Modules(end);
    case ChainEnd::kNotCode:
      return "at a return address outside of all code" + Modules(end);
    case ChainEnd::kNotAfterCall:
      return "at a return address that is not behind a call" + Modules(end);
    case ChainEnd::kOutsideStack:
      return "at a frame outside of the stack" + Modules(end);
    case ChainEnd::kUnreadable:
      return "where the stack could not be read (its end, or a page not in memory)";
    case ChainEnd::kDepth:
      return "at the greatest depth that is followed";
    case ChainEnd::kNoRoom:
      return "after the table of callers was full";
    case ChainEnd::kNoTables:
      return "in a sandbox, where unwind tables cannot be read";
    case ChainEnd::kNoFramePointer:
      return "at code whose frame pointer is not known" + Modules(end);
    case ChainEnd::kNoCallers:
      return "in samples that the kernel took without callers";
    case ChainEnd::kMoved:
      return "at threads that ran during the look";
  }
  return "for an unknown reason";
}

/// The ends for which `wanted` is true, with their numbers where there are several.
template <class Wanted>
std::string List(const ChainGrade& grade, Wanted&& wanted) {
  std::string text;
  std::size_t count = 0;
  for (const ChainEndCount& end : grade.ends) count += wanted(end.end) ? 1 : 0;
  for (const ChainEndCount& end : grade.ends) {
    if (!wanted(end.end)) continue;
    text += (text.empty() ? "" : ", ") + (count > 1 ? Grouped(end.chains) + " " : std::string()) +
            WhatWasSeen(end, grade.way);
  }
  return text;
}

bool IsKnownEnd(ChainEnd end) {
  return end == ChainEnd::kOutermost || end == ChainEnd::kContext || end == ChainEnd::kHandlerStack;
}

/// "12 (0.3%)"
std::string Part(std::uint64_t part, std::uint64_t all) {
  return Grouped(part) + " (" + Percent(static_cast<double>(part) / static_cast<double>(all)) + ")";
}

}  // namespace

const char* WordFor(ChainEnd end) {
  static constexpr const char* kWords[spool::kChainEndCount] = {"unknown",
                                                                "main",
                                                                "thread",
                                                                "outermost",
                                                                "fiber",
                                                                "handler_stack",
                                                                "unchecked",
                                                                "",
                                                                "",
                                                                "",
                                                                "",
                                                                "",
                                                                "",
                                                                "",
                                                                "",
                                                                "",
                                                                "copy_ended",
                                                                "no_rows",
                                                                "jit",
                                                                "rule",
                                                                "frame_pointers",
                                                                "not_code",
                                                                "not_after_call",
                                                                "outside_stack",
                                                                "unreadable",
                                                                "depth",
                                                                "no_room",
                                                                "no_tables",
                                                                "no_frame_pointer",
                                                                "no_callers",
                                                                "moved"};
  const auto number = static_cast<std::size_t>(end);
  const char* word = number < spool::kChainEndCount ? kWords[number] : "";
  return word[0] != 0 ? word : kWords[0];
}

const char* WordFor(ChainWay way) {
  switch (way) {
    case ChainWay::kUnknown:
      return "unknown";
    case ChainWay::kFramePointers:
      return "fp";
    case ChainWay::kUnwind:
      return "unwind";
    case ChainWay::kLook:
      return "look";
    case ChainWay::kKernel:
      return "kernel";
  }
  return "unknown";
}

std::string ChainLine(const ChainGrade& grade) {
  const char* of = grade.of_looks ? " of blocked threads" : "";
  if (grade.chains == 0) {
    return Count(grade.cut, "call chain is", "call chains are") +
           " cut, marked [cut]; the causes were not recorded";
  }
  std::string text = "call chains" + std::string(of) + " " +
                     (grade.grade ? WordFor(*grade.grade) : "not judged") + ": ";
  const std::string all = grade.of_looks ? Count(grade.chains, "look", "looks")
                                         : Count(grade.chains, "chain", "chains");
  const auto total = static_cast<double>(grade.chains);
  text += Percent(static_cast<double>(grade.reach_start) / total) + " of " + all +
          (grade.chains == 1 ? " reaches" : " reach") + " the start of a thread";
  if (grade.known_end > 0) {
    text += ", " + Part(grade.known_end, grade.chains) +
            " end in a known place: " + List(grade, IsKnownEnd);
  }
  if (grade.unchecked > 0) {
    text += ", " + Part(grade.unchecked, grade.chains) +
            " end where frame pointers end, which is not checked";
  }
  if (grade.cut > 0) {
    text += "; " + Part(grade.cut, grade.chains) +
            " are cut, marked [cut]: " + List(grade, spool::IsCut);
  }
  return text;
}

}  // namespace csink::report
