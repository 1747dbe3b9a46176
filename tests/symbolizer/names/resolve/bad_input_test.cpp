#include <elf.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <thread>

#include "symbolizer/names/resolve/resolver.h"
#include "tests/symbolizer/workshop.h"

/// File: what a profiler finds on the machines of others: files that shrink while they are read,
/// are damaged on purpose, claim terabytes, or are no files at all. Each gets its answer in a
/// process of its own, with two seconds and a bound on its memory.

namespace csink::symbolizer {
namespace {

using testing::Workshop;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kIsSanitized = true;
#elif defined(__has_feature)
constexpr bool kIsSanitized = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
constexpr bool kIsSanitized = false;
#endif

void LimitMemory(rlim_t bytes) {
  if (kIsSanitized) return;  // Their shadows take terabytes of addresses
  const rlimit limit = {bytes, bytes};
  ::setrlimit(RLIMIT_AS, &limit);
}

/// Runs `what` in a child; fails the test when it dies or takes too much.
void InAChild(unsigned cpu_seconds, rlim_t memory, const std::function<bool()>& what) {
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    LimitMemory(memory);
    const rlim_t most = kIsSanitized ? 10 * cpu_seconds : cpu_seconds;  // Theirs costs 3 to 8 times
    const rlimit cpu = {most, most + 1};                                // SIGXCPU
    ::setrlimit(RLIMIT_CPU, &cpu);
    ::alarm(120);  // What waits takes no CPU time
    bool is_whole = false;
    try {
      is_whole = what();
    } catch (const std::bad_alloc&) {
      ::_exit(2);
    }
    ::_exit(is_whole ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_FALSE(WIFSIGNALED(status)) << ::strsignal(WTERMSIG(status));
  ASSERT_NE(WEXITSTATUS(status), 2) << "more memory than it may take";
  ASSERT_EQ(WEXITSTATUS(status), 0) << "an offset without an answer";
}

bool IsWhole(const ModuleRequest& request) {
  const ModuleAnswer answer = ResolveModule(request, {});
  if (answer.locations.size() != request.file_offsets.size()) return false;
  for (const Location& location : answer.locations) {
    if (location.function.empty() || location.function.size() > 100'000) return false;
  }
  return true;
}

class BadInput : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    shop_ = std::make_unique<Workshop>();
    shop_->Write("code.cpp", R"(
      #include <algorithm>
      #include <map>
      #include <string>
      #include <vector>
      int Count(const std::vector<std::string>& words) {
        std::map<std::string, int> found;
        for (const auto& word : words) ++found[word];
        return std::count_if(found.begin(), found.end(), [](const auto& f) { return f.second > 1; });
      })");
    shop_->Run("g++ -O2 -g -fPIC -shared -Wl,--build-id code.cpp -o lib.so");
    shop_->Run("objcopy --compress-debug-sections=zlib lib.so zlib.so");
  }
  static void TearDownTestSuite() { shop_.reset(); }

  static ModuleRequest RequestFor(const std::string& path) {
    ModuleRequest request;
    request.path = path;
    request.detail = Detail::kInlines;
    for (std::uint64_t offset = 0x1000; offset < 0x8000; offset += 29) {
      request.file_offsets.push_back(offset);
    }
    return request;
  }
  static std::unique_ptr<Workshop> shop_;
};
std::unique_ptr<Workshop> BadInput::shop_;

/// The section headers of a file that our own linker wrote.
struct Section {
  std::string name;
  std::size_t offset = 0;
  std::size_t size = 0;
  std::size_t header = 0;  ///< Where its header lies
};
std::vector<Section> SectionsOf(const std::string& bytes) {
  Elf64_Ehdr elf;
  std::memcpy(&elf, bytes.data(), sizeof elf);
  const auto at = [&](std::size_t i) { return elf.e_shoff + i * sizeof(Elf64_Shdr); };
  const auto header = [&](std::size_t i) {
    Elf64_Shdr section;
    std::memcpy(&section, bytes.data() + at(i), sizeof section);
    return section;
  };
  const Elf64_Shdr names = header(elf.e_shstrndx);
  std::vector<Section> sections;
  for (std::size_t i = 1; i < elf.e_shnum; ++i) {
    const Elf64_Shdr section = header(i);
    if (section.sh_type == SHT_NOBITS || section.sh_size == 0) continue;
    sections.push_back({bytes.data() + names.sh_offset + section.sh_name, section.sh_offset,
                        section.sh_size, at(i)});
  }
  return sections;
}

/// One way to damage a section: a run of zeros, of ones, of chance, numbers that are too large, a
/// part of it again, its second half gone to the front.
void Damage(std::string& bytes, const Section& section, std::mt19937& random) {
  const std::size_t from = section.offset + random() % section.size;
  const std::size_t end = section.offset + section.size;
  const std::size_t length = std::min<std::size_t>(1 + random() % 64, end - from);
  switch (random() % 6) {
    case 0:
      std::memset(bytes.data() + from, 0, length);
      break;
    case 1:
      std::memset(bytes.data() + from, 0xff, length);
      break;
    case 2:
      for (std::size_t i = 0; i < length; ++i) bytes[from + i] = static_cast<char>(random());
      break;
    case 3:
      bytes[from] = static_cast<char>(random());
      break;
    case 4:
      std::memmove(bytes.data() + from, bytes.data() + section.offset, length);
      break;
    default:
      std::rotate(bytes.begin() + static_cast<std::ptrdiff_t>(section.offset),
                  bytes.begin() + static_cast<std::ptrdiff_t>(from),
                  bytes.begin() + static_cast<std::ptrdiff_t>(end));
  }
}

TEST_F(BadInput, AThousandDamagedModulesGetTheirAnswers) {
  for (const char* name : {"lib.so", "zlib.so"}) {
    const std::string good = testing::ReadWhole(shop_->Path(name));
    const std::vector<Section> sections = SectionsOf(good);
    const ModuleRequest request = RequestFor(shop_->Path("bad.so"));
    std::mt19937 random(2026);
    for (int round = 0; round < 500; ++round) {
      std::string bad = good;
      // Each section in turn, now and then its header.
      const Section& section = sections[static_cast<std::size_t>(round) % sections.size()];
      const Section header = {section.name, section.header, sizeof(Elf64_Shdr), 0};
      for (unsigned changes = 1 + random() % 5; changes > 0; --changes) {
        Damage(bad, random() % 6 == 0 ? header : section, random);
      }
      testing::WriteWhole(request.path, bad);
      InAChild(2, 1u << 30, [&] { return IsWhole(request); });
      if (HasFatalFailure()) FAIL() << name << ", " << section.name << ", round " << round;
    }
  }
}

TEST_F(BadInput, AModuleWhoseHeadersAreGoneIsToldByItsOffsets) {
  std::string bad = testing::ReadWhole(shop_->Path("lib.so"));
  std::memset(bad.data(), 0, 64);
  ModuleRequest request = RequestFor(shop_->Path("libbad.so"));
  request.build_id = testing::BuildIdOf(*shop_, shop_->Path("lib.so"));
  testing::WriteWhole(request.path, bad);
  ModuleAnswer answer = ResolveModule(request, {});
  EXPECT_NE(answer.problem, "");
  EXPECT_EQ(answer.locations[0].function, "[libbad.so+0x1000]");
  request.build_id.clear();
  EXPECT_EQ(ResolveModule(request, {}).problem, "file is not an ELF file");
}

TEST_F(BadInput, AFileThatIsCutOffIsSaidToBe) {
  const std::string good = testing::ReadWhole(shop_->Path("lib.so"));
  const ModuleRequest request = RequestFor(shop_->Path("cut.so"));
  testing::WriteWhole(request.path, good);
  EXPECT_EQ(ResolveModule(request, {}).problem, "");
  // Without the last header of a section, without the table, without most of the sections.
  for (const std::size_t size : {good.size() - 1, good.size() - 40 * sizeof(Elf64_Shdr),
                                 good.size() / 2, std::size_t{4096}}) {
    testing::WriteWhole(request.path, good.substr(0, size));
    EXPECT_EQ(ResolveModule(request, {}).problem, "the file is truncated or damaged") << size;
  }
}

TEST_F(BadInput, ALineTableWithoutAReadableUnitIsSaidToBeDamaged) {
  std::string bad = testing::ReadWhole(shop_->Path("lib.so"));
  for (const Section& section : SectionsOf(bad)) {
    if (section.name == ".debug_line") std::memset(bad.data() + section.offset, 0xf1, 16);
  }
  const ModuleRequest request = RequestFor(shop_->Path("line2.so"));
  testing::WriteWhole(request.path, bad);
  EXPECT_EQ(ResolveModule(request, {}).problem, "the line table is damaged");
}

TEST_F(BadInput, ADamagedLineTableIsSaidAndTheNamesStay) {
  std::string bad = testing::ReadWhole(shop_->Path("zlib.so"));
  for (const Section& section : SectionsOf(bad)) {
    if (section.name == ".debug_line") std::memset(bad.data() + section.offset + 24, 0x55, 40);
  }
  const ModuleRequest request = RequestFor(shop_->Path("line.so"));
  testing::WriteWhole(request.path, bad);
  const ModuleAnswer answer = ResolveModule(request, {});
  EXPECT_EQ(answer.problem, "the line table is damaged");
  const auto is_named = [](const Location& l) { return l.source == NameSource::kSymbol; };
  EXPECT_TRUE(std::any_of(answer.locations.begin(), answer.locations.end(), is_named));
  EXPECT_EQ(ResolveModule(RequestFor(shop_->Path("zlib.so")), {}).problem, "");
}

TEST_F(BadInput, FilesThatAreCutWhileTheyAreReadAreNoSigbus) {
  const std::string good = testing::ReadWhole(shop_->Path("lib.so"));
  const ModuleRequest request = RequestFor(shop_->Path("shrinking.so"));
  testing::WriteWhole(request.path, good);
  InAChild(60, 1u << 30, [&] {
    std::atomic<bool> done{false};
    std::thread cutter([&] {
      std::mt19937 random(1);
      const int file = ::open(request.path.c_str(), O_RDWR | O_CLOEXEC);
      while (!done) {
        if (::ftruncate(file, static_cast<off_t>(random() % good.size())) != 0) break;
        std::this_thread::yield();
        if (::pwrite(file, good.data(), good.size(), 0) < 0) break;
        std::this_thread::yield();
      }
      ::close(file);
    });
    bool all = true;
    int named = 0;
    int rounds = 0;
    // On a busy machine the cutter may not run for a while.
    const auto enough = [&] { return rounds >= 300 && named > 0 && named < rounds; };
    for (; all && rounds < 100'000 && !enough(); ++rounds) {
      all = IsWhole(request);
      named += ResolveModule(request, {}).has_symbols ? 1 : 0;
    }
    done = true;
    cutter.join();
    // It was neither always whole nor always cut: else nothing was tried.
    return all && enough();
  });
}

/// Overwrites a section's compression header.
void Claim(std::string& bytes, const std::string& name, std::uint64_t size, std::uint32_t type) {
  for (const Section& section : SectionsOf(bytes)) {
    if (section.name != name) continue;
    const Elf64_Chdr header = {type, 0, size, 1};
    std::memcpy(bytes.data() + section.offset, &header, sizeof header);
  }
}

TEST_F(BadInput, ASectionThatClaimsToInflateToTerabytesIsLeftOut) {
  for (const std::uint64_t size : {std::uint64_t{1} << 30, std::uint64_t{1} << 32,
                                   std::uint64_t{1} << 42, ~std::uint64_t{0}, std::uint64_t{0}}) {
    for (const std::uint32_t type : {1u, 2u, 99u}) {
      std::string bad = testing::ReadWhole(shop_->Path("zlib.so"));
      for (const char* name : {".debug_line", ".debug_info", ".debug_str", ".debug_abbrev"}) {
        Claim(bad, name, size, type);
      }
      const ModuleRequest request = RequestFor(shop_->Path("bomb.so"));
      testing::WriteWhole(request.path, bad);
      InAChild(2, 256u << 20, [&] { return IsWhole(request); });
      if (HasFatalFailure()) FAIL() << size << " of type " << type;
    }
  }
}

TEST_F(BadInput, ARealBombDoesNotGrowBeyondItsClaim) {
  // 64 MiB of zeros in 64 KiB: within what zlib can do, and no line table.
  shop_->Run(
      "head -c 67108864 /dev/zero >zeros && cp lib.so bomb.so && "
      "objcopy --update-section .debug_line=zeros --update-section .debug_str=zeros bomb.so && "
      "objcopy --compress-debug-sections=zlib bomb.so && test $(stat -c %s bomb.so) -lt 2000000");
  const ModuleRequest request = RequestFor(shop_->Path("bomb.so"));
  InAChild(2, 1u << 30, [&] { return IsWhole(request); });
}

TEST_F(BadInput, SectionsThatLieFarBehindTheEndAreLeftOut) {
  const std::string good = testing::ReadWhole(shop_->Path("lib.so"));
  for (const std::uint64_t offset :
       {std::uint64_t{1} << 32, (std::uint64_t{1} << 32) - 1, std::uint64_t{1} << 63,
        ~std::uint64_t{0} - 100, ~std::uint64_t{0}}) {
    for (const Section& section : SectionsOf(good)) {
      std::string bad = good;
      std::memcpy(bad.data() + section.header + offsetof(Elf64_Shdr, sh_offset), &offset, 8);
      const ModuleRequest request = RequestFor(shop_->Path("far.so"));
      testing::WriteWhole(request.path, bad);
      if (!IsWhole(request)) FAIL() << section.name << " at " << offset;
    }
  }
}

TEST_F(BadInput, AHoleOfTerabytesIsNotRead) {
  std::string bad = testing::ReadWhole(shop_->Path("lib.so"));
  const std::uint64_t huge = std::uint64_t{1} << 41;
  for (const Section& section : SectionsOf(bad)) {
    if (!section.name.starts_with(".debug") && section.name != ".symtab") continue;
    std::memcpy(bad.data() + section.header + offsetof(Elf64_Shdr, sh_size), &huge, 8);
  }
  const ModuleRequest request = RequestFor(shop_->Path("hole.so"));
  testing::WriteWhole(request.path, bad);
  if (::truncate(request.path.c_str(), std::int64_t{1} << 42) != 0) {
    GTEST_SKIP() << "this file system has no such sparse files";
  }
  // With memory for all that is read, and with little.
  for (const rlim_t memory : {rlim_t{8} << 30, rlim_t{512} << 20}) {
    InAChild(2, memory, [&] { return IsWhole(request); });
  }
}

TEST_F(BadInput, WhatIsNoPlainFileIsSaidToBeNone) {
  const std::string fifo = shop_->Path("fifo.so");
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  ASSERT_EQ(::symlink("loop.so", shop_->Path("loop.so").c_str()), 0);
  const std::pair<std::string, std::string> cases[] = {
      {shop_->folder(), "file is not a regular file"},
      {fifo, "file is not a regular file"},
      {"/dev/zero", "file is not a regular file"},
      {"/dev/tty-that-is-not", "file not found"},
      {shop_->Path("loop.so"), "file cannot be opened: Too many levels of symbolic links"},
      {"/proc/self/mem", "file is not an ELF file"},
  };
  for (const auto& [path, problem] : cases) {
    const ModuleAnswer answer = ResolveModule(RequestFor(path), {});
    EXPECT_EQ(answer.problem, problem) << path;
    EXPECT_EQ(answer.locations.size(), RequestFor(path).file_offsets.size());
  }
}

TEST_F(BadInput, AFileThatMayNotBeReadIsSaidToBeSo) {
  const std::string path = shop_->Path("secret.so");
  testing::WriteWhole(path, "x");
  ASSERT_EQ(::chmod(path.c_str(), 0), 0);
  ASSERT_EQ(::chmod(shop_->folder().c_str(), 0755), 0);
  InAChild(2, 1u << 30, [&] {
    if (::geteuid() == 0 && ::setuid(65534) != 0) return false;
    const ModuleAnswer answer = ResolveModule(RequestFor(path), {});
    return answer.problem == "file cannot be opened: Permission denied" &&
           answer.locations.at(0).function == "[secret.so+0x1000]";
  });
}

}  // namespace
}  // namespace csink::symbolizer
