/// Program: papi_mem_info. Layout of papi-tools 7.0's.

#include <papi.h>

#include <climits>
#include <cstdio>

#include "compat/utils/json.h"
#include "compat/utils/message.h"
#include "compat/utils/options.h"
#include "compat/utils/run.h"

namespace csink::utils {
namespace {

using Json = nlohmann::ordered_json;

constexpr ExitCode kExits[] = {
    {0, "the caches are shown"},
    {1, "the library cannot be initialized, or has no information about caches"}};
constexpr const char* kSeeAlso[] = {"papi_hardware_avail"};
constexpr Tool kTool = {
    .name = "papi_mem_info",
    .line = "describe the processor's caches and TLBs",
    .operands = "[TESTS_QUIET]",
    .description =
        "Prints sizes, lines, entries and associativities of the caches and translation lookaside "
        "buffers of the processor, level by level.",
    .json_text =
        "\"tlbs\": level, type, page_bytes, entries, associativity; \"caches\": level, type, "
        "size_bytes, line_bytes, lines, associativity, write, replacement. An associativity is a "
        "number of ways, or \"full\"; null: unknown.",
    .exits = kExits,
    .see_also = kSeeAlso};

constexpr int kBytesPerKb = 1024;

/// The kind alone; the other bits of the type are policies.
const char* TypeName(int type) {
  switch (PAPI_MH_CACHE_TYPE(type)) {
    case PAPI_MH_TYPE_UNIFIED:
      return "Unified";
    case PAPI_MH_TYPE_DATA:
      return "Data";
    case PAPI_MH_TYPE_INST:
      return "Instruction";
    case PAPI_MH_TYPE_VECTOR:
      return "Vector";
    case PAPI_MH_TYPE_TRACE:
      return "Trace";
    default:
      return "";
  }
}

/// Our library gives SHRT_MAX for a fully associative cache, PAPI's own gives -1.
bool IsFull(int associativity) { return associativity == SHRT_MAX || associativity == -1; }

/// 0: unknown, nothing is printed.
void PrintAssociativity(int ways) {
  if (IsFull(ways)) {
    std::puts("  Associativity:       Full");
  } else if (ways == 1) {
    std::puts("  Associativity:      Direct Mapped");
  } else if (ways > 0) {
    std::printf("  Associativity:      %5d\n", ways);
  }
}

/// The page size is printed only if it is known (0 otherwise).
void PrintTlb(int level, const PAPI_mh_tlb_info_t& tlb) {
  std::printf("L%d %s TLB:\n", level, TypeName(tlb.type));
  if (tlb.page_size > 0) {
    std::printf("  Page Size:         %6d KB\n", tlb.page_size / kBytesPerKb);
  }
  std::printf("  Number of Entries: %6d\n", tlb.num_entries);
  PrintAssociativity(tlb.associativity);
  std::putchar('\n');
}

/// A cache; numbers that the library does not know are 0.
void PrintCache(int level, const PAPI_mh_cache_info_t& cache) {
  std::printf("L%d %s Cache:\n", level, TypeName(cache.type));
  // Rounded down to KiB.
  std::printf("  Total size:        %6d KB\n", cache.size / kBytesPerKb);
  std::printf("  Line size:         %6d B\n", cache.line_size);
  std::printf("  Number of Lines:   %6d\n", cache.num_lines);
  PrintAssociativity(cache.associativity);
  std::putchar('\n');
}

/// Calls tlb(level, info) and cache(level, info) for all entries that are not empty.
template <class Tlb, class Cache>
void ForEach(const PAPI_mh_info_t& memory, Tlb tlb, Cache cache) {
  // `levels` comes from the library and is not trusted beyond the array.
  for (int i = 0; i < memory.levels && i < PAPI_MAX_MEM_HIERARCHY_LEVELS; ++i) {
    for (const PAPI_mh_tlb_info_t& info : memory.level[i].tlb) {
      // The arrays have room for more entries than a level has; the others are empty.
      if (PAPI_MH_CACHE_TYPE(info.type) != PAPI_MH_TYPE_EMPTY) tlb(i + 1, info);
    }
    for (const PAPI_mh_cache_info_t& info : memory.level[i].cache) {
      if (PAPI_MH_CACHE_TYPE(info.type) != PAPI_MH_TYPE_EMPTY) cache(i + 1, info);
    }
  }
}

/// False: no cache or TLB is known.
bool PrintText(const PAPI_mh_info_t& memory) {
  std::puts(
      "Memory Cache and TLB Hierarchy Information.\n"
      "------------------------------------------------------------------------\n"
      "TLB Information.\n"
      "  There may be multiple descriptors for each level of TLB\n"
      "  if multiple page sizes are supported.\n");
  // TLBs first, then caches, each for all levels.
  bool any = false;
  ForEach(
      memory, [&](int level, const auto& tlb) { PrintTlb(level, tlb), any = true; },
      [](int, const auto&) {});
  std::puts("\nCache Information.\n");
  ForEach(
      memory, [](int, const auto&) {},
      [&](int level, const auto& cache) { PrintCache(level, cache), any = true; });
  return any;
}

/// "full", a number, or null for unknown.
Json WaysJson(int ways) {
  if (IsFull(ways)) return "full";
  if (ways > 0) return ways;
  return nullptr;
}

/// null: the library does not know the replacement policy.
Json PolicyJson(int type) {
  switch (PAPI_MH_CACHE_REPLACEMENT_POLICY(type)) {
    case PAPI_MH_TYPE_LRU:
      return "lru";
    case PAPI_MH_TYPE_PSEUDO_LRU:
      return "pseudo-lru";
    case PAPI_MH_TYPE_FIFO:
      return "fifo";
    default:
      return nullptr;
  }
}

/// False: no cache or TLB is known; the object is printed nevertheless, with empty lists.
bool PrintAsJson(const PAPI_mh_info_t& memory) {
  Json object = JsonHead(kTool);
  object["tlbs"] = Json::array();
  object["caches"] = Json::array();
  ForEach(
      memory,
      [&](int level, const PAPI_mh_tlb_info_t& tlb) {
        object["tlbs"].push_back({{"level", level},
                                  {"type", TypeName(tlb.type)},
                                  {"page_bytes", tlb.page_size},
                                  {"entries", tlb.num_entries},
                                  {"associativity", WaysJson(tlb.associativity)}});
      },
      [&](int level, const PAPI_mh_cache_info_t& cache) {
        // PAPI has one bit: what does not write back writes through.
        const bool back = PAPI_MH_CACHE_WRITE_POLICY(cache.type) == PAPI_MH_TYPE_WB;
        object["caches"].push_back({{"level", level},
                                    {"type", TypeName(cache.type)},
                                    {"size_bytes", cache.size},
                                    {"line_bytes", cache.line_size},
                                    {"lines", cache.num_lines},
                                    {"associativity", WaysJson(cache.associativity)},
                                    {"write", back ? "back" : "through"},
                                    {"replacement", PolicyJson(cache.type)}});
      });
  const bool any = !object["tlbs"].empty() || !object["caches"].empty();
  PrintJson(object);
  return any;
}

int Run(const Arguments& arguments) {
  if (!TakesNothingElse(kTool, arguments)) return kMisuse;
  if (!StartLibrary(kTool)) return kFailed;
  const PAPI_hw_info_t* hardware = PAPI_get_hardware_info();
  if (!hardware) return Say(kTool, "the library does not describe the hardware"), kFailed;
  const PAPI_mh_info_t& memory = hardware->mem_hierarchy;
  if (arguments.json() ? PrintAsJson(memory) : PrintText(memory)) return kFine;
  return Say(kTool, "neither the processor nor the kernel describes any cache"), kFailed;
}

}  // namespace
}  // namespace csink::utils

int main(int argc, char** argv) {
  return csink::utils::RunTool(csink::utils::kTool, argc, argv, csink::utils::Run);
}
