#include "core/counting/catalogue/native_encoding.h"

#include "core/counting/system/pmu_cpus.h"
#include "core/events/event_alias.h"

namespace csink {
namespace {

/// Reads the levels u, k and h from the event string. libpfm4 interprets "k=0" alone as "no level
/// at all"; here levels that are not stated are left to the domain.
void ReadLevels(std::string_view plain, NativeEncoding& encoding) {
  const std::size_t pmu = plain.find("::");
  if (pmu != std::string_view::npos) plain.remove_prefix(pmu + 2);
  const std::vector<EventToken> tokens = CanonicalTokens(plain);
  bool given[3] = {};
  bool on[3] = {};
  bool any_on = false;
  for (const EventToken& token : tokens) {
    for (int i = 0; i < 3; ++i) {
      if (token.key.size() != 1 || (token.key[0] | 0x20) != "ukh"[i]) continue;
      given[i] = true;
      on[i] = !token.has_value || token.value == "1" || token.value == "y" || token.value == "Y";
      any_on |= on[i];
    }
  }
  perf_event_attr& attr = encoding.attr;
  // libpfm4 was asked with both levels on (AskPfm).
  if (!given[0] && !given[1] && !given[2]) {
    // A level that is excluded although the string states none is excluded by the event itself.
    encoding.user_given = attr.exclude_user;
    encoding.kernel_given = attr.exclude_kernel;
    return;
  }
  // A level that is on excludes the levels that are not stated, so they count as given, too.
  encoding.user_given = given[0] || any_on;
  encoding.kernel_given = given[1] || any_on;
  encoding.hypervisor_given = given[2] || any_on;
  attr.exclude_user = encoding.user_given && !on[0];
  attr.exclude_kernel = encoding.kernel_given && !on[1];
  attr.exclude_hv = !on[2];
}

}  // namespace

// Tracepoints and breakpoints count as software: they need no counter of a PMU.
NativeEncoding EncodingOf(const PfmAnswer& answer, std::string_view plain, int pmu,
                          CatalogueSide side) {
  NativeEncoding encoding;
  encoding.attr = answer.attr;
  encoding.cpu = answer.cpu;
  encoding.pmu = pmu;
  encoding.period_given = answer.attr.sample_period != 0;
  encoding.software = answer.attr.type == PERF_TYPE_SOFTWARE ||
                      answer.attr.type == PERF_TYPE_TRACEPOINT ||
                      answer.attr.type == PERF_TYPE_BREAKPOINT;
  const EventAlias* alias = FindAlias(answer.attr.type, answer.attr.config);
  encoding.kernel_only = alias && alias->in_kernel_only;
  ReadLevels(plain, encoding);
  // A socket-wide event must be opened on a processor; the kernel's cpumask names one of each
  // socket.
  if (side == CatalogueSide::kUncore && encoding.cpu < 0) {
    encoding.cpu = FirstCpuOfPmu(answer.attr.type);
  }
  return encoding;
}

}  // namespace csink
