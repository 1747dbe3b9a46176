#include "symbolizer/report/names.h"

#include <algorithm>

#include "symbolizer/report/shorten.h"

namespace csink::report {
namespace {

using symbolizer::Location;
using symbolizer::ModuleRequest;

ModuleRequest RequestOf(const Module& module, const std::vector<std::uint64_t>& offsets) {
  return {.path = module.path,
          .build_id = module.build_id,
          .device_major = module.device_major,
          .device_minor = module.device_minor,
          .inode = module.inode,
          .is_vdso = module.is_vdso,
          .is_deleted = module.is_deleted,
          .is_anonymous = module.is_anonymous,
          .region_start = module.region_start,
          .file_offsets = offsets};
}

}  // namespace

std::string DisplayName(const Module& module) {
  if (module.is_unknown) return "[unknown]";
  if (module.is_anonymous && module.path.empty()) return "[anonymous]";
  if (module.is_vdso) return "[vdso]";
  return module.path.empty() ? "[unnamed]" : BaseName(module.path);
}
Names::Names(const Profile& profile, const Resolver& resolve)
    : offsets_(profile.modules.size()), answers_(profile.modules.size()) {
  const auto want = [&](const CodeAddress& address) {
    if (address.module < offsets_.size()) offsets_[address.module].push_back(address.offset);
  };
  for (const Place& place : profile.places) want(place.address);
  for (const ThreadRow& thread : profile.threads) want(thread.start_routine);
  for (const ShortThreads& threads : profile.short_threads) want(threads.start_routine);
  for (std::size_t i = 0; i < offsets_.size(); ++i) {
    auto& offsets = offsets_[i];
    std::sort(offsets.begin(), offsets.end());
    offsets.erase(std::unique(offsets.begin(), offsets.end()), offsets.end());
    const Module& module = profile.modules[i];
    if (offsets.empty() || module.is_unknown) continue;
    answers_[i] = resolve(RequestOf(module, offsets));
  }
}

const Location& Names::Of(const CodeAddress& address) const {
  if (address.module >= offsets_.size()) return nothing_;
  const auto& offsets = offsets_[address.module];
  const auto it = std::lower_bound(offsets.begin(), offsets.end(), address.offset);
  const auto index = static_cast<std::size_t>(it - offsets.begin());
  const auto& locations = answers_[address.module].locations;
  if (it == offsets.end() || *it != address.offset || index >= locations.size()) return nothing_;
  return locations[index];
}

std::string Names::RoutineName(const CodeAddress& address) const {
  return address.module == kNoModule ? "" : Of(address).function;
}

}  // namespace csink::report
