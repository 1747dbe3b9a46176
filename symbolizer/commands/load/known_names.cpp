#include "symbolizer/commands/load/known_names.h"

/// File: names for `csink top`, which shows the same functions each second. A name is asked for
/// once; the module's other facts are those of the last answer.

namespace csink::tool {

symbolizer::ModuleAnswer KnownNames::operator()(const symbolizer::ModuleRequest& request) {
  // Names of data, and what functions call, are asked for alone (report/tables).
  if (!request.data_addresses.empty() || !request.calls_from.empty()) return resolve_(request);
  // A JIT may put other functions at the same addresses, and its map grows.
  if (request.is_anonymous) {
    asked_ += request.file_offsets.size();
    return resolve_(request);
  }
  const Id id{request.path,         request.build_id, request.device_major,
              request.device_minor, request.inode,    static_cast<int>(request.detail)};
  // By file and detail: the same address has other answers in another build, and with more detail.
  Known& known = modules_[id];
  symbolizer::ModuleRequest fresh = request;
  std::erase_if(fresh.file_offsets, [&](std::uint64_t offset) {
    return known.locations.find(offset) != known.locations.end();
  });
  if (!fresh.file_offsets.empty()) {
    asked_ += fresh.file_offsets.size();
    symbolizer::ModuleAnswer answer = resolve_(fresh);
    for (std::size_t i = 0; i < fresh.file_offsets.size() && i < answer.locations.size(); ++i) {
      known.locations[fresh.file_offsets[i]] = std::move(answer.locations[i]);
    }
    answer.locations.clear();
    known.answer = std::move(answer);
  }
  symbolizer::ModuleAnswer answer = known.answer;
  // In the order of the request, which may have fewer addresses than are known.
  for (const std::uint64_t offset : request.file_offsets) {
    answer.locations.push_back(known.locations[offset]);
  }
  return answer;
}

}  // namespace csink::tool
