#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <cstring>

#include "agent/process/task_list.h"
#include "agent/results/run_facts.h"
#include "core/util/fnv1a.h"
#include "core/util/mix.h"
#include "core/util/raw_syscall.h"
#include "core/util/text.h"

/// File: small files of the kernel, read once at the end. Static buffers: the end of a process may
/// be handled on a small signal stack.

namespace csink::agent {
namespace {

using spool::RunFactsRecord;

constexpr std::size_t kMostLines = 3000;

char g_lines[kMostLines];
std::size_t g_line_bytes = 0;
char g_file[16 * 1024];
RunFactsRecord g_record;
const StartState* g_start = nullptr;
bool g_is_alone = false;

// The text from `at` on, which is at most its size. substr would throw.
std::string_view From(std::string_view text, std::size_t at) noexcept {
  text.remove_prefix(at);
  return text;
}

// The beginning of a file, in g_file until the next call. Empty: it cannot be read. `error`
// receives the errno. pread: should another thread have put a file of its own under our number, its
// position stays where it was.
std::string_view Read(const char* path, std::uint32_t* error = nullptr) noexcept {
  const long fd = RawSyscall(SYS_openat, AT_FDCWD, SyscallArg(path), O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    if (error != nullptr) *error = static_cast<std::uint32_t>(-fd);
    return {};
  }
  std::size_t size = 0;
  while (size < sizeof g_file) {
    const long n = RawSyscall(SYS_pread64, fd, SyscallArg(g_file + size),
                              static_cast<long>(sizeof g_file - size), static_cast<long>(size));
    if (n < 0 && error != nullptr) *error = static_cast<std::uint32_t>(-n);
    if (n <= 0) break;
    size += static_cast<std::size_t>(n);
  }
  // Beside other threads the number may be another file's by now.
  if (g_is_alone) RawSyscall(SYS_close, fd);
  return {g_file, size};
}

// Adds NAME=value, cut at the first line's end; the whole line or nothing.
void AddLine(std::string_view kind, std::string_view name, std::string_view value) noexcept {
  value = value.substr(0, value.find('\n'));
  if (name.find('\n') != std::string_view::npos || value.empty()) return;
  if (g_line_bytes + kind.size() + name.size() + value.size() + 2 > kMostLines) return;
  for (const std::string_view part :
       {kind, name, std::string_view("="), value, std::string_view("\n")}) {
    std::memcpy(g_lines + g_line_bytes, part.data(), part.size());
    g_line_bytes += part.size();
  }
}

void AddFile(std::string_view name, const char* path) noexcept { AddLine("", name, Read(path)); }

// The number behind `name` in a file of lines "name: number".
std::uint64_t NumberAfter(std::string_view file, std::string_view name) noexcept {
  std::size_t at = file.find(name);
  if (at == std::string_view::npos) return 0;
  std::uint64_t number = 0;
  for (at += name.size(); at < file.size() && file[at] >= '0' && file[at] <= '9'; ++at) {
    number = number * 10 + static_cast<std::uint64_t>(file[at] - '0');
  }
  return number;
}

// "0::/user.slice" of version 2.
void AddQuota() noexcept {
  const std::string_view groups = Read("/proc/self/cgroup");
  const std::size_t at = groups.find("0::/");
  if (at == std::string_view::npos) return;
  std::string_view group = From(groups, at + 3);
  group = group.substr(0, group.find('\n'));
  Text<1024> path;
  path.Add("/sys/fs/cgroup").Add(group).Add("/cpu.max");
  AddFile("quota", path.c_str());
}

void AddAffinity() noexcept {
  std::uint64_t mask[16] = {};
  const long bytes = RawSyscall(SYS_sched_getaffinity, 0, sizeof mask, SyscallArg(mask));
  if (bytes <= 0) return;
  Text<280> text;
  std::size_t words = static_cast<std::size_t>(bytes) / sizeof mask[0];
  while (words > 1 && mask[words - 1] == 0) --words;
  while (words-- > 0) text.Hex(mask[words]).Add(words != 0 ? "," : "");
  AddLine("", "affinity", text.view());
}

void AddMitigations() noexcept {
  const std::string_view command = Read("/proc/cmdline");
  constexpr std::string_view kName = "mitigations=";
  const std::size_t at = command.find(kName);
  if (at == std::string_view::npos) return;
  const std::string_view value = From(command, at + kName.size());
  AddLine("", "mitigations", value.substr(0, value.find_first_of(" \n")));
}

// Files that arguments name. One that the process itself has written is no input.
void AddInputs() noexcept {
  if (g_start->arguments == nullptr) return;
  const std::string_view all(g_start->arguments, g_start->argument_bytes);
  std::size_t at = all.find('\0');  // Behind the program's name
  for (int inputs = 0; at != std::string_view::npos && at + 1 < all.size() && inputs < 16;) {
    const std::size_t begin = at + 1;
    at = all.find('\0', begin);
    if (at == std::string_view::npos) return;
    const std::string_view path = From(all.substr(0, at), begin);
    struct stat file = {};
    if (path.empty() ||
        RawSyscall(SYS_newfstatat, AT_FDCWD, SyscallArg(path.data()), SyscallArg(&file), 0) != 0 ||
        !S_ISREG(file.st_mode)) {
      continue;
    }
    const std::uint64_t changed_ns =
        static_cast<std::uint64_t>(file.st_mtim.tv_sec) * 1'000'000'000u +
        static_cast<std::uint64_t>(file.st_mtim.tv_nsec);
    if (changed_ns > g_start->image_realtime_ns) continue;
    Text<24> size;
    AddLine("input:", path, size.Number(static_cast<std::uint64_t>(file.st_size)).view());
    ++inputs;
  }
}

// Whether one of the blank-separated words of a list is the name, or with '*' its begin. A table of
// pointers would be written by the loader in each process.
bool IsInList(std::string_view name, std::string_view list) noexcept {
  while (!list.empty()) {
    const std::size_t end = list.find(' ');
    std::string_view word = list.substr(0, end);
    list.remove_prefix(end == std::string_view::npos ? list.size() : end + 1);
    const bool is_begin = word.back() == '*';
    if (is_begin) word.remove_suffix(1);
    if (is_begin ? name.substr(0, word.size()) == word : name == word) return true;
  }
  return false;
}

// Variables whose values change what a program costs, and are no secrets.
bool IsOpen(std::string_view name) noexcept {
  return IsInList(name,
                  "GLIBC_* MALLOC_* OMP_* GOMP_* KMP_* LD_* PYTHON* MKL_NUM* JEMALLOC* MIMALLOC_* "
                  "TCMALLOC_* LANG LC_ALL LC_CTYPE TZ GOGC GOMAXPROCS");
}

void AddEnvironment(std::uint64_t key) noexcept {
  const std::string_view all = Read("/proc/self/environ");
  for (std::size_t at = 0; at < all.size();) {
    std::size_t end = all.find('\0', at);
    if (end == std::string_view::npos) return;  // Cut by the buffer's end
    const std::string_view variable = From(all.substr(0, end), at);
    at = end + 1;
    const std::size_t equals = variable.find('=');
    if (equals == std::string_view::npos || equals == 0) continue;
    const std::string_view name = variable.substr(0, equals);
    const std::string_view value = From(variable, equals + 1);
    if (name.substr(0, 6) == "CSINK_") continue;  // In the configuration
    if (IsOpen(name)) {
      AddLine("env:", name, value.empty() ? "\"\"" : value);
      continue;
    }
    Text<16> hash;
    hash.Add('#').Hex(MixBits(Fnv1a(value, Fnv1a(name, key))) >> 32);
    AddLine("env:", name, hash.view());
  }
}

void ReadAll() noexcept {
  const std::string_view io = Read("/proc/self/io", &g_record.read_errno);
  g_record.read_bytes = NumberAfter(io, "rchar: ");
  g_record.written_bytes = NumberAfter(io, "wchar: ");
  g_record.read_calls = NumberAfter(io, "syscr: ");
  g_record.write_calls = NumberAfter(io, "syscw: ");
  AddFile("thp", "/sys/kernel/mm/transparent_hugepage/enabled");
  AddFile("governor", "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  AddFile("aslr", "/proc/sys/kernel/randomize_va_space");
  AddFile("load", "/proc/loadavg");
  AddQuota();
  AddAffinity();
  AddMitigations();
  AddInputs();
  const std::uint64_t key = MixBits(Fnv1a(Read("/etc/machine-id")));
  Text<8> mark;
  AddLine("", "key", mark.Hex(key >> 48).view());
  AddEnvironment(key);
}

}  // namespace

void RecordRunFacts(const StartState& start, bool is_exec, SpoolWriter& spool) noexcept {
  struct rusage usage = {};
  if (RawSyscall(SYS_getrusage, RUSAGE_SELF, SyscallArg(&usage)) != 0) return;
  const auto nanoseconds = [](const timeval& time) {
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000u +
           static_cast<std::uint64_t>(time.tv_usec) * 1'000u;
  };
  if (nanoseconds(usage.ru_utime) + nanoseconds(usage.ru_stime) < spool::kLeastFactsNs) return;
  g_record = {};
  g_line_bytes = 0;
  g_start = &start;
  g_record.minor_faults = static_cast<std::uint64_t>(usage.ru_minflt);
  g_record.major_faults = static_cast<std::uint64_t>(usage.ru_majflt);
  g_record.preemptions = static_cast<std::uint64_t>(usage.ru_nivcsw);
  g_record.voluntary_switches = static_cast<std::uint64_t>(usage.ru_nvcsw);
  g_record.max_resident_bytes = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
  // Another thread could close our descriptor and open a file under its number, which we would
  // close. A process that ends can do without closing; a thread with a table of its own (ChildEnds)
  // would wait for a processor beside busy threads, 50 ms beside eight of them on two processors.
  g_is_alone = IsAlone();
  if (is_exec && !g_is_alone) return;
  ReadAll();
  // The image went on after an execve that failed: its surroundings are the same.
  if (RunFactsRecord* const known = spool.At<RunFactsRecord>(0); known != nullptr) {
    g_record.surroundings = known->surroundings;
    *known = g_record;
    return;
  }
  (void)spool.AddRunFacts(g_record, {g_lines, g_line_bytes});
}

}  // namespace csink::agent
