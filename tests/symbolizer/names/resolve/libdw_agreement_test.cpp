#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <libelf.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <random>
#include <span>

#include "core/util/unique_fd.h"
#include "symbolizer/names/elf/unwind_bounds.h"
#include "symbolizer/names/resolve/addressing.h"
#include "symbolizer/names/resolve/resolver.h"

/// File: agreement with elfutils' libdw over random addresses of this test's own program, which has
/// inlined templates and code of several units. libdw is read in this process, so that DIEs, lines
/// and unwind entries are compared as they are and not as a tool prints them.

namespace csink::symbolizer {
namespace {

constexpr char kSubject[] = "/proc/self/exe";
constexpr std::size_t kAddresses = 12'000;
// GoogleTest, and in a release build the libraries, have no debug information.
constexpr std::size_t kLeastWithUnit = 250;

struct CloseDwarf {
  void operator()(Dwarf* dwarf) const { dwarf_end(dwarf); }
};
struct CloseElf {
  void operator()(Elf* elf) const { elf_end(elf); }
};
struct CloseCfi {
  void operator()(Dwarf_CFI* cfi) const { dwarf_cfi_end(cfi); }
};

/// The subject as libdw reads it.
struct Oracle {
  UniqueFd fd{open(kSubject, O_RDONLY | O_CLOEXEC)};
  std::unique_ptr<Elf, CloseElf> elf{elf_begin(fd.get(), ELF_C_READ, nullptr)};
  std::unique_ptr<Dwarf, CloseDwarf> dwarf{dwarf_begin_elf(elf.get(), DWARF_C_READ, nullptr)};
};

std::string BaseName(const char* path) {
  const std::string text = path ? path : "";
  return text.substr(text.rfind('/') + 1);
}

std::uint64_t Unsigned(Dwarf_Die& die, unsigned attribute) {
  Dwarf_Attribute found;
  Dwarf_Word value = 0;
  if (!dwarf_attr_integrate(&die, attribute, &found)) return 0;
  return dwarf_formudata(&found, &value) == 0 ? value : 0;
}

/// Empty for functions that only their unit knows: those have none.
std::string LinkageName(Dwarf_Die& die) {
  Dwarf_Attribute found;
  if (!dwarf_attr_integrate(&die, DW_AT_linkage_name, &found)) return {};
  const char* name = dwarf_formstring(&found);
  return name ? name : "";
}

/// One inlined call: the function's linkage name, and where it was called.
struct Call {
  std::string function;
  std::string place;
  bool operator==(const Call&) const = default;
};

void PrintTo(const Call& call, std::ostream* out) {
  *out << call.function << " from " << call.place;
}

/// The functions inlined at `vaddr`, innermost first.
std::vector<Call> CallsByLibdw(Dwarf_Die& unit, std::uint64_t vaddr) {
  Dwarf_Die* scopes = nullptr;
  if (dwarf_getscopes(&unit, vaddr, &scopes) <= 0) return {};
  const std::unique_ptr<Dwarf_Die, void (*)(void*)> owned(scopes, std::free);
  // The scopes above an inlined function are those of its definition; those of its calls are asked
  // for by the innermost DIE.
  Dwarf_Die* chain = nullptr;
  const int depth = dwarf_getscopes_die(&scopes[0], &chain);
  if (depth <= 0) return {};
  const std::unique_ptr<Dwarf_Die, void (*)(void*)> owned_chain(chain, std::free);
  Dwarf_Files* files = nullptr;
  std::size_t file_count = 0;
  dwarf_getsrcfiles(&unit, &files, &file_count);
  std::vector<Call> calls;
  for (Dwarf_Die& die : std::span(chain, static_cast<std::size_t>(depth))) {
    if (dwarf_tag(&die) == DW_TAG_subprogram) break;
    if (dwarf_tag(&die) != DW_TAG_inlined_subroutine) continue;
    const char* file = dwarf_filesrc(files, Unsigned(die, DW_AT_call_file), nullptr, nullptr);
    calls.push_back(
        {LinkageName(die), BaseName(file) + ":" + std::to_string(Unsigned(die, DW_AT_call_line))});
  }
  return calls;
}

std::vector<Call> CallsOf(const Location& location) {
  std::vector<Call> calls;
  for (const InlineFrame& frame : location.inlined) {
    calls.push_back({frame.raw_name,
                     BaseName(frame.call_file.c_str()) + ":" + std::to_string(frame.call_line)});
  }
  return calls;
}

class LibdwAgreement : public ::testing::Test {
 protected:
  void SetUp() override {
    elf_version(EV_CURRENT);
    auto object = ObjectBytes::Open(kSubject);
    ASSERT_TRUE(object);
    auto file = ElfFile::Read(std::move(*object));
    ASSERT_TRUE(file);
    file_ = std::make_unique<ElfFile>(std::move(*file));
    const auto text = file_->FindSection(".text");
    ASSERT_TRUE(text);
    const Elf64_Shdr& section = file_->sections()[*text];
    std::mt19937_64 random(2026);
    for (std::size_t i = 0; i < kAddresses; ++i) {
      vaddrs_.push_back(section.sh_addr + random() % section.sh_size);
    }
    std::sort(vaddrs_.begin(), vaddrs_.end());
    vaddrs_.erase(std::unique(vaddrs_.begin(), vaddrs_.end()), vaddrs_.end());
  }

  std::unique_ptr<ElfFile> file_;
  std::vector<std::uint64_t> vaddrs_;
};

TEST_F(LibdwAgreement, HoldsForInlinedFunctionsAndLines) {
  ModuleRequest request;
  request.path = kSubject;
  request.detail = Detail::kInlines;
  for (const std::uint64_t vaddr : vaddrs_) {
    const auto place = PlaceOf(*file_, vaddr);
    ASSERT_TRUE(place);
    request.file_offsets.push_back(*place);
  }
  const ModuleAnswer answer = ResolveModule(request, {});
  ASSERT_EQ(answer.locations.size(), vaddrs_.size());

  const Oracle oracle;
  ASSERT_TRUE(oracle.dwarf) << dwarf_errmsg(-1);
  std::size_t with_unit = 0;
  std::size_t inlined = 0;
  std::size_t lines = 0;
  std::size_t other_lines = 0;
  for (std::size_t i = 0; i < vaddrs_.size(); ++i) {
    SCOPED_TRACE(::testing::Message() << std::hex << vaddrs_[i]);
    Dwarf_Die unit;
    if (!dwarf_addrdie(oracle.dwarf.get(), vaddrs_[i], &unit)) continue;
    ++with_unit;
    const Location& location = answer.locations[i];
    inlined += !location.inlined.empty();
    EXPECT_EQ(CallsOf(location), CallsByLibdw(unit, vaddrs_[i]));
    Dwarf_Line* row = dwarf_getsrc_die(&unit, vaddrs_[i]);
    int number = 0;
    // A row with line 0 is the compiler's own code: a line near it is borrowed here.
    if (!row || dwarf_lineno(row, &number) != 0 || number == 0) continue;
    ++lines;
    const std::string theirs =
        BaseName(dwarf_linesrc(row, nullptr, nullptr)) + ":" + std::to_string(number);
    const std::string ours = BaseName(location.file.c_str()) + ":" + std::to_string(location.line);
    other_lines += ours != theirs;
  }
  EXPECT_GT(with_unit, kLeastWithUnit);
  EXPECT_GT(inlined, with_unit / 10);
  EXPECT_GT(lines, with_unit / 2);
  EXPECT_EQ(other_lines, 0u) << "of " << lines;
}

TEST_F(LibdwAgreement, HoldsForUnwindEntries) {
  const auto ranges = MatchUnwindEntries(*file_, vaddrs_);
  const Oracle oracle;
  ASSERT_TRUE(oracle.elf);
  const std::unique_ptr<Dwarf_CFI, CloseCfi> cfi(dwarf_getcfi_elf(oracle.elf.get()));
  ASSERT_TRUE(cfi) << dwarf_errmsg(-1);
  std::size_t found = 0;
  for (std::size_t i = 0; i < vaddrs_.size(); ++i) {
    SCOPED_TRACE(::testing::Message() << std::hex << vaddrs_[i]);
    Dwarf_Frame* read = nullptr;
    const bool known = dwarf_cfi_addrframe(cfi.get(), vaddrs_[i], &read) == 0;
    const std::unique_ptr<Dwarf_Frame, void (*)(void*)> frame(read, std::free);
    ASSERT_EQ(ranges[i].has_value(), known);
    if (!known) continue;
    ++found;
    // libdw tells the bounds of one row of the entry's table, which lies within the function.
    Dwarf_Addr start = 0;
    Dwarf_Addr end = 0;
    ASSERT_GE(dwarf_frame_info(frame.get(), &start, &end, nullptr), 0);
    EXPECT_LE(ranges[i]->start, start);
    EXPECT_GE(ranges[i]->end, end);
    EXPECT_LE(ranges[i]->start, vaddrs_[i]);
    EXPECT_LT(vaddrs_[i], ranges[i]->end);
  }
  EXPECT_GT(found, vaddrs_.size() / 2);
}

}  // namespace
}  // namespace csink::symbolizer
