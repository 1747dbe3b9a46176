#pragma once

#include "agent/settings/config.h"

/// File: which member of Config holds which setting. The parser and the writer of the configuration
/// both use this function, so that a setting is read and written by the same member.

namespace csink::agent {

/// Calls `visit` with a reference to the member of `setting`; `visit` must accept bool,
/// std::uint64_t, Text<N> and enums. `AnyConfig`: Config or const Config. Returns false if the
/// agent keeps no value, because others read the setting or it holds other settings
/// (CSINK_OPTIONS). Signals: as `visit`.
template <class AnyConfig, class Visit>
bool VisitMember(AnyConfig& config, Setting setting, Visit&& visit) noexcept {
  /// No default label: the compiler warns of a setting without a case.
  switch (setting) {
    case Setting::kEnable:
      return visit(config.enable), true;
    case Setting::kEvents:
      return visit(config.events), true;
    case Setting::kSource:
      return visit(config.source), true;
    case Setting::kKernel:
      return visit(config.kernel), true;
    case Setting::kStacks:
      return visit(config.stacks), true;
    case Setting::kPython:
      return visit(config.python), true;
    case Setting::kOutput:
      return visit(config.output), true;
    case Setting::kFormat:
      return visit(config.format), true;
    case Setting::kTop:
      return visit(config.top), true;
    case Setting::kPerThread:
      return visit(config.per_thread), true;
    case Setting::kBaseline:
      return visit(config.baseline), true;
    case Setting::kReport:
      return visit(config.report), true;
    case Setting::kRandomStart:
      return visit(config.random_start), true;
    case Setting::kSpoolDir:
      return visit(config.spool_dir), true;
    case Setting::kKeep:
      return visit(config.keep), true;
    case Setting::kMinSamples:
      return visit(config.min_samples), true;
    case Setting::kSpoolLimit:
      return visit(config.spool_limit), true;
    case Setting::kFollow:
      return visit(config.follow), true;
    case Setting::kInclude:
      return visit(config.include), true;
    case Setting::kExclude:
      return visit(config.exclude), true;
    case Setting::kDelay:
      return visit(config.delay_ns), true;
    case Setting::kDuration:
      return visit(config.duration_ns), true;
    case Setting::kStartPaused:
      return visit(config.start_paused), true;
    case Setting::kControl:
      return visit(config.control), true;
    case Setting::kSignal:
      return visit(config.signal), true;
    case Setting::kWait:
      return visit(config.wait), true;
    case Setting::kCritical:
      return visit(config.critical), true;
    case Setting::kLog:
      return visit(config.log), true;
    case Setting::kVerbose:
      return visit(config.verbose), true;
    case Setting::kTree:
      return visit(config.tree), true;
    case Setting::kDoctor:
      return visit(config.doctor), true;
    case Setting::kReporter:
      return visit(config.reporter), true;
    case Setting::kOptions:
    case Setting::kAgent:
    case Setting::kCache:
    case Setting::kCacheSize:
    case Setting::kSourcePrefix:
    case Setting::kPush:
    case Setting::kPushInterval:
    case Setting::kEventMacros:
      return false;
  }
  return false;
}

}  // namespace csink::agent
