#include "core/machine/maps.h"

#include <elf.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <climits>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

namespace csink {
namespace {

struct Seen {
  MapsLine line;
  std::string path;
};

bool Collect(const MapsLine& line, void* arg) {
  static_cast<std::vector<Seen>*>(arg)->push_back({line, std::string(line.path)});
  return true;
}

std::vector<Seen> Parse(std::string_view text, std::size_t piece = SIZE_MAX) {
  std::vector<Seen> seen;
  MapsReader reader(Collect, &seen);
  while (!text.empty()) {
    const std::size_t take = std::min(piece, text.size());
    reader.Feed(text.substr(0, take));
    text.remove_prefix(take);
  }
  reader.Finish();
  return seen;
}

constexpr std::string_view kText =
    "55fb2ad0d000-55fb2ad0f000 r--p 00000000 fe:00 247134                     /usr/bin/a b\n"
    "55fb2ad0f000-55fb2ad14000 r-xp 00002000 fe:00 247134                     /usr/bin/a b\n"
    "55fb2ad14000-55fb2ad15000 rw-p 00000000 00:00 0 \n"
    "55fb2ad15000-55fb2ad16000 rw-p 00007000 fe:00 247134                     /usr/bin/a b\n"
    "7f0000000000-7f0000001000 r-xs 00003000 103:1f 18446744073709551615 /tmp/x (deleted)\n"
    "7f0000002000-7f0000004000 r-xp 00000000 00:00 0                          [vdso]\n"
    "ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0                  [vsyscall]\n";

TEST(MapsReader, GivesTheSameForEveryWayOfCuttingTheText) {
  for (std::size_t piece : {std::size_t{1}, std::size_t{7}, std::size_t{100}, kText.size()}) {
    const std::vector<Seen> seen = Parse(kText, piece);
    ASSERT_EQ(seen.size(), 7u) << piece;
    EXPECT_EQ(seen[1].path, "/usr/bin/a b");
    EXPECT_EQ(seen[4].path, "/tmp/x");
    EXPECT_EQ(seen[6].path, "[vsyscall]");
    EXPECT_FALSE(seen[6].line.readable);
  }
}

TEST(MapsReader, FindsTheHeaderOfEachMappingsImage) {
  const std::vector<Seen> seen = Parse(kText);
  ASSERT_EQ(seen.size(), 7u);
  EXPECT_EQ(seen[0].line.image_start, 0x55fb2ad0d000u);
  EXPECT_EQ(seen[1].line.image_start, 0x55fb2ad0d000u);
  EXPECT_EQ(seen[2].line.image_start, 0u) << "anonymous";
  EXPECT_EQ(seen[3].line.image_start, 0x55fb2ad0d000u) << "behind anonymous memory";
  EXPECT_EQ(seen[4].line.image_start, 0u) << "its header is not mapped";
  EXPECT_EQ(seen[5].line.image_start, 0x7f0000002000u) << "vdso";
}

TEST(MapsReader, TakesASecondViewOfTheFirstPageAsTheSameImage) {
  const std::vector<Seen> seen = Parse(
      "1000-2000 r--p 0 0:1 5 /a\n2000-3000 r-xp 0 0:1 5 /a\n3000-4000 rw-p 1000 0:1 5 /a\n"
      "5000-6000 r--p 0 0:1 5 /a\n6000-7000 r-xp 1000 0:1 5 /a\n");
  ASSERT_EQ(seen.size(), 5u);
  EXPECT_EQ(seen[1].line.image_start, 0x1000u);
  EXPECT_EQ(seen[2].line.image_start, 0x1000u);
  EXPECT_EQ(seen[4].line.image_start, 0x5000u) << "loaded twice";
}

TEST(MapsReader, CutsThePathOfALongLineAndGoesOn) {
  const std::string path = "/" + std::string(3 * MapsReader::kMaxLine, 'x');
  const std::string text = "1000-2000 r-xp 0 0:1 5 " + path + "\n3000-4000 r-xp 0 0:1 6 /b\n";
  for (std::size_t piece : {std::size_t{1000}, text.size()}) {
    const std::vector<Seen> seen = Parse(text, piece);
    ASSERT_EQ(seen.size(), 2u);
    EXPECT_TRUE(seen[0].line.path_cut);
    EXPECT_GE(seen[0].path.size(), 4096u);
    EXPECT_EQ(path.compare(0, seen[0].path.size(), seen[0].path), 0);
    EXPECT_EQ(seen[1].path, "/b");
    EXPECT_FALSE(seen[1].line.path_cut);
  }
}

TEST(MapsReader, SkipsLinesThatAreNotMappingsAndTakesAnUnfinishedLast) {
  const std::vector<Seen> seen = Parse("hello\n\n1-2 r-xp 0 0:0 0\nx\n3-4 r-xp 0 0:0 0 /end");
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen[1].path, "/end");
}

TEST(MapsReader, StopsWhenTheVisitorHasEnough) {
  int calls = 0;
  MapsReader reader([](const MapsLine&, void* arg) { return ++*static_cast<int*>(arg) < 2; },
                    &calls);
  EXPECT_FALSE(reader.Feed(kText));
  EXPECT_FALSE(reader.Feed(kText));
  EXPECT_FALSE(reader.Finish());
  EXPECT_EQ(calls, 2);
}

TEST(MapsReader, SurvivesAnyBytes) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    std::string text(kText);
    for (int hit = 0; hit < 20; ++hit) text[random() % text.size()] = static_cast<char>(random());
    if (round % 3 == 0) text.insert(random() % text.size(), random() % 9000, 'f');
    for (const Seen& seen : Parse(text, 1 + random() % 300)) {
      EXPECT_LT(seen.line.start, seen.line.end);
      EXPECT_LE(seen.path.size(), MapsReader::kMaxLine);
    }
  }
}

int CheckObject(dl_phdr_info* info, std::size_t, void* arg) {
  const auto& seen = *static_cast<const std::vector<Seen>*>(arg);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) continue;
    const std::uint64_t address = info->dlpi_addr + segment.p_vaddr;
    bool found = false;
    for (const Seen& s : seen) {
      if (address < s.line.start || address >= s.line.end) continue;
      found = true;
      EXPECT_TRUE(s.line.executable) << s.path;
      // The vdso's vaddr may be 0 with a header mapped in the same page.
      EXPECT_NE(s.line.image_start, 0u) << s.path;
      EXPECT_EQ(std::memcmp(reinterpret_cast<void*>(s.line.image_start), ELFMAG, SELFMAG), 0);
      if (info->dlpi_name[0] == '/') {
        char real[PATH_MAX];
        EXPECT_EQ(s.path, realpath(info->dlpi_name, real) ? real : "no such file");
      }
    }
    EXPECT_TRUE(found) << info->dlpi_name;
  }
  return 0;
}

TEST(ForEachMapping, AgreesWithTheDynamicLinker) {
  std::vector<Seen> seen;
  ASSERT_TRUE(ForEachMapping("/proc/thread-self/maps", Collect, &seen));
  EXPECT_GT(seen.size(), 10u);
  dl_iterate_phdr(CheckObject, &seen);
}

TEST(ForEachMapping, SeesADeletedFileAndWhatTheMappingMayDo) {
  char name[] = "/tmp/csink maps XXXXXX";
  const int fd = mkstemp(name);
  ASSERT_GE(fd, 0);
  ASSERT_EQ(ftruncate(fd, 3 * 4096), 0);
  void* data = mmap(nullptr, 4096, PROT_READ, MAP_SHARED, fd, 2 * 4096);
  ASSERT_NE(data, MAP_FAILED);
  close(fd);
  unlink(name);
  std::vector<Seen> seen;
  ASSERT_TRUE(ForEachMapping("/proc/thread-self/maps", Collect, &seen));
  munmap(data, 4096);
  const Seen* found = nullptr;
  for (const Seen& s : seen) {
    if (s.line.start == reinterpret_cast<std::uintptr_t>(data)) found = &s;
  }
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->path, name);
  EXPECT_EQ(found->line.offset, 2 * 4096u);
  EXPECT_TRUE(found->line.deleted && found->line.shared && found->line.readable);
  EXPECT_FALSE(found->line.executable || found->line.writable || found->line.path_cut);
}

/// A file with one page that is mapped, named by any bytes.
class NamedMapping {
 public:
  explicit NamedMapping(const std::string& name) {
    char folder[] = "/tmp/csink maps XXXXXX";
    EXPECT_NE(mkdtemp(folder), nullptr);
    folder_ = folder;
    path = folder_ + "/" + name;
    const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    EXPECT_EQ(ftruncate(fd, 4096), 0);
    data_ = mmap(nullptr, 4096, PROT_READ, MAP_SHARED, fd, 0);
    close(fd);
  }
  ~NamedMapping() {
    munmap(data_, 4096);
    std::filesystem::remove_all(folder_);
  }
  Seen Find(const char* maps = "/proc/thread-self/maps") const {
    std::vector<Seen> seen;
    EXPECT_TRUE(ForEachMapping(maps, Collect, &seen));
    for (const Seen& s : seen) {
      if (s.line.start == reinterpret_cast<std::uintptr_t>(data_)) return s;
    }
    return {};
  }

  std::string path;

 private:
  std::string folder_;
  void* data_;
};

TEST(ForEachMapping, NamesHaveAnyBytes) {
  for (const char* name : {"line\nbreak", "two\n\nbreaks\n", "back\\slash", "back\\012slash",
                           "ends (deleted)", "both\n (deleted)", "latin1-\xe9\xff", " blank "}) {
    const NamedMapping mapping(name);
    const std::string outside = "/proc/" + std::to_string(getpid()) + "/maps";
    for (const char* maps : {"/proc/thread-self/maps", outside.c_str()}) {
      const Seen seen = mapping.Find(maps);
      EXPECT_EQ(seen.path, mapping.path);
      EXPECT_FALSE(seen.line.deleted) << name;
    }
  }
}

TEST(ForEachMapping, ADeletedFileIsKnownByItsInode) {
  for (const char* name : {"plain", "line\nbreak", "ends (deleted)"}) {
    const NamedMapping mapping(name);
    unlink(mapping.path.c_str());
    // Another file with the name that the kernel shows.
    close(open((mapping.path + " (deleted)").c_str(), O_CREAT | O_CLOEXEC, 0600));
    const Seen seen = mapping.Find();
    EXPECT_EQ(seen.path, mapping.path);
    EXPECT_TRUE(seen.line.deleted) << name;
  }
}

TEST(ForEachMapping, SaysWhatTheKernelSaid) {
  const Result<void> missing = ForEachMapping("/nowhere/maps", Collect, nullptr);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().sys_errno, ENOENT);
  const Result<void> folder = ForEachMapping("/tmp", Collect, nullptr);
  ASSERT_FALSE(folder);
  EXPECT_EQ(folder.error().sys_errno, EISDIR);
}

TEST(ForEachMapping, KeepsErrno) {
  errno = 1234;
  (void)ForEachMapping("/nowhere/maps", Collect, nullptr);
  EXPECT_EQ(errno, 1234);
}

}  // namespace
}  // namespace csink
