#include <fcntl.h>
#include <sys/prctl.h>

#include <cstring>
#include <string_view>

#include "agent/lifecycle/exec_policy.h"
#include "core/machine/clocks.h"
#include "core/util/raw_syscall.h"
#include "profil/inside/spool/small_writer.h"
#include "profil/inside/spool/tree_place.h"

/// File: changes of LD_PRELOAD and CSINK_* for an exec. Strip removes the agent's entry and all
/// CSINK_* variables; Add puts the entry first and restores the variables of the start that are
/// missing. Both write into memory that the caller has on its stack: the code may run in a vfork
/// child, where an allocation would change the parent's heap.

namespace csink::agent {
namespace {

// Constant initialisation: hooks may run before the library's constructor.
constinit ExecPolicy g_policy;

constexpr std::string_view kPreload = "LD_PRELOAD=";
constexpr std::string_view kOurs = "CSINK_";
constexpr std::string_view kLibrary = "libagent.so";
constexpr std::string_view kHooks = "libcsink-critical.so";  // beside it, with CSINK_CRITICAL
// An environment with more variables is left as it is, because the list is copied on the stack (32
// KiB).
constexpr std::size_t kMostPointers = 4096;

bool StartsWith(const char* variable, std::string_view prefix) noexcept {
  return std::strncmp(variable, prefix.data(), prefix.size()) == 0;
}

// True if the last component of the path is this name.
bool IsNamed(std::string_view entry, std::string_view name) noexcept {
  if (entry.size() < name.size()) return false;
  const std::size_t before = entry.size() - name.size();
  return std::memcmp(entry.data() + before, name.data(), name.size()) == 0 &&
         (before == 0 || entry[before - 1] == '/');
}

// The next entry of a list that colons and blanks separate.
std::string_view NextEntry(std::string_view& rest) noexcept {
  while (!rest.empty() && (rest[0] == ':' || rest[0] == ' ')) rest.remove_prefix(1);
  std::size_t end = 0;
  while (end < rest.size() && rest[end] != ':' && rest[end] != ' ') ++end;
  const std::string_view entry(rest.data(), end);
  rest.remove_prefix(end);
  return entry;
}

// The entry of a library in a variable "LD_PRELOAD=..."; empty: none.
std::string_view EntryOf(const char* variable, std::string_view library) noexcept {
  std::string_view rest(variable + kPreload.size());
  while (!rest.empty()) {
    const std::string_view entry = NextEntry(rest);
    if (IsNamed(entry, library)) return entry;
  }
  return {};
}

// That of libagent.so in a whole environment.
std::string_view OurEntryIn(char* const* envp) noexcept {
  for (; envp && *envp; ++envp) {
    if (!StartsWith(*envp, kPreload)) continue;
    const std::string_view entry = EntryOf(*envp, kLibrary);
    if (!entry.empty()) return entry;
  }
  return {};
}

// Whether two variables "NAME=value" have one name.
bool SameName(const char* a, const char* b) noexcept {
  while (*a && *a != '=' && *a == *b) ++a, ++b;
  return *a == '=' && *b == '=';
}

// The number of variables; exec takes nullptr for an empty list.
std::size_t CountPointers(char* const* envp) noexcept {
  std::size_t count = 0;
  while (envp && envp[count]) ++count;
  return count;
}

// Returns the end of the copy. There is no NUL behind it.
char* Copy(char* to, std::string_view text) noexcept {
  std::memcpy(to, text.data(), text.size());
  return to + text.size();
}

}  // namespace

ExecPolicy& TheExecPolicy() noexcept { return g_policy; }

void ExecPolicy::Start(const Config& config, char* const* environment) noexcept {
  follow_ = config.follow;
  // Refusals are recorded in the tree's file.
  if (config.tree != 0 && config.spool_dir.c_str()[0] == '/') {
    tree_ = config.tree;
    const std::string_view folder = config.spool_dir.view();
    std::memcpy(tree_folder_, folder.data(), folder.size());
    static_assert(sizeof tree_folder_ > TextRoom(Setting::kSpoolDir));
  }
  // Programs are examined only where the result can be recorded or printed.
  examine_ = follow_ >= Follow::kExec && (tree_ != 0 || GetLogLevel() >= LogLevel::kInfo);
  busy_ = true;
  // csink-attach knows none of these settings.
  const bool selects = config.include.size() != 0 || config.exclude.size() != 0;
  const bool pauses = config.start_paused || config.delay_ns != 0 || config.control.size() != 0;
  outside_ = follow_ >= Follow::kExec && tree_ != 0 && !selects && !pauses &&
             config.source != SourceChoice::kTimer;
  // Only Follow::kAll puts the agent back into an environment.
  if (follow_ != Follow::kAll) return;
  for (char* const* variable = environment; variable && *variable; ++variable) {
    if (StartsWith(*variable, kOurs)) Keep(*variable);
    if (!StartsWith(*variable, kPreload)) continue;
    const std::string_view entry = EntryOf(*variable, kLibrary);
    const std::string_view hooks = EntryOf(*variable, kHooks);
    // agent_ was zeroed, so the copy is terminated.
    if (entry.size() >= sizeof agent_) continue;
    char* end = Copy(agent_, entry);
    if (entry.empty() || hooks.empty() || hooks.size() + 1 >= sizeof agent_ - entry.size())
      continue;
    *end++ = ':';
    Copy(end, hooks);
  }
}

void ExecPolicy::Keep(const char* variable) noexcept {
  const std::size_t bytes = std::strlen(variable) + 1;
  // Variables that have no room are dropped: the next image then runs with the defaults.
  if (kept_count_ == kMostVariables || bytes > kMostText - kept_bytes_) return;
  kept_[kept_count_++] = kept_text_ + kept_bytes_;
  std::memcpy(kept_text_ + kept_bytes_, variable, bytes);
  kept_bytes_ += bytes;
}

bool ExecPolicy::HasUs(char* const* envp) const noexcept { return !OurEntryIn(envp).empty(); }

std::size_t ExecPolicy::RoomFor(char* const* envp, std::size_t pointers) const noexcept {
  // Only LD_PRELOAD is rewritten; all other strings are shared with the old environment. The list
  // may grow by LD_PRELOAD, the kept variables and the final nullptr.
  std::size_t bytes = (pointers + kept_count_ + 2) * sizeof(char*);
  for (std::size_t i = 0; i < pointers; ++i) {
    if (StartsWith(envp[i], kPreload)) bytes += std::strlen(envp[i]) + 1;
  }
  return bytes;
}

// Under a filter nothing is looked at, as in Examine.
bool ExecPolicy::PlanOutside(const ExecTarget& target, char* const* envp, OutsideExec& plan,
                             Change& change) const noexcept {
  const std::string_view agent = OurEntryIn(envp);
  if (!outside_ || agent.empty() || RawSyscall(SYS_prctl, PR_GET_SECCOMP) != 0) return false;
  const std::size_t pointers = CountPointers(envp);
  if (pointers > kMostPointers || !PlanOutsideExec(target, agent, plan)) return false;
  change.strip = change.only_preload = true;
  change.variables = pointers;
  change.bytes = RoomFor(envp, pointers);
  return true;
}

ExecPolicy::Refused ExecPolicy::Examine(const ExecTarget& target,
                                        char* const* envp) const noexcept {
  Refused refused;
  // Under a filter, nothing is looked at: the calls made here are not among those that the filter
  // was tested with.
  if (!examine_ || RawSyscall(SYS_prctl, PR_GET_SECCOMP) != 0) return refused;
  refused.why = WhyNotFollowed(target, refused.path);
  // The program can be preloaded, but the caller has taken the agent out of the environment.
  if (refused.why == spool::Refusal::kNone && follow_ != Follow::kAll && !HasUs(envp)) {
    refused.why = spool::Refusal::kNoEnvironment;
  }
  if (refused.why != spool::Refusal::kNone) refused.monotonic_ns = MonotonicNs();
  return refused;
}

void ExecPolicy::Announce(const Refused& refused, pid_t pid) const noexcept {
  if (refused.why == spool::Refusal::kNone) return;
  if (tree_ == 0) {
    Text<700> line;
    line.Add("not followed: ").Add(refused.path.view()).Add(' ').Add(WordsFor(refused.why));
    RawLog(LogLevel::kInfo, line.view());
    return;
  }
  alignas(8) unsigned char bytes[sizeof(spool::SmallHead) + sizeof(spool::SmallRefusal) + 528];
  SmallRecordWriter record(bytes, sizeof bytes);
  const spool::SmallRefusal refusal = {static_cast<std::uint32_t>(pid), refused.why,
                                       static_cast<std::uint32_t>(refused.path.size()),
                                       sizeof refused.monotonic_ns};
  record.Begin(spool::SmallKind::kNotFollowed);
  record.Put(&refusal, sizeof refusal);
  record.PutText(refused.path.view());
  record.Put(&refused.monotonic_ns, sizeof refused.monotonic_ns);
  // An error is ignored: the record is for the report alone, and exec must not wait or fail.
  (void)AppendInTree(record, tree_folder_, tree_);
}

// Under a filter nothing is looked at, as in Examine.
bool ExecPolicy::WouldBreak(const ExecTarget& target, char* const* envp) const noexcept {
  if (!HasUs(envp) || RawSyscall(SYS_prctl, PR_GET_SECCOMP) != 0) return false;
  Text<512> path;
  return WhyNotFollowed(target, path) == spool::Refusal::kMusl;
}

ExecPolicy::Change ExecPolicy::PlanFor(const ExecTarget& target, char* const* envp) const noexcept {
  Change change;
  const std::size_t pointers = CountPointers(envp);
  if (pointers > kMostPointers) return change;
  change.only_preload = follow_ >= Follow::kExec && WouldBreak(target, envp);
  // With kExec the program decides by its environment what its children get.
  if (follow_ == Follow::kExec && !change.only_preload) return change;
  std::size_t added = 0;
  change.strip = follow_ != Follow::kAll || change.only_preload;
  if (change.strip) {
    if (!HasUs(envp)) return change;
  } else {
    if (HasUs(envp) || agent_[0] == 0) return change;
    Text<512> path;  // never into a program that gets the rights of another user
    if (WhyNotFollowed(target, path) != spool::Refusal::kNone) return change;
    // Two bytes for the colon and the NUL.
    added = kPreload.size() + std::strlen(agent_) + 2;
  }
  change.variables = pointers;
  change.bytes = RoomFor(envp, pointers) + added;
  return change;
}

char* const* ExecPolicy::Apply(const Change& change, char* const* envp, void* room) const noexcept {
  auto** out = static_cast<char**>(room);
  // The list comes first and the texts behind it (RoomFor).
  auto* text = reinterpret_cast<char*>(out + change.variables + kept_count_ + 2);
  return change.strip ? Strip(change, envp, out, text) : Add(envp, out, text);
}

// The environment without the agent's entry in LD_PRELOAD and without CSINK_* variables (but with
// them for only_preload). LD_PRELOAD is left out if nothing else was in it.
char* const* ExecPolicy::Strip(const Change& change, char* const* envp, char** out,
                               char* text) const noexcept {
  std::size_t count = 0;
  for (; *envp; ++envp) {
    if (!change.only_preload && StartsWith(*envp, kOurs)) continue;
    if (!StartsWith(*envp, kPreload)) {
      out[count++] = *envp;
      continue;
    }
    char* const variable = text;
    text = Copy(text, kPreload);
    std::string_view rest(*envp + kPreload.size());
    bool any = false;
    while (!rest.empty()) {
      const std::string_view entry = NextEntry(rest);
      if (entry.empty() || IsNamed(entry, kLibrary) || IsNamed(entry, kHooks)) continue;
      if (any) *text++ = ':';
      text = Copy(text, entry);
      any = true;
    }
    *text++ = 0;
    if (any) out[count++] = variable;
  }
  out[count] = nullptr;
  return out;
}

// The environment with the agent's entry first in LD_PRELOAD, followed by the entries that were
// there, and with the kept variables that the program has not set itself.
char* const* ExecPolicy::Add(char* const* envp, char** out, char* text) const noexcept {
  char* const variable = text;
  text = Copy(text, kPreload);
  text = Copy(text, agent_);
  std::size_t count = 0;
  bool kept[kMostVariables] = {};
  for (; envp && *envp; ++envp) {
    if (StartsWith(*envp, kPreload)) {
      const std::string_view others(*envp + kPreload.size());
      if (!others.empty()) *text++ = ':';
      text = Copy(text, others);
      continue;
    }
    for (std::size_t i = 0; i < kept_count_; ++i) kept[i] |= SameName(kept_[i], *envp);
    out[count++] = *envp;
  }
  *text = 0;
  out[count++] = variable;
  for (std::size_t i = 0; i < kept_count_; ++i) {
    if (!kept[i]) out[count++] = const_cast<char*>(kept_[i]);
  }
  out[count] = nullptr;
  return out;
}

}  // namespace csink::agent
