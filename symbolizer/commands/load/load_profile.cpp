#include "symbolizer/commands/load/load_profile.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "profil/reading/model/child_ends.h"
#include "profil/reading/model/lineage.h"
#include "profil/reading/model/outer_numbers.h"
#include "profil/reading/model/tree_evidence.h"
#include "profil/reading/reader/other_user.h"
#include "profil/reading/reader/small_reader.h"
#include "symbolizer/commands/console/messages.h"
#include "symbolizer/commands/console/unreadable.h"
#include "symbolizer/commands/load/interrupt_cost.h"
#include "symbolizer/commands/load/large_heap.h"
#include "symbolizer/commands/load/spool_files.h"
#include "symbolizer/report/annotate/source_file.h"

/// File: loads spools of three kinds: plain spools, merged files (csink merge), and records of
/// small processes (docs/glossary.md, small record). They are taken in this order: merged files
/// first, because spools and records that are in them must not be added again; then how the images
/// in records ended, which decides whether a spool's image followed another by execve; then spools;
/// then records, of which only processes without a spool are added.

namespace csink::tool {
namespace {

using Image = std::pair<std::uint32_t, std::uint64_t>;  ///< pid, start_monotonic_ns
/// How each image ended, sorted by pid and start, so that the image before another one is its
/// neighbour.
using Ends = std::map<Image, spool::End>;

/// Adds spools, merged files and records to one profile. An image that is in several of them counts
/// once.
class Loader {
 public:
  Loader(const MergeOptions& options, std::size_t& failed) : merger_(options), failed_(failed) {}

  /// Notes whose file it is.
  void LookAtOwner(const std::string& path);
  /// Adds a merged file. For a plain spool, does nothing and returns true. Call it first.
  bool AddMerged(const std::string& path);
  /// Adds the spool of one image, unless the image is in a merged file. Call it after AddMerged and
  /// LookAtRecords for all files.
  void AddSpool(const std::string& path);
  /// Reads how the images in records ended. Call it before AddSpool, which needs this.
  void LookAtRecords(const std::string& path);
  /// Adds the processes of a tree that left only a record. Call it last.
  void AddRecords(const std::string& path);
  /// Warns of what was left out, and returns the sum.
  Profile Finish(const TreeEvidence& known);

 private:
  /// Counts a file that cannot be read. The first ones are told at once, the others in a summary
  /// (unreadable.h).
  void Failed(const std::string& path, const Error& error) {
    ++failed_;
    unreadable_.Add(path, error);
  }
  /// Whether the image followed another one by execve. An image does not know what earlier ones
  /// left; this is needed so that their common CPU time is counted once when rows are summed up.
  /// RelateImages numbers the images.
  bool FollowsExec(const Image& image) const;
  void AddProcesses(const spool::SmallRecords& small, const std::string& path);
  void AddNotes(const spool::SmallRecords& small);
  /// Reads what trees' processes recorded of each other. A merged file may lie beside the records
  /// that it was made of.
  void AddFacts(Profile& profile);

  ProfileMerger merger_;
  std::map<std::uint64_t, spool::UniqueFacts> facts_;  ///< By tree
  std::size_t& failed_;
  std::set<Image> merged_;    ///< Images in merged files
  Ends ends_;                 ///< Images in spools
  Ends small_;                ///< Images in records
  std::size_t left_out_ = 0;  ///< Number of spools whose image is in merged_
  bool has_records_ = false;
  /// The plain spool that AddMerged read last, with its path, so that a single one is read once.
  /// Not more of them: spools are read one at a time to save memory.
  std::optional<std::pair<std::string, spool::Spool>> plain_;
  Unreadable unreadable_{Unreadable::Level::kError};
  std::set<std::uint32_t> owners_;  ///< Of the files
  Unreadable not_begun_{Unreadable::Level::kWarning};
};

void Loader::LookAtOwner(const std::string& path) {
  struct stat status;
  if (geteuid() == 0 && stat(path.c_str(), &status) == 0) owners_.insert(status.st_uid);
}

bool Loader::AddMerged(const std::string& path) {
  plain_.reset();
  auto spool = spool::ReadSpoolFile(path);
  if (!spool) {
    Failed(path, spool.error());
    return false;
  }
  // A plain spool has no list of processes.
  if (spool->processes.empty()) {
    plain_ = {path, std::move(*spool)};
    return true;
  }
  std::size_t twice = 0;
  for (const spool::Process& process : spool->processes) {
    if (process.record.processes > 1) continue;  // A sum has no identity
    const Image image{process.record.pid, process.record.start_monotonic_ns};
    if (!merged_.insert(image).second) ++twice;
  }
  if (twice > 0) {
    Warn(path + ": " + std::to_string(twice) + (twice == 1 ? " process is" : " processes are") +
         " in another merged file, too, and counted twice; give only one of the files");
  }
  merger_.Add(*spool, StateOf(spool->header, path), path);
  return false;
}

void Loader::AddSpool(const std::string& path) {
  auto spool = plain_ && plain_->first == path ? Result<spool::Spool>(std::move(plain_->second))
                                               : spool::ReadSpoolFile(path);
  plain_.reset();
  // Its process was killed before the first samples were in: a warning, not an error.
  if (!spool && spool::IsNotBegun(spool.error())) {
    return not_begun_.Add(path, spool.error());
  }
  if (!spool) return Failed(path, spool.error());
  const auto others = spool::AsOtherUsersFile(path);
  if (others) {
    if (const char* why = spool::Distrust(*spool, *others)) {
      return Failed(path, Error{Errc::kInvalid, 0, why});
    }
  }
  const Image image{spool->header.pid, spool->header.start_monotonic_ns};
  // Nobody else can say what a process did that has left a spool itself.
  if (others && ends_.count(image) != 0) return;
  if (merged_.count(image) != 0) {
    ++left_out_;
    return;
  }
  ends_[image] = spool->header.end;
  spool::Header& header = spool->header;
  // Outside of a tree there are no records, so the agent's number is complete.
  if (header.tree_id != 0 && header.exec_generation == 0 && FollowsExec(image)) {
    header.exec_generation = 1;  // The agent counts only images with spools
  }
  merger_.Add(*spool, StateOf(spool->header, path), path);
}

/// The previous image with this pid, and how it ended. Empty if there is none.
std::pair<Image, spool::End> Before(const Ends& ends, const Image& image) {
  const auto at = ends.lower_bound(image);
  if (at == ends.begin() || std::prev(at)->first.first != image.first) return {};
  return *std::prev(at);
}

bool Loader::FollowsExec(const Image& image) const {
  return std::max(Before(small_, image), Before(ends_, image)).second == spool::End::kExec;
}

/// Adds the processes of a tree's records that have no spool and are in no merged file.
void Loader::AddProcesses(const spool::SmallRecords& small, const std::string& path) {
  for (std::size_t i = 0; i < small.size(); ++i) {
    const Image image = small.ImageOf(i);
    if (ends_.count(image) != 0 || merged_.count(image) != 0) continue;
    spool::Spool process = small.Process(i);
    const auto others = spool::AsOtherUsersFile(path);
    if (others && spool::Distrust(process, *others) != nullptr) continue;
    process.header.exec_generation = FollowsExec(image) ? 1 : 0;
    merger_.Add(process, ProcessState::kComplete, path);
  }
}

/// Adds the programs that could not be followed, and a note about damage.
void Loader::AddNotes(const spool::SmallRecords& small) {
  for (const spool::NotFollowed& refusal : small.not_followed()) {
    merger_.AddNotFollowed(refusal.path, spool::WordsFor(refusal.why), 1);
  }
  if (small.other_records() != 0) {
    merger_.AddProblem(std::to_string(small.other_records()) +
                       " short processes are missing: their records have format " +
                       std::to_string(small.other_version()) + ", and this csink reads " +
                       std::to_string(spool::kSmallVersion));
  }
  if (small.torn() == 0) return;
  merger_.AddProblem("the tree's records are damaged in " + std::to_string(small.torn()) +
                     (small.torn() == 1 ? " place" : " places") + ": short processes are missing");
}

void Loader::LookAtRecords(const std::string& path) {
  const auto small = spool::ReadSmallFile(path);
  if (!small) return;  // AddRecords reports the error
  for (std::size_t i = 0; i < small->size(); ++i) {
    small_.emplace(small->ImageOf(i), small->EndOf(i));
  }
}

void Loader::AddRecords(const std::string& path) {
  const auto small = spool::ReadSmallFile(path);
  if (!small) return Failed(path, small.error());
  has_records_ = true;
  AddProcesses(*small, path);
  AddNotes(*small);
  const std::uint64_t tree = spool::TreeOf(path);
  facts_[tree != 0 ? tree : small->TreeId()].Add(*small);
}

void Loader::AddFacts(Profile& profile) {
  for (TreeFacts& facts : profile.tree_facts) {
    facts_[facts.tree_id].Add(spool::SmallRecords(std::move(facts.records)));
  }
  profile.tree_facts.clear();
  for (const auto& [tree, facts] : facts_) {
    AddEvidence(spool::SmallRecords(facts.bytes()), EvidenceOf(profile.tree_evidence, tree));
    profile.tree_facts.push_back({tree, facts.bytes()});
  }
}

Profile Loader::Finish(const TreeEvidence& known) {
  unreadable_.SaySummary();
  not_begun_.SaySummary();
  if (left_out_ > 0) {
    Warn(std::to_string(left_out_) + (left_out_ == 1 ? " spool is" : " spools are") +
         " in a merged file beside " + (left_out_ == 1 ? "it" : "them") + " and counted only once");
  }
  Profile profile = merger_.Finish();
  AddFacts(profile);
  ApplyOuterNumbers(profile);
  // Records have no start ticks and generations (profil/reading/model/lineage.h).
  if (has_records_) RelateImages(profile);
  LimitSources(profile, std::move(owners_));
  auto& ends = EvidenceOf(profile.tree_evidence, known.tree_id).ends;
  ends.insert(ends.end(), known.ends.begin(), known.ends.end());
  ApplyChildEnds(profile);
  AddInterruptCosts(profile);
  return profile;
}

/// Prepares the heap for the report of these files.
void PrepareHeapFor(const std::vector<std::string>& paths) {
  // The report of a spool of 2.0 MB with 50,000 places takes 78 MB.
  constexpr std::uint64_t kReportPerByte = 40;
  std::uint64_t largest = 0;
  for (const std::string& path : paths) {
    struct stat about = {};
    if (stat(path.c_str(), &about) == 0 && about.st_size > 0) {
      largest = std::max(largest, static_cast<std::uint64_t>(about.st_size));
    }
  }
  PrepareLargeHeap(std::min(largest, kLargestHeap) * kReportPerByte);
}

/// The paths with those of a tree's other users last: what they say of a process that has said it
/// itself is not taken.
std::vector<std::string> OwnFirst(std::vector<std::string> paths) {
  std::stable_partition(paths.begin(), paths.end(), [](const std::string& path) {
    return !spool::AsOtherUsersFile(path).has_value();
  });
  if (!paths.empty() && spool::AsOtherUsersFile(paths.back())) {
    annotate::SourceFile::ReadPublicFilesOnly();
  }
  return paths;
}

}  // namespace

void LimitSources(const Profile& profile, std::set<std::uint32_t> owners) {
  if (geteuid() != 0) return;
  for (const ProcessRow& process : profile.processes) owners.insert(process.uid);
  owners.erase(0);
  if (owners.size() == 1) annotate::SourceFile::ReadWithRightsOf(*owners.begin());
  // No rights are known that several users have in common, but those of everybody.
  if (owners.size() > 1) annotate::SourceFile::ReadPublicFilesOnly();
}

Profile LoadProfile(const std::vector<std::string>& paths, std::size_t& failed,
                    const MergeOptions& options, const TreeEvidence& known) {
  PrepareHeapFor(paths);
  Loader loader(options, failed);
  std::vector<std::string> spools;
  std::vector<std::string> records;
  for (const std::string& path : OwnFirst(paths)) {
    loader.LookAtOwner(path);
    if (spool::IsSmallFile(path)) {
      records.push_back(path);
      // A file whose name is that of a spool is not opened to see whether it is merged. Any other
      // file is.
    } else if (ParseSpoolName(path) || loader.AddMerged(path)) {
      spools.push_back(path);
    }
  }
  for (const std::string& path : records) loader.LookAtRecords(path);
  for (const std::string& path : spools) loader.AddSpool(path);
  for (const std::string& path : records) loader.AddRecords(path);
  return loader.Finish(known);
}

}  // namespace csink::tool
