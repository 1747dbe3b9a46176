#include <elf.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "core/machine/maps.h"

namespace csink {
namespace {

std::string Hex(const std::uint8_t* bytes, std::size_t size) {
  std::string text;
  for (std::size_t i = 0; i < size; ++i) {
    char digits[3];
    std::snprintf(digits, sizeof(digits), "%02x", bytes[i]);
    text += digits;
  }
  return text;
}

std::string BuildIdAt(const void* header) {
  std::uint8_t id[kMaxBuildIdBytes];
  return Hex(id, ReadBuildId(reinterpret_cast<std::uintptr_t>(header), id));
}

std::string BuildIdByReadelf(const std::string& path) {
  FILE* pipe = popen(("readelf -n '" + path + "' 2>/dev/null").c_str(), "r");
  std::string id;
  char line[512];
  while (pipe && std::fgets(line, sizeof(line), pipe)) {
    if (const char* at = std::strstr(line, "Build ID: ")) id = at + 10;
  }
  if (pipe) pclose(pipe);
  while (!id.empty() && id.back() == '\n') id.pop_back();
  return id;
}

bool CollectImages(const MapsLine& line, void* arg) {
  auto& images = *static_cast<std::vector<std::pair<std::string, std::uint64_t>>*>(arg);
  if (line.executable && line.image_start != 0) images.emplace_back(line.path, line.image_start);
  return true;
}

TEST(ReadBuildId, AgreesWithReadelfForEveryLoadedImage) {
  if (std::system("readelf --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "no readelf here";
  std::vector<std::pair<std::string, std::uint64_t>> images;
  ASSERT_TRUE(ForEachMapping("/proc/thread-self/maps", CollectImages, &images));
  int compared = 0;
  for (const auto& [path, start] : images) {
    const std::string id = BuildIdAt(reinterpret_cast<void*>(start));
    if (path == "[vdso]") {
      EXPECT_EQ(id.size(), 40u);
    }
    if (path.empty() || path[0] != '/') continue;
    EXPECT_EQ(id, BuildIdByReadelf(path)) << path;
    compared += id.size() == 40;
  }
  EXPECT_GE(compared, 2) << "libc and libstdc++ at least";
}

/// As old container engines do it.
bool RefuseProcessVmReadv() {
  sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{4, code};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

TEST(ReadBuildId, IsReadThroughTheMemoryFileWhereTheCallIsRefused) {
  std::vector<std::pair<std::string, std::uint64_t>> images;
  ASSERT_TRUE(ForEachMapping("/proc/thread-self/maps", CollectImages, &images));
  ASSERT_FALSE(images.empty());
  void* start = reinterpret_cast<void*>(images[0].second);
  const std::string expected = BuildIdAt(start);
  ASSERT_EQ(expected.size(), 40u);
  const pid_t child = fork();
  if (child == 0) {
    if (!RefuseProcessVmReadv()) _exit(2);
    if (!BuildIdAt(nullptr).empty()) _exit(3);
    _exit(BuildIdAt(start) == expected ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

/// An image of our own making: [page of headers and notes][page without access].
class FakeImage : public testing::Test {
 protected:
  void SetUp() override {
    page_ = static_cast<std::uint8_t*>(
        mmap(nullptr, 2 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    ASSERT_NE(page_, MAP_FAILED);
    ASSERT_EQ(mprotect(page_ + 4096, 4096, PROT_NONE), 0);
    std::memcpy(header().e_ident, ELFMAG, SELFMAG);
    header().e_ident[EI_CLASS] = ELFCLASS64;
    header().e_ident[EI_DATA] = ELFDATA2LSB;
    header().e_phentsize = sizeof(Elf64_Phdr);
    header().e_phoff = sizeof(Elf64_Ehdr);
    header().e_phnum = 2;
    // The notes come first: the order of segments must not matter.
    segment(0).p_type = PT_NOTE;
    segment(0).p_vaddr = kBase + kNotes;
    segment(0).p_align = 4;
    segment(1).p_type = PT_LOAD;
    segment(1).p_vaddr = kBase;
  }
  void TearDown() override { munmap(page_, 2 * 4096); }

  Elf64_Ehdr& header() { return *reinterpret_cast<Elf64_Ehdr*>(page_); }
  Elf64_Phdr& segment(int i) {
    return reinterpret_cast<Elf64_Phdr*>(page_ + sizeof(Elf64_Ehdr))[i];
  }
  /// Appends a note of the segment's alignment.
  void Note(std::uint32_t type, const std::string& name, const std::string& desc) {
    const std::size_t align = segment(0).p_align;
    const Elf64_Nhdr note{static_cast<Elf64_Word>(name.size() + 1),
                          static_cast<Elf64_Word>(desc.size()), type};
    std::uint8_t* at = page_ + kNotes + segment(0).p_memsz;
    std::memcpy(at, &note, sizeof(note));
    std::memcpy(at + sizeof(note), name.c_str(), name.size() + 1);
    const std::size_t desc_at = (sizeof(note) + name.size() + 1 + align - 1) & ~(align - 1);
    std::memcpy(at + desc_at, desc.data(), desc.size());
    segment(0).p_memsz += (desc_at + desc.size() + align - 1) & ~(align - 1);
  }

  static constexpr std::uint64_t kBase = 0x400000;
  static constexpr std::uint64_t kNotes = 1024;
  std::uint8_t* page_ = nullptr;
};

TEST_F(FakeImage, IsFoundBehindOtherNotes) {
  Note(1, "GNU", "abi tag!");
  Note(3, "Go", "not this one");
  Note(3, "GNU", "\xab\xcd\xef");
  EXPECT_EQ(BuildIdAt(page_), "abcdef");
}

TEST_F(FakeImage, IsFoundInNotesAlignedToEight) {
  segment(0).p_align = 8;
  Note(5, "GNU", "property");
  Note(3, "GNU", "\x11\x22");
  EXPECT_EQ(BuildIdAt(page_), "1122");
}

TEST_F(FakeImage, LosesTheEndOfALongBuildId) {
  Note(3, "GNU", std::string(64, '\x5a'));
  EXPECT_EQ(BuildIdAt(page_), Hex(std::vector<std::uint8_t>(20, 0x5a).data(), 20));
}

TEST_F(FakeImage, HasNoneWhenNotesLieWhereNothingCanBeRead) {
  Note(3, "GNU", "\x11\x22");
  segment(0).p_vaddr = kBase + 4096 - 8;  // its head reaches into the closed page
  EXPECT_EQ(BuildIdAt(page_), "");
  segment(0).p_vaddr = ~std::uint64_t{0} - 8;
  EXPECT_EQ(BuildIdAt(page_), "");
}

TEST_F(FakeImage, HasNoneWhenTheNoteClaimsMoreThanTheSegment) {
  Note(3, "GNU", "0123456789");
  reinterpret_cast<Elf64_Nhdr*>(page_ + kNotes)->n_descsz = 0xffffffff;
  EXPECT_EQ(BuildIdAt(page_), "");
  reinterpret_cast<Elf64_Nhdr*>(page_ + kNotes)->n_descsz = 10;
  reinterpret_cast<Elf64_Nhdr*>(page_ + kNotes)->n_namesz = 0xffffffff;
  EXPECT_EQ(BuildIdAt(page_), "");
}

TEST_F(FakeImage, HasNoneWhenTheHeaderIsWrong) {
  Note(3, "GNU", "\x11\x22");
  ASSERT_EQ(BuildIdAt(page_), "1122");
  header().e_phnum = 60000;
  EXPECT_EQ(BuildIdAt(page_), "");
  header().e_phnum = 2;
  header().e_phoff = 4096 - 16;
  EXPECT_EQ(BuildIdAt(page_), "");
  header().e_phoff = sizeof(Elf64_Ehdr);
  header().e_ident[EI_CLASS] = ELFCLASS32;
  EXPECT_EQ(BuildIdAt(page_), "");
}

TEST_F(FakeImage, SurvivesAnyBytes) {
  std::mt19937 random(11);
  Note(1, "GNU", "abi tag!");
  Note(3, "GNU", "0123456789");
  const std::vector<std::uint8_t> good(page_, page_ + 4096);
  for (int round = 0; round < 2000; ++round) {
    std::memcpy(page_, good.data(), good.size());
    for (int hit = 0; hit < 4; ++hit) page_[random() % 200] = static_cast<std::uint8_t>(random());
    page_[kNotes + random() % 64] = static_cast<std::uint8_t>(random());
    std::memcpy(page_, ELFMAG, SELFMAG);
    EXPECT_LE(BuildIdAt(page_).size(), 2 * kMaxBuildIdBytes);
  }
}

TEST(ReadBuildId, NeverFaultsWhereNothingIsMapped) {
  std::uint8_t id[kMaxBuildIdBytes];
  for (std::uint64_t address : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{4096},
                                ~std::uint64_t{0}, std::uint64_t{1} << 63}) {
    EXPECT_EQ(ReadBuildId(address, id), 0u);
  }
}

}  // namespace
}  // namespace csink
