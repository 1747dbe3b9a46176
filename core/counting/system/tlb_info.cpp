#include <algorithm>
#include <tuple>

#include "core/counting/system/cache_info.h"

// Three descriptions of TLBs, newest first. Intel's leaf 0x18 has a subleaf for each TLB. Its older
// leaf 2 has bytes that stand for entries of a table (kDescriptors). AMD has registers with fixed
// fields. Each processor has one of them, so the first one that gives anything is used.

namespace csink {
namespace {

constexpr std::uint64_t k4K = 4096, k2M = 2u << 20, k4M = 4u << 20, k1G = 1u << 30;
constexpr CacheKind kCode = CacheKind::kInstruction, kData = CacheKind::kData,
                    kBoth = CacheKind::kUnified;

// The TLBs that a descriptor byte of leaf 2 stands for (Intel SDM volume 2A, table 3-12). Bytes for
// caches and prefetchers are left out; a byte may stand for several TLBs.
struct Descriptor {
  std::uint8_t byte;
  Tlb tlb;
};
constexpr unsigned kFull = kFullyAssociative;
constexpr Descriptor kDescriptors[] = {
    {0x01, {1, kCode, 32, k4K, 4}},     {0x02, {1, kCode, 2, k4M, kFull}},
    {0x03, {1, kData, 64, k4K, 4}},     {0x04, {1, kData, 8, k4M, 4}},
    {0x05, {1, kData, 32, k4M, 4}},     {0x0b, {1, kCode, 4, k4M, 4}},
    {0x4f, {1, kCode, 32, k4K, 0}},     {0x50, {1, kCode, 64, k4K, 0}},
    {0x50, {1, kCode, 64, k2M, 0}},     {0x51, {1, kCode, 128, k4K, 0}},
    {0x51, {1, kCode, 128, k2M, 0}},    {0x52, {1, kCode, 256, k4K, 0}},
    {0x52, {1, kCode, 256, k2M, 0}},    {0x55, {1, kCode, 7, k2M, kFull}},
    {0x56, {1, kData, 16, k4M, 4}},     {0x57, {1, kData, 16, k4K, 4}},
    {0x59, {1, kData, 16, k4K, kFull}}, {0x5a, {1, kData, 32, k2M, 4}},
    {0x5b, {1, kData, 64, k4K, 0}},     {0x5b, {1, kData, 64, k4M, 0}},
    {0x5c, {1, kData, 128, k4K, 0}},    {0x5c, {1, kData, 128, k4M, 0}},
    {0x5d, {1, kData, 256, k4K, 0}},    {0x5d, {1, kData, 256, k4M, 0}},
    {0x61, {1, kCode, 48, k4K, kFull}}, {0x63, {1, kData, 32, k2M, 4}},
    {0x63, {1, kData, 4, k1G, 4}},      {0x64, {1, kData, 512, k4K, 4}},
    {0x6a, {1, kData, 64, k4K, 8}},     {0x6b, {1, kData, 256, k4K, 8}},
    {0x6c, {1, kData, 128, k2M, 8}},    {0x6d, {1, kData, 16, k1G, kFull}},
    {0x76, {1, kCode, 8, k2M, kFull}},  {0xa0, {1, kData, 32, k4K, kFull}},
    {0xb0, {1, kCode, 128, k4K, 4}},    {0xb1, {1, kCode, 8, k2M, 4}},
    {0xb2, {1, kCode, 64, k4K, 4}},     {0xb3, {1, kData, 128, k4K, 4}},
    {0xb4, {1, kData, 256, k4K, 4}},    {0xb5, {1, kCode, 64, k4K, 8}},
    {0xb6, {1, kCode, 128, k4K, 8}},    {0xba, {1, kData, 64, k4K, 4}},
    {0xc0, {1, kData, 8, k4K, 4}},      {0xc0, {1, kData, 8, k4M, 4}},
    {0xc1, {2, kBoth, 1024, k4K, 8}},   {0xc1, {2, kBoth, 1024, k2M, 8}},
    {0xc2, {1, kData, 16, k4K, 4}},     {0xc2, {1, kData, 16, k2M, 4}},
    {0xc3, {2, kBoth, 1536, k4K, 6}},   {0xc3, {2, kBoth, 1536, k2M, 6}},
    {0xc3, {2, kBoth, 16, k1G, 4}},     {0xc4, {1, kData, 32, k2M, 4}},
    {0xca, {2, kBoth, 512, k4K, 4}},
};

// Adds every TLB of the table that this byte stands for.
void AddDescriptor(std::vector<Tlb>& tlbs, std::uint8_t byte) {
  for (const Descriptor& descriptor : kDescriptors) {
    if (descriptor.byte == byte) tlbs.push_back(descriptor.tlb);
  }
}

// CPUID leaf 2: each register with bit 31 clear holds four descriptors. The lowest byte of eax is a
// count, which is 1 on every processor. The byte 0xfe refers to leaf 0x18, which is read first.
std::vector<Tlb> FromDescriptors(const CpuidFunction& cpuid) {
  std::vector<Tlb> tlbs;
  const auto r = cpuid(2, 0);
  if (!r) return tlbs;
  const std::uint32_t words[] = {r->eax & ~0xffu, r->ebx, r->ecx, r->edx};
  for (const std::uint32_t word : words) {
    // Bit 31 set: the register holds no descriptors.
    if (word >> 31) continue;
    for (int byte = 0; byte < 4; ++byte) {
      AddDescriptor(tlbs, static_cast<std::uint8_t>(word >> (8 * byte)));
    }
  }
  return tlbs;
}

// CPUID leaf 0x18 (Intel SDM volume 2A): a subleaf for each TLB; eax of subleaf 0 is the last
// subleaf.
std::vector<Tlb> FromParameters(const CpuidFunction& cpuid) {
  std::vector<Tlb> tlbs;
  const auto first = cpuid(0x18, 0);
  // 64: a limit for hypervisors that answer with nonsense; processors have about eight subleaves.
  const std::uint32_t last = first ? std::min<std::uint32_t>(first->eax, 64) : 0;
  for (std::uint32_t index = 0; first && index <= last; ++index) {
    const auto r = cpuid(0x18, index);
    const unsigned type = r ? r->edx & 31 : 0;
    if (type == 0 || type > 5) continue;  // 4 and 5: TLBs for loads only, for stores only
    const unsigned ways = r->ebx >> 16;
    const bool full = (r->edx >> 8) & 1;
    const CacheKind kind = type == 2 ? kCode : type == 3 ? kBoth : kData;
    // In the order of bits 0 to 3 of EBX.
    constexpr std::uint64_t kPages[] = {k4K, k2M, k4M, k1G};
    for (unsigned page = 0; page < 4; ++page) {
      if (!((r->ebx >> page) & 1)) continue;
      if (page == 2 && ((r->ebx >> 1) & 1)) continue;  // 4 MiB pages do not exist in 64-bit mode
      tlbs.push_back({(r->edx >> 5) & 7, kind, ways * r->ecx, kPages[page], full ? kFull : ways});
    }
  }
  return tlbs;
}

// A register with 12 bits of entries and 4 bits of associativity; the upper half is the data TLB's.
void AddPair(std::vector<Tlb>& tlbs, unsigned level, std::uint32_t word, std::uint64_t page) {
  const std::uint32_t code = word & 0xffff, data = word >> 16;
  for (const auto& [half, kind] : {std::pair{code, kCode}, std::pair{data, kData}}) {
    if (half & 0xfff) tlbs.push_back({level, kind, half & 0xfff, page, WaysOfAmd(half >> 12)});
  }
}

// CPUID 0x80000005 (level 1), 0x80000006 (level 2) and 0x80000019 (1 GiB pages): AMD APM volume 3,
// appendix E.4. Where the pages have 2 MiB and 4 MiB entries, the fields are those of 2 MiB.
std::vector<Tlb> FromAmd(const CpuidFunction& cpuid) {
  std::vector<Tlb> tlbs;
  if (const auto r = cpuid(0x8000'0005, 0)) {
    for (const auto& [word, page] : {std::pair{r->ebx, k4K}, std::pair{r->eax, k2M}}) {
      const unsigned code = word & 0xff, data = (word >> 16) & 0xff;
      if (code) tlbs.push_back({1, kCode, code, page, WaysOfAmdLevelOne(word >> 8)});
      if (data) tlbs.push_back({1, kData, data, page, WaysOfAmdLevelOne(word >> 24)});
    }
  }
  if (const auto r = cpuid(0x8000'0006, 0)) {
    AddPair(tlbs, 2, r->ebx, k4K);
    AddPair(tlbs, 2, r->eax, k2M);
  }
  if (const auto r = cpuid(0x8000'0019, 0)) {
    AddPair(tlbs, 1, r->eax, k1G);
    AddPair(tlbs, 2, r->ebx, k1G);
  }
  return tlbs;
}

}  // namespace

std::vector<Tlb> ReadTlbs(const CpuidFunction& cpuid) {
  std::vector<Tlb> tlbs = FromParameters(cpuid);
  if (tlbs.empty()) tlbs = FromDescriptors(cpuid);
  if (tlbs.empty()) tlbs = FromAmd(cpuid);
  // By level and page size, so that the list does not depend on which leaf it came from.
  std::stable_sort(tlbs.begin(), tlbs.end(), [](const Tlb& a, const Tlb& b) {
    return std::tie(a.level, a.page_bytes, a.kind) < std::tie(b.level, b.page_bytes, b.kind);
  });
  return tlbs;
}

}  // namespace csink
