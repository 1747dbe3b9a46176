#include <gtest/gtest.h>

#include <array>
#include <random>

#include "symbolizer/names/lines/scan.h"
#include "symbolizer/names/lines/table.h"

/// File: line programs written by hand, byte by byte, for what compilers do rarely.

namespace csink::symbolizer {
namespace {

class Writer {
 public:
  Writer& U8(unsigned v) {
    bytes_ += static_cast<char>(v);
    return *this;
  }
  Writer& U16(unsigned v) { return U8(v & 255).U8(v >> 8); }
  Writer& U32(std::uint64_t v) { return U16(v & 0xffff).U16(v >> 16 & 0xffff); }
  Writer& U64(std::uint64_t v) { return U32(v & 0xffffffff).U32(v >> 32); }
  Writer& Uleb(std::uint64_t v) {
    for (; v >= 0x80; v >>= 7) U8((v & 0x7f) | 0x80);
    return U8(static_cast<unsigned>(v));
  }
  Writer& Text(const std::string& text) {
    bytes_ += text;
    return U8(0);
  }
  Writer& Raw(const std::string& bytes) {
    bytes_ += bytes;
    return *this;
  }
  // Opcodes.
  Writer& SetAddress(std::uint64_t v) { return U8(0).Uleb(9).U8(2).U64(v); }
  Writer& AdvancePc(std::uint64_t v) { return U8(2).Uleb(v); }
  Writer& AdvanceLine(unsigned v) { return U8(3).Uleb(v); }  // Below 64 only
  Writer& Copy() { return U8(1); }
  Writer& End() { return U8(0).Uleb(1).U8(1); }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

/// A unit of version 2 to 4 with directory "dir" and files "one.c", "two.c" (in dir).
std::string Unit(const std::string& program, unsigned version = 4, unsigned min_instruction = 1,
                 unsigned max_operations = 1, unsigned line_range = 14) {
  Writer head;
  head.U8(min_instruction);
  if (version >= 4) head.U8(max_operations);
  head.U8(1).U8(0xfb).U8(line_range).U8(13);
  for (const unsigned n : {0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1}) head.U8(n);
  head.Text("dir").U8(0);
  head.Text("one.c").Uleb(0).Uleb(0).Uleb(0).Text("two.c").Uleb(1).Uleb(0).Uleb(0).U8(0);
  Writer unit;
  unit.U16(version).U32(head.bytes().size()).Raw(head.bytes()).Raw(program);
  return Writer().U32(unit.bytes().size()).Raw(unit.bytes()).bytes();
}

Bytes AsBytes(const std::string& text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

/// Answers are the same whether every sequence is run or, of a large table, those alone that may
/// hold an address.
std::vector<LineHit> Match(const std::string& section, std::vector<std::uint64_t> vaddrs) {
  const auto hits = MatchLines(LineSections{AsBytes(section), {}, {}}, vaddrs);
  constexpr std::size_t kSparse = 20 << 10;
  if (vaddrs.size() > 64) return hits;
  const std::string large = section + Unit(std::string(vaddrs.size() * kSparse, 6));  // negate_stmt
  const auto same = MatchLines(LineSections{AsBytes(large), {}, {}}, vaddrs);
  EXPECT_EQ(same.size(), hits.size());
  for (std::size_t i = 0; i < hits.size(); ++i) {
    EXPECT_EQ(same[i].line, hits[i].line) << i;
    EXPECT_EQ(same[i].file, hits[i].file) << i;
    EXPECT_EQ(same[i].row_vaddr, hits[i].row_vaddr) << i;
    EXPECT_EQ(same[i].is_borrowed, hits[i].is_borrowed) << i;
  }
  return hits;
}

TEST(LineProgram, ARowReachesToTheNext) {
  const auto hits = Match(Unit(Writer()
                                   .SetAddress(0x1000)
                                   .Copy()
                                   .AdvancePc(4)
                                   .AdvanceLine(6)
                                   .Copy()
                                   .AdvancePc(4)
                                   .End()
                                   .bytes()),
                          {0xfff, 0x1000, 0x1003, 0x1004, 0x1007, 0x1008});
  EXPECT_EQ(hits[0].line, 0u);
  EXPECT_EQ(hits[1].line, 1u);
  EXPECT_EQ(hits[2].line, 1u);
  EXPECT_EQ(hits[3].line, 7u);
  EXPECT_EQ(hits[3].file, "one.c");
  EXPECT_EQ(hits[3].row_vaddr, 0x1004u);
  EXPECT_EQ(hits[4].line, 7u);
  EXPECT_EQ(hits[5].line, 0u);
}

TEST(LineProgram, TheLastRowOfAnAddressCounts) {
  const auto hits = Match(
      Unit(Writer().SetAddress(0x1000).Copy().AdvanceLine(4).Copy().AdvancePc(4).End().bytes()),
      {0x1000});
  EXPECT_EQ(hits[0].line, 5u);
}

TEST(LineProgram, LineZeroTakesTheRowBefore) {
  Writer program;
  program.SetAddress(0x1000).AdvanceLine(9).Copy();                // line 10
  program.AdvancePc(4).U8(3).U8(0x76).Copy();                      // -10: line 0
  program.AdvancePc(4).AdvanceLine(20).Copy().AdvancePc(4).End();  // line 20
  const auto hits = Match(Unit(program.bytes()), {0x1004, 0x1008});
  EXPECT_EQ(hits[0].line, 10u);
  EXPECT_EQ(hits[0].row_vaddr, 0x1000u);
  EXPECT_EQ(hits[1].line, 20u);
}

TEST(LineProgram, LineZeroTakesNothingFromARowWithoutBytes) {
  Writer program;
  program.SetAddress(0x1000).AdvanceLine(9).Copy();                  // line 10
  program.AdvancePc(4).AdvanceLine(5).Copy().U8(3).U8(0x71).Copy();  // line 15, then line 0
  program.AdvancePc(4).U8(1).AdvancePc(4).End();                     // again line 0
  const auto hits = Match(Unit(program.bytes()), {0x1000, 0x1004, 0x1008});
  EXPECT_EQ(hits[0].line, 10u);
  EXPECT_EQ(hits[1].line, 0u);
  EXPECT_EQ(hits[2].line, 0u);
}

TEST(LineProgram, LineZeroTakesNothingFromAnotherSequence) {
  Writer program;
  program.SetAddress(0x2000).AdvanceLine(9).Copy().AdvancePc(4).End();
  program.SetAddress(0x1000).U8(3).U8(0x7f).Copy().AdvancePc(4).End();  // -1: line 0
  const auto hits = Match(Unit(program.bytes()), {0x1000});
  EXPECT_EQ(hits[0].line, 0u);
  EXPECT_EQ(hits[0].file, "");
}

TEST(LineProgram, TombstonesAreSkipped) {
  for (const std::uint64_t dead : {std::uint64_t{0}, ~std::uint64_t{0}, ~std::uint64_t{1}}) {
    Writer program;
    program.SetAddress(dead).Copy().AdvancePc(0x4000).End();
    const auto hits = Match(Unit(program.bytes()), {0, 1, 0x1000});
    for (const LineHit& hit : hits) EXPECT_EQ(hit.line, 0u);
  }
}

TEST(LineProgram, TheFirstOfTwoSequencesWins) {
  Writer first, second;
  first.SetAddress(0x1004).Copy().AdvancePc(4).End();
  second.SetAddress(0x1000).AdvanceLine(1).Copy().AdvancePc(16).End();
  const auto hits = Match(Unit(first.bytes()) + Unit(second.bytes()), {0x1000, 0x1004, 0x1008});
  EXPECT_EQ(hits[0].line, 2u);
  EXPECT_EQ(hits[1].line, 1u);
  EXPECT_EQ(hits[2].line, 2u);
}

TEST(LineProgram, JoinsDirectoriesAndCountsDefinedFiles) {
  Writer program;
  program.U8(0).Uleb(1 + 6 + 3).U8(3).Text("new.c").Uleb(1).Uleb(0).Uleb(0);  // define_file
  program.SetAddress(0x1000).U8(4).Uleb(2).Copy().AdvancePc(4);
  program.U8(4).Uleb(3).Copy().AdvancePc(4).U8(4).Uleb(9).Copy().AdvancePc(4).End();
  const auto hits = Match(Unit(program.bytes()), {0x1000, 0x1004, 0x1008});
  EXPECT_EQ(hits[0].file, "dir/two.c");
  EXPECT_EQ(hits[1].file, "dir/new.c");
  EXPECT_EQ(hits[2].file, "");
  EXPECT_EQ(hits[2].line, 1u);
}

TEST(LineProgram, AdvancesBySpecialOpcodesAndInstructionSizes) {
  // Opcode 13 + 14 * 2 + 5 + 3: two instructions on, three lines on.
  const unsigned special = 13 + 14 * 2 + 5 + 3;
  const auto hits =
      Match(Unit(Writer().SetAddress(0x1000).Copy().U8(special).AdvancePc(1).End().bytes(), 3, 4),
            {0x1007, 0x1008, 0x100b, 0x100c});
  EXPECT_EQ(hits[0].line, 1u);
  EXPECT_EQ(hits[1].line, 4u);
  EXPECT_EQ(hits[2].line, 4u);
  EXPECT_EQ(hits[3].line, 0u);
}

TEST(LineProgram, CountsOperationsOfWideInstructions) {
  // Three operations to a bundle of 16 bytes: five operations on is one bundle and two.
  const auto hits = Match(Unit(Writer()
                                   .SetAddress(0x1000)
                                   .Copy()
                                   .AdvancePc(5)
                                   .AdvanceLine(1)
                                   .Copy()
                                   .AdvancePc(1)
                                   .End()
                                   .bytes(),
                               4, 16, 3),
                          {0x100f, 0x1010, 0x101f, 0x1020});
  EXPECT_EQ(hits[0].line, 1u);
  EXPECT_EQ(hits[1].line, 2u);
  EXPECT_EQ(hits[2].line, 2u);
  EXPECT_EQ(hits[3].line, 0u);
}

TEST(LineProgram, GoesOnBehindADamagedUnit) {
  const std::string good = Unit(Writer().SetAddress(0x1000).Copy().AdvancePc(4).End().bytes());
  const std::string unknown =
      Unit(Writer().SetAddress(0x1000).AdvanceLine(1).Copy().End().bytes(), 7);
  const std::string no_range = Unit(
      Writer().SetAddress(0x1000).AdvanceLine(2).Copy().AdvancePc(4).End().bytes(), 4, 1, 1, 0);
  EXPECT_EQ(Match(unknown + no_range + good, {0x1000})[0].line, 1u);
}

TEST(LineProgram, ATableThatGoesBackwardsFindsBothParts) {
  Writer program;
  program.SetAddress(0x2000).Copy().AdvancePc(4).AdvanceLine(1).Copy();
  program.SetAddress(0x1000).AdvanceLine(1).Copy().AdvancePc(4).End();
  const auto hits = Match(Unit(program.bytes()), {0x1000, 0x2000});
  EXPECT_EQ(hits[0].line, 3u);
  EXPECT_EQ(hits[1].line, 1u);
}

TEST(LineProgram, FewAddressesInMuchCodeGetTheAnswersOfAll) {
  // Match compares both ways. Opcodes in any order, whatever they mean to addresses.
  std::mt19937 random(5);
  const auto below = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
  for (int i = 0; i < 300; ++i) {
    Writer program;
    for (unsigned sequence = 0; sequence < 3; ++sequence) {
      program.SetAddress(0x1000 + below(0x400));
      for (unsigned n = below(30); n > 0; --n) {
        switch (below(9)) {
          case 0:
            program.AdvancePc(std::array{1u, 200u, 70'000u}[below(3)]);
            break;
          case 1:
            program.U8(8).U8(9).U16(below(0x80));  // const_add_pc, fixed_advance_pc
            break;
          case 2:
            program.U8(5).Uleb(below(40'000));  // set_column
            break;
          case 3:
            program.U8(0).Uleb(2).U8(4).U8(below(0x80));  // set_discriminator
            break;
          case 4:
            if (below(4) == 0) program.SetAddress(0x1000 + below(0x400));
            break;
          case 5:
            if (below(4) == 0) program.AdvancePc(~std::uint64_t{0} - below(0x100));  // backwards
            break;
          case 6:
            program.AdvanceLine(below(64)).Copy();
            break;
          default:
            program.U8(13 + below(243));
        }
      }
      program.End();
    }
    const std::uint64_t at = 0x1000 + below(0x400);
    Match(Unit(program.bytes(), 4, 1 + below(4)), {at, at + 9, at + 200, at + 0x11170});
  }
}

TEST(LineProgram, KnowsWhereASequenceLiesWithoutItsRows) {
  const std::string unit = Unit(Writer()
                                    .SetAddress(0x1000)
                                    .Copy()
                                    .AdvancePc(0x20)
                                    .U8(13 + 14 * 3)
                                    .End()
                                    .SetAddress(0)
                                    .Copy()
                                    .AdvancePc(8)
                                    .End()
                                    .bytes());
  LineHeader header;
  ByteReader reader(AsBytes(unit));
  ASSERT_TRUE(header.Read(reader));
  LineScan scan(header);
  LineSequence sequence;
  ASSERT_TRUE(scan.Next(sequence));
  EXPECT_EQ(sequence.low, 0x1000u);
  EXPECT_EQ(sequence.high, 0x1023u);
  EXPECT_FALSE(sequence.is_open);
  ASSERT_TRUE(scan.Next(sequence));
  EXPECT_EQ(sequence.low, sequence.high) << "thrown away by the linker";
  EXPECT_FALSE(scan.Next(sequence));
}

TEST(LineProgram, RepeatedCoverageCostsNoMoreThanItsBytes) {
  // 200,000 sequences over 10,000 addresses: 2e9 steps if each were looked at again.
  std::vector<std::uint64_t> vaddrs(10'000);
  for (std::size_t i = 0; i < vaddrs.size(); ++i) vaddrs[i] = 0x1000 + i;
  Writer program;
  for (int i = 0; i < 200'000; ++i) program.SetAddress(0x1000).Copy().AdvancePc(0x8000).End();
  const auto hits = Match(Unit(program.bytes()), vaddrs);
  EXPECT_EQ(hits.back().line, 1u);
}

TEST(LineProgram, AHugeUnitLengthIsRefused) {
  std::string unit = Unit(Writer().SetAddress(0x1000).Copy().AdvancePc(4).End().bytes());
  unit[3] = '\x7f';
  EXPECT_EQ(Match(unit, {0x1000})[0].line, 0u);
}

}  // namespace
}  // namespace csink::symbolizer
