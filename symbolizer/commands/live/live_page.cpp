#include "symbolizer/commands/live/live_page.h"

#include <sys/stat.h>
#include <time.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "symbolizer/commands/load/load_profile.h"
#include "symbolizer/commands/load/sample_counts.h"
#include "symbolizer/commands/load/view.h"
#include "symbolizer/commands/show/page_output.h"
#include "symbolizer/report/formats/parts/sink.h"
#include "symbolizer/report/html/page.h"

namespace csink::tool {
namespace {

/// CLOCK_MONOTONIC, for the times between readings.
double MonotonicSeconds() {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Everything that `write` writes.
template <class Write>
std::shared_ptr<const std::string> Written(const Write& write) {
  auto text = std::make_shared<std::string>();
  report::Sink sink([&](std::string_view bytes) -> Result<void> {
    *text += bytes;
    return {};
  });
  (void)write(sink);  // The sink above never fails
  return text;
}

}  // namespace

LivePage::LivePage(std::uint32_t pid, std::uint64_t start_ticks, bool tree,
                   const report::Resolver& resolve)
    : resolve_(resolve),
      names_(resolve),
      spools_(pid, start_ticks, tree),
      look_interval_(tree ? 1 : 0.2) {
  struct stat status;
  if (stat(("/proc/" + std::to_string(pid)).c_str(), &status) == 0) owner_ = status.st_uid;
}

bool LivePage::has_samples() const { return MostSamples(report_.profile) > 0; }

void LivePage::Read() {
  const double begin = MonotonicSeconds();
  const View view = PageView();
  report_ = MakeReport(spools_.Read(MergeOptionsOf(view)), view, std::nullopt, std::ref(names_));
  if (has_ended_) LimitSources(report_.profile, {owner_});
  // With the resolver itself: KnownNames keeps all answers, and these are asked for once.
  if (has_ended_) annotations_ = AnnotationsOfPage(report_, resolve_);
  // The whole data each time: a difference would need a second schema (docs/design/commands.md).
  auto text = Written(
      [&](report::Sink& sink) { return report::WriteLiveData(report_, annotations_, sink); });
  // The version stays if nothing was sampled since, and the page gets an empty answer.
  if (data_.version == 0 || *text != *data_.text) data_ = {std::move(text), data_.version + 1};
  const double end = MonotonicSeconds();
  // Ten times the time that the reading took, so that csink needs at most a tenth of a processor.
  next_read_ = end + std::max(1.0, 10 * (end - begin));
}

bool LivePage::Look() {
  if (has_ended_) return false;
  const double now = MonotonicSeconds();
  if (now < next_look_) return true;
  next_look_ = now + look_interval_;
  if (spools_.Look()) return true;
  // Before Read, which then also reads source and instructions.
  has_ended_ = true;
  Read();
  return false;
}

const LiveData& LivePage::Newest() {
  if (!has_ended_ && MonotonicSeconds() >= next_read_) Read();
  return data_;
}

std::shared_ptr<const std::string> LivePage::Page() {
  (void)Newest();
  return Written([&](report::Sink& sink) {
    return report::WritePage(report_, annotations_, sink, report::PageKind::kLive);
  });
}

}  // namespace csink::tool
