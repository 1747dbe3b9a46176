#include "symbolizer/commands/bench/bench_rounds.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <functional>
#include <string_view>
#include <utility>

#include "core/util/fnv1a.h"
#include "core/util/unique_fd.h"
#include "symbolizer/commands/launch/child_timeout.h"

/// File: one run is one child (child.h) whose stdout and stderr go to files in memory, so that a
/// terminal or a slow reader of a pipe is not measured.

extern char** environ;

namespace csink::tool {
namespace {

/// A time of getrusage(2) in seconds.
double Seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

/// A side as it is called in the output.
const char* NameOf(std::size_t side) { return side == 0 ? "A" : "B"; }

/// The last line of `fd` that is not empty, at most 200 bytes of it: what a command complained of.
std::string LastLine(int fd) {
  char text[4096];
  const off_t size = lseek(fd, 0, SEEK_END);
  const off_t from =
      size > static_cast<off_t>(sizeof text) ? size - static_cast<off_t>(sizeof text) : 0;
  const ssize_t n = pread(fd, text, sizeof text, from);
  std::string rest(text, n > 0 ? static_cast<std::size_t>(n) : 0);
  while (!rest.empty() && (rest.back() == '\n' || rest.back() == '\r')) rest.pop_back();
  const auto newline = rest.rfind('\n');
  return rest.substr(newline == std::string::npos ? 0 : newline + 1, 200);
}

/// The next value of SplitMix64 (G. L. Steele, D. Lea, C. H. Flood, "Fast splittable pseudorandom
/// number generators", OOPSLA 2014): every seed is as good as another.
std::uint64_t Next(std::uint64_t& state) {
  std::uint64_t z = (state += 0x9e3779b97f4a7c15U);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

}  // namespace

void InstructionCounter::Restart() {
  if (!problem_.empty()) return;
  const int error = counter_.Open(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
  if (error == 0) return;
  problem_ = std::string("instructions are not counted (") + std::strerror(error) +
             "): CPU time decides; csink doctor explains";
}

std::uint64_t InstructionCounter::Read() const { return counter_.Read(); }

Rounds::Rounds(BenchCommands commands, std::uint64_t seed)
    : commands_(std::move(commands)), random_(seed) {}

std::string Rounds::RunOne(bench::Round& round) {
  const std::size_t first = NextFirst();
  for (const std::size_t side : {first, 1 - first}) {
    std::string failure = RunSide(side, environ, side == 0 ? round.a : round.b);
    if (!failure.empty()) return failure;
  }
  return "";
}

std::size_t Rounds::NextFirst() { return Next(random_) >> 63; }

std::string Rounds::RunSide(std::size_t side, char* const* environment, bench::Run& run) {
  const std::vector<std::string>& words = commands_.words[side];
  const std::string name = std::string(NameOf(side)) + " (" + words[0] + ")";
  // Opened for each run: a shared descriptor would be at its end after the first.
  const UniqueFd in(open(commands_.input.c_str(), O_RDONLY | O_CLOEXEC));
  if (!in) return "cannot open " + commands_.input + ": " + std::strerror(errno);
  // Output that is not compared is dropped by the kernel, which costs the commands least.
  const UniqueFd out(commands_.check_output ? memfd_create("csink-bench-out", MFD_CLOEXEC)
                                            : open("/dev/null", O_WRONLY | O_CLOEXEC));
  // Kept for the message about a command that fails.
  const UniqueFd err(memfd_create("csink-bench-err", MFD_CLOEXEC));
  if (!out || !err) return std::string("no file for the output: ") + std::strerror(errno);
  instructions_.Restart();
  bool was_late = false;
  std::function<void(pid_t)> limit;
  if (commands_.timeout > 0) {
    limit = [&](pid_t child) { was_late = KillAfter(child, commands_.timeout); };
  }
  const Ended ended = RunChild(words, environment, {in.get(), out.get(), err.get()}, limit);
  if (ended.spawn_errno != 0) {
    return "cannot run " + name + ": " + std::strerror(ended.spawn_errno);
  }
  if (was_late) {
    char seconds[32];
    std::snprintf(seconds, sizeof seconds, "%g", commands_.timeout);
    return name + " took longer than --timeout " + seconds + " s, and was killed";
  }
  // A command that fails early would look fast.
  if (ended.status != 0) {
    std::string failure = name;
    if (WIFSIGNALED(ended.status)) {
      failure += std::string(" was ended by signal ") + std::to_string(WTERMSIG(ended.status)) +
                 " (" + strsignal(WTERMSIG(ended.status)) + ")";
    } else {
      failure += " failed with exit status " + std::to_string(WEXITSTATUS(ended.status));
    }
    const std::string complaint = LastLine(err.get());
    return failure + (complaint.empty() ? "" : ": " + complaint);
  }
  using bench::Metric;
  const auto at = [&run](Metric metric) -> double& {
    return run[static_cast<std::size_t>(metric)];
  };
  const rusage& usage = ended.usage;
  at(Metric::kInstructions) = static_cast<double>(instructions_.Read());
  at(Metric::kCpu) = Seconds(usage.ru_utime) + Seconds(usage.ru_stime);
  at(Metric::kWall) = static_cast<double>(ended.wall_ns) / 1e9;
  // Both kinds: served from memory, and from disk.
  at(Metric::kFaults) = static_cast<double>(usage.ru_minflt + usage.ru_majflt);
  // Until its execve, a child shares the memory of this process, and that counts as the child's
  // (setmax_mm_hiwater_rss in Linux's fs/exec.c). So a smaller peak cannot be measured.
  rusage own{};
  getrusage(RUSAGE_SELF, &own);
  // 0: not known.
  const bool is_known = usage.ru_maxrss > own.ru_maxrss;
  at(Metric::kMemory) = is_known ? static_cast<double>(usage.ru_maxrss) * 1024 : 0;
  return commands_.check_output ? CheckOutput(side, out.get()) : "";
}

std::string Rounds::CheckOutput(std::size_t side, int fd) {
  const off_t size = lseek(fd, 0, SEEK_END);
  std::uint64_t hash = kFnv1aBegin;
  // Only size and hash of the first output are kept, which may be large.
  std::vector<char> piece(1 << 16);
  for (off_t at = 0; at < size;) {
    const ssize_t n = pread(fd, piece.data(), piece.size(), at);
    if (n <= 0) return std::string("the output cannot be read: ") + std::strerror(errno);
    hash = Fnv1a(std::string_view(piece.data(), static_cast<std::size_t>(n)), hash);
    at += n;
  }
  const auto bytes = static_cast<std::uint64_t>(size);
  if (!has_output_) {
    has_output_ = true;
    output_bytes_ = bytes;
    output_hash_ = hash;
    return "";
  }
  if (bytes == output_bytes_ && hash == output_hash_) return "";
  return std::string("the output of ") + NameOf(side) + " (" + std::to_string(bytes) +
         " bytes) differs from that of the first run (" + std::to_string(output_bytes_) +
         " bytes); without --check-output it is not compared";
}

}  // namespace csink::tool
