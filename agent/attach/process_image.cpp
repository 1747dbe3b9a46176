#include "agent/attach/process_image.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "agent/attach/python_process.h"
#include "agent/process/start_state.h"
#include "core/util/copy_text.h"
#include "core/util/text.h"
#include "profil/inside/regions/maps_walk.h"

namespace csink::attach {
namespace {

std::string BaseOf(const std::string& path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

ProcessImage::ProcessImage(const Surroundings& surroundings, pid_t pid, unsigned generation)
    : surroundings_(surroundings),
      pid_(pid),
      generation_(generation),
      header_(surroundings.header),
      numbers_(pid) {
  header_.pid = static_cast<std::uint32_t>(pid);
}

void ProcessImage::ReadIdentity() {
  if (const auto stat = ReadProcessStat(Folder())) {
    if (header_.parent_pid == 0) header_.parent_pid = stat->parent_pid;
    header_.process_start_ticks = stat->start_ticks;
    // After an exec the begin of the image is known, which is later.
    if (header_.image_realtime_ns == 0) header_.image_realtime_ns = StartRealtimeNs(*stat);
    if (header_.program[0] == 0) CopyText(header_.program, stat->name);
  }
  if (const auto inner = InnerPid(Folder()); inner && *inner != header_.pid) {
    header_.namespace_pid = *inner;
  }
}

void ProcessImage::ReadFacts() {
  ReadIdentity();
  const std::string folder = Folder();
  if (const auto user = UserOf(folder)) header_.uid = *user;
  if (const std::string command = CommandOf(folder); !command.empty()) {
    CopyText(header_.command, command);
  }
  if (const std::string program = LinkOf(folder, "exe"); !program.empty()) {
    CopyText(header_.executable, program);
    CopyText(header_.program, BaseOf(program));
  }
  if (const std::string where = LinkOf(folder, "cwd"); !where.empty()) {
    CopyText(header_.working_directory, where);
  }
}

void ProcessImage::InheritFrom(const ProcessImage& parent) {
  mappings_.CopyFrom(parent.mappings_);
  std::memcpy(header_.command, parent.header_.command, sizeof header_.command);
  std::memcpy(header_.program, parent.header_.program, sizeof header_.program);
  std::memcpy(header_.executable, parent.header_.executable, sizeof header_.executable);
  std::memcpy(header_.working_directory, parent.header_.working_directory,
              sizeof header_.working_directory);
  header_.uid = parent.header_.uid;
}

void ProcessImage::SetName(const std::string& name) {
  CopyText(header_.program, name);
  CopyText(header_.command, name);
  header_.executable[0] = 0;
}

void ProcessImage::SetStart(std::uint64_t user_ns, std::uint64_t system_ns,
                            std::uint64_t monotonic_ns) {
  // The header's times begin with the attaching: the time before it is no loss, and no part of what
  // the report is about.
  base_user_ns_ = user_ns;
  base_system_ns_ = system_ns;
  header_.start_realtime_ns = surroundings_.header.start_realtime_ns + monotonic_ns -
                              surroundings_.header.start_monotonic_ns;
  header_.start_monotonic_ns = header_.update_monotonic_ns = monotonic_ns;
}

void ProcessImage::SetEarlierImages(std::uint64_t user_ns, std::uint64_t system_ns) {
  header_.start_user_ns = header_.user_ns = user_ns;
  header_.start_system_ns = header_.system_ns = system_ns;
}

void ProcessImage::RaiseSpent(std::uint64_t ns) {
  // As Update does, so that the rest is not taken for system time.
  if (!surroundings_.system_is_sampled) {
    header_.user_ns = std::max(header_.user_ns, header_.start_user_ns + sampled_ns_);
  }
  const std::uint64_t known = spent_ns();
  if (ns > known) header_.system_ns += ns - known;
}

void ProcessImage::StartFromThreads(const ProcessStat& before) {
  const std::uint64_t with_events = threads_.RunSinceStart(Folder());
  const auto now = ReadProcessStat(Folder());
  if (!now || now->user_ns < before.user_ns || now->system_ns < before.system_ns) return;
  const std::uint64_t user = now->user_ns - before.user_ns;
  const std::uint64_t all = user + (now->system_ns - before.system_ns);
  if (all <= with_events) return;
  const double share = static_cast<double>(all - with_events) / static_cast<double>(all);
  const auto skipped = static_cast<std::uint64_t>(share * static_cast<double>(user));
  base_user_ns_ = before.user_ns + skipped;
  base_system_ns_ = before.system_ns + (all - with_events - skipped);
}

void ProcessImage::Continue(const ProcessImage& before, std::uint64_t monotonic_ns) {
  SetStart(before.base_user_ns_, before.base_system_ns_, monotonic_ns);
  SetParent(before.header_.parent_pid, before.header_.depth);
  header_.process_start_ticks = before.header_.process_start_ticks;
  header_.image_realtime_ns = header_.start_realtime_ns;
  header_.namespace_pid = before.header_.namespace_pid;
  header_.uid = before.header_.uid;
  std::memcpy(header_.working_directory, before.header_.working_directory,
              sizeof header_.working_directory);
  // When the record of the exec is read, the new image has already used CPU time. So its start is
  // what the samples of the old image explain.
  header_.start_user_ns = header_.user_ns =
      before.header_.start_user_ns + (surroundings_.system_is_sampled ? 0 : before.sampled_ns_);
  header_.start_system_ns = header_.system_ns = before.header_.start_system_ns;
}

void ProcessImage::SetParent(std::uint32_t parent_pid, std::uint32_t depth) {
  header_.parent_pid = parent_pid;
  header_.depth = depth;
}

void ProcessImage::SetSourceReason(const std::string& reason) {
  CopyText(header_.source_reason, reason);
  if (has_spool()) CopyText(spool_->header().source_reason, reason);
}

bool ProcessImage::ReadMaps() {
  const auto take = [](const RegionIndex::Mapping& mapping, void* arg) {
    static_cast<ProcessImage*>(arg)->Take(mapping);
  };
  const auto visit = [](const MapsLine& line, void* arg) noexcept {
    static_cast<MapsWalk*>(arg)->Visit(line);
    return true;
  };
  // The caller has decided to attach although the agent may be there.
  const bool had_agent = has_agent_;
  MapsWalk walk(take, this);
  const bool read = ForEachMapping((Folder() + "/maps").c_str(), visit, &walk).has_value();
  walk.Finish();
  has_agent_ = had_agent;
  return read;
}

void ProcessImage::AddMapping(const RegionIndex::Mapping& mapping) {
  // Memory in the place of text is that text, moved to huge pages, if both neighbours in maps are
  // still parts of the file; or else the library was unloaded.
  if (IsPlainMemory(mapping.path, mapping.deleted) && mappings_.CoversFile(mapping) && ReadMaps()) {
    return;
  }
  Take(mapping);
}

void ProcessImage::Take(const RegionIndex::Mapping& mapping) {
  if (mapping.path.ends_with("/libagent.so")) has_agent_ = true;
  // The kernel maps the program itself before all libraries.
  if (mappings_.empty() && header_.executable[0] == 0 && mapping.path.starts_with('/')) {
    CopyText(header_.executable, mapping.path);
    CopyText(header_.program, BaseOf(std::string(mapping.path)));
  }
  mappings_.Add(Folder(), mapping);
}

void ProcessImage::AddThread(pid_t tid, bool sampled, const std::string& name,
                             const TaskTimes* times, std::uint64_t now_ns) {
  threads_.Add(tid, sampled, name, times, now_ns);
}

void ProcessImage::Unmap::operator()(CallerChains* chains) const {
  munmap(chains, sizeof(CallerChains));
}

void ProcessImage::Unmap::operator()(PythonFrames* python) const {
  munmap(python, sizeof(PythonFrames));
}

bool ProcessImage::MakeSpool() {
  if (failed_) return false;
  spool_ = std::make_unique<SpoolWriter>();
  Text<256> stem;
  agent::SpoolStem(header_, stem);
  const Result<void> made = spool_->Create(surroundings_.folder, stem.view(), header_, generation_);
  if (!made) {
    failed_ = true;
    spool_.reset();
    std::fprintf(stderr, "csink: warn: the spool of process %d cannot be created in %s: %s\n",
                 static_cast<int>(pid_), surroundings_.folder.c_str(), made.error().what);
    return false;
  }
  PythonInterpreter interpreter;
  if (surroundings_.python && FindPythonIn(surroundings_.proc + "/" + std::to_string(pid_), pid_,
                                           interpreter) == FoundPython::kYes) {
    python_.reset(PythonFrames::Map(interpreter));
  }
  if (python_) python_->SetProcess(pid_);
  if (surroundings_.stacks || surroundings_.waits || python_) {
    chains_.reset(CallerChains::Map());
    if (!chains_) python_.reset();
  }
  if (python_) chains_->facts().SetProcess(pid_);
  mappings_.WriteTo(*spool_);
  // Thread 0 collects the threads without a record.
  spool::ThreadRecord merged = {};
  merged.start_region = spool::kNone;
  (void)spool_->Add(merged);
  return true;
}

std::uint32_t ProcessImage::RegionOf(std::uint64_t pc) {
  std::uint32_t region = regions().Find(pc);
  if (region != spool::kNone) return region;
  if (RegionIndex::IsKernel(pc)) return regions().Kernel(*spool_);
  // Records of mappings may be lost; /proc knows what is mapped now. Once: code without a mapping
  // would have the file read for each sample.
  if (!maps_read_) {
    maps_read_ = true;
    (void)ReadMaps();
    region = regions().Find(pc);
  }
  return region != spool::kNone ? region : regions().Unknown(*spool_);
}

std::uint32_t ProcessImage::ThreadRecordOf(pid_t tid) {
  ImageThread* thread = threads_.Find(tid);
  return thread == nullptr ? spool::kMergedThread : threads_.RecordOf(tid, *thread, *spool_);
}

const BucketSegment::Key* ProcessImage::LastPlaceOf(pid_t tid) {
  const ImageThread* thread = threads_.Find(tid);
  return thread == nullptr || thread->last_place.pc == 0 ? nullptr : &thread->last_place;
}

std::uint32_t ProcessImage::ChainOf(const Sample& sample) {
  if (!chains_ || !surroundings_.stacks) return 0;
  ChainIndex& nodes = chains_->index();
  const auto ended = [&](spool::ChainEnd end, std::uint32_t region) {
    chains_->ends().Count(*spool_, spool::ChainWay::kKernel, {end, region}, 0);
  };
  if (sample.caller_count == 0) {
    ended(spool::ChainEnd::kFramePointers, regions().Find(sample.pc));
    StoreLive(spool_->header().bad_stacks, ++bad_stacks_);
    return nodes.FindOrAdd(*spool_, 0, spool::kNone, 0, spool::kChainCut | spool::kChainEmpty);
  }
  std::uint32_t node = 0;
  // From the outermost caller inwards. The kernel ends a chain at the first frame pointer that it
  // cannot read, which is 0 in the outermost frame; where that is wrong cannot be known.
  for (std::size_t i = sample.caller_count; i > 0; --i) {
    const std::uint64_t pc = sample.callers[i - 1];
    const bool outermost = i == sample.caller_count;
    const std::uint32_t flags =
        outermost && sample.deep ? spool::kChainCut | spool::kChainDeep : 0u;
    node = nodes.FindOrAdd(*spool_, node, regions().Find(pc), pc, flags);
    if (node == 0) {
      ended(spool::ChainEnd::kNoRoom, spool::kNone);
      return 0;
    }
  }
  const std::uint32_t last = regions().Find(sample.callers[sample.caller_count - 1]);
  ended(sample.deep ? spool::ChainEnd::kDepth : spool::ChainEnd::kUnchecked, last);
  if (sample.deep) StoreLive(spool_->header().bad_stacks, ++bad_stacks_);
  return node;
}

void ProcessImage::Count(const BucketSegment::Key& key, std::size_t column, std::uint64_t weight) {
  if (!spool_->AddHit(key, column, weight)) return;
  spool::EventColumn& sums = spool_->header().events[column];
  StoreLive(sums.samples, sums.samples + 1);
  StoreLive(sums.weight, sums.weight + weight);
  sums.weight_squared += static_cast<double>(weight) * static_cast<double>(weight);
}

void ProcessImage::OnSample(const Sample& sample) {
  if (has_agent_ || finished_ || (!has_spool() && !MakeSpool())) return;
  ImageThread* const known = threads_.Find(sample.tid);
  // A thread that is not known: the kernel's FORK record of the thread was lost.
  ImageThread& thread =
      known != nullptr ? *known : threads_.Add(sample.tid, true, header_.program, nullptr, 0);
  const std::uint32_t region = RegionOf(sample.pc);
  if (region == spool::kNone) {
    spool::EventColumn& sums = spool_->header().events[sample.column];
    StoreLive(sums.unplaced, sums.unplaced + 1);
    return;
  }
  std::uint32_t chain = ChainOf(sample);
  if (python_ && sample.stack) {
    bool short_copy = false;
    chain = python_->ChainOf(*sample.stack, *chains_, chain, regions(), *spool_, short_copy);
  }
  const BucketSegment::Key key = {region, threads_.RecordOf(sample.tid, thread, *spool_), sample.pc,
                                  0, chain};
  Count(key, sample.column, sample.weight);
  thread.last_place = key;
  const spool::EventColumn& column = header_.events[sample.column];
  if (column.kind != EventClass::kClock) return;
  thread.sampled_ns += sample.weight;
  sampled_ns_ += sample.weight;
  if (column.period != 0) thread.remainders.Offer(sample.origin, sample.column, key, numbers_);
}

double ProcessImage::SampledShare() const {
  if (surroundings_.system_is_sampled) return 1;
  const std::uint64_t user = header_.user_ns - header_.start_user_ns;
  const std::uint64_t system = header_.system_ns - header_.start_system_ns;
  return user == 0 ? 1 : static_cast<double>(user) / static_cast<double>(user + system);
}

void ProcessImage::AddRemainders(ImageThread& thread, bool times_are_known) {
  // Several clocks would each explain the same time.
  std::size_t clocks = 0;
  for (std::size_t i = 0; i < header_.event_count; ++i) {
    clocks += header_.events[i].kind == EventClass::kClock;
  }
  const double share = SampledShare();
  const auto ran = static_cast<std::uint64_t>(share * static_cast<double>(thread.RunNs()));
  const bool exact = times_are_known && clocks == 1 && thread.had_start;
  const auto places = thread.remainders.Take();
  if (places.empty() && exact && thread.sampled) short_threads_ns_ += ran;
  const std::uint64_t missing = ran - std::min(ran, thread.sampled_ns);
  for (const auto& [origin, place] : places) {
    const double period = static_cast<double>(header_.events[place.column].period);
    auto weight = static_cast<std::uint64_t>(period / 2 * share);
    // A remainder is less than a period; what is missing beyond that has other causes.
    if (exact) weight = std::min(missing / places.size(), static_cast<std::uint64_t>(period));
    if (weight == 0) continue;
    Count(place.key, place.column, weight);
    thread.sampled_ns += weight;
    sampled_ns_ += weight;
  }
}

void ProcessImage::EndThread(pid_t tid) {
  ImageThread* thread = threads_.Find(tid);
  if (thread == nullptr) return;
  if (has_spool() && !finished_) AddRemainders(*thread, /*times_are_known=*/false);
  threads_.End(tid, OpenSpool());
}

void ProcessImage::OnLost(std::size_t column, std::uint64_t count) {
  if (!has_spool() || finished_) return;
  spool::EventColumn& sums = spool_->header().events[column];
  StoreLive(sums.lost_records, sums.lost_records + count);
  if (sums.kind == EventClass::kClock && sums.period != 0) {
    std::uint64_t& lost =
        spool_->header().lost_ns[static_cast<std::size_t>(spool::Loss::kBlockedDrain)];
    StoreLive(lost, lost + count * sums.period);
  }
}

void ProcessImage::OnThrottled(std::size_t column) {
  if (!has_spool() || finished_) return;
  spool::EventColumn& sums = spool_->header().events[column];
  StoreLive(sums.throttled, sums.throttled + 1);
}

void ProcessImage::Update(const ProcessStat* stat, std::uint64_t now_ns, std::uint64_t own_ns) {
  if (finished_) return;
  if (stat) {
    header_.user_ns =
        std::max(header_.user_ns, stat->user_ns - std::min(stat->user_ns, base_user_ns_));
    header_.system_ns =
        std::max(header_.system_ns, stat->system_ns - std::min(stat->system_ns, base_system_ns_));
  }
  if (!has_spool()) return;
  if (python_) python_->NextDrain();
  threads_.Store(*spool_);
  const std::uint64_t no_ring_ns = threads_.UnsampledNs();
  spool::Header& header = spool_->header();
  // A process that ended before its times were read has at least the time in its samples.
  header_.user_ns = std::max(
      header_.user_ns, header_.start_user_ns + (surroundings_.system_is_sampled ? 0 : sampled_ns_));
  StoreLive(header.user_ns, header_.user_ns);
  StoreLive(header.system_ns, header_.system_ns);
  StoreLive(header.agent_ns, own_ns);
  StoreLive(header.drains, header.drains + 1);
  StoreLive(header.threads_seen, threads_.seen());
  StoreLive(header.threads_sampled, threads_.sampled());
  StoreLive(header.lost_ns[static_cast<std::size_t>(spool::Loss::kNoRing)], no_ring_ns);
  StoreLive(header.lost_ns[static_cast<std::size_t>(spool::Loss::kShortThread)], short_threads_ns_);
  std::uint64_t spent = header_.user_ns - header_.start_user_ns;
  if (surroundings_.system_is_sampled) spent += header_.system_ns - header_.start_system_ns;
  const std::uint64_t known = sampled_ns_ + no_ring_ns + short_threads_ns_ +
                              header.lost_ns[static_cast<std::size_t>(spool::Loss::kBlockedDrain)];
  bool has_clock = false;
  for (std::size_t i = 0; i < header.event_count; ++i) {
    has_clock = has_clock || header.events[i].kind == EventClass::kClock;
  }
  StoreLive(header.lost_ns[static_cast<std::size_t>(spool::Loss::kUnexplained)],
            has_clock && spent > known ? spent - known : std::uint64_t{0});
  StoreLive(header.update_monotonic_ns, now_ns);
}

void ProcessImage::Finish(spool::End end, std::uint32_t detail, const ProcessStat* stat,
                          bool times_are_known, std::uint64_t now_ns, std::uint64_t own_ns) {
  if (finished_) return;
  // The share of user time, which the remainders need, is read first.
  Update(stat, now_ns, own_ns);
  if (has_spool()) {
    for (auto& [tid, thread] : threads_.live()) AddRemainders(thread, times_are_known);
  }
  if (end == spool::End::kExec && !surroundings_.system_is_sampled) {
    // What was read may include time of the next image; see Continue.
    header_.user_ns = header_.start_user_ns + sampled_ns_;
    Update(nullptr, now_ns, own_ns);
  } else {
    Update(stat, now_ns, own_ns);
  }
  finished_ = true;
  if (has_spool()) spool_->SetState(spool::State::kComplete, end, detail);
}

void ProcessImage::Discard() {
  if (has_spool()) spool_->Discard();
  finished_ = true;
}

}  // namespace csink::attach
