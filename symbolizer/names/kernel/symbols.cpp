#include <algorithm>
#include <fstream>
#include <iterator>
#include <string_view>

#include "core/util/parse.h"
#include "symbolizer/names/demangle/clone_suffix.h"
#include "symbolizer/names/kernel/kernel.h"

namespace csink::symbolizer {
namespace {

/// The best symbol for an address so far.
struct Best {
  std::uint64_t start = 0;  ///< Address of the closest symbol at or below; 0: none yet
  std::string name;
};

/// Parses "ffffffff81000000 T _stext" or "... t name\t[module]". False for symbols that are not
/// code.
bool ParseLine(std::string_view line, std::uint64_t& address, std::string_view& name) {
  const auto parsed = ParseHex(NextToken(line, ' '));
  const std::string_view type = NextToken(line, ' ');
  if (!parsed || type.size() != 1 ||
      std::string_view("tTwW").find(type[0]) == std::string_view::npos) {
    return false;
  }
  address = *parsed;
  name = line;
  return !name.empty() && name.front() != '\t';
}

/// Names of the vsyscall page, the predecessor of the vdso, into which user programs jump. kallsyms
/// does not list it (arch/x86/entry/vsyscall).
std::string VsyscallName(std::uint64_t address) {
  constexpr std::uint64_t kPage = 0xffffffffff600000;
  constexpr std::uint64_t kSlot = 1024;
  constexpr const char* kNames[] = {"gettimeofday", "time", "getcpu"};
  if (address < kPage || address - kPage >= std::size(kNames) * kSlot) return {};
  return std::string(kNames[(address - kPage) / kSlot]) + " [vsyscall]";
}

/// Reads the list once and finds the closest symbol at or below each address. Its symbols are not
/// sorted. Returns false if the list shows no addresses: the kernel then prints 0 for all of them.
bool FindNames(const std::string& list, const std::vector<std::uint64_t>& addresses,
               std::vector<Best>& best) {
  std::ifstream file(list);
  bool shown = false;
  for (std::string line; std::getline(file, line);) {
    std::uint64_t start = 0;
    std::string_view name;
    if (!ParseLine(line, start, name) || start == 0) continue;
    shown = true;
    // A symbol belongs to the first address behind it; later addresses take it over below.
    const auto at = std::lower_bound(addresses.begin(), addresses.end(), start);
    if (at == addresses.end()) continue;
    Best& found = best[static_cast<std::size_t>(at - addresses.begin())];
    if (found.start < start) found = {start, std::string(name)};
  }
  // kallsyms has no sizes: a symbol extends to the next one.
  for (std::size_t i = 1; i < best.size(); ++i) {
    if (best[i].start < best[i - 1].start) best[i] = best[i - 1];
  }
  return shown;
}

/// "ext4_read\t[ext4]" is shown with its module, as in perf and in kernel logs.
void TakeName(const Best& found, Location& location) {
  const std::size_t tab = found.name.find('\t');
  location.raw_name = found.name.substr(0, tab);
  location.function = location.raw_name;
  if (tab != std::string::npos) location.function += " " + found.name.substr(tab + 1);
  location.clone = CloneSuffix(location.raw_name);
  location.source = NameSource::kSymbol;
  location.function_vaddr = found.start;
}

}  // namespace

ModuleAnswer ResolveKernel(const ModuleRequest& request, const std::string& list) {
  ModuleAnswer answer;
  const auto& addresses = request.file_offsets;
  std::vector<Best> best(addresses.size());
  const bool shown = request.is_running_kernel && FindNames(list, addresses, best);
  answer.has_symbols = true;
  if (!request.is_running_kernel) {
    answer.problem =
        "functions can be named only on the machine of the run and before its next restart";
  } else if (!shown) {
    answer.problem =
        "functions have no names: run as root, or run sudo sysctl kernel.kptr_restrict=0";
  }
  for (std::size_t i = 0; i < best.size(); ++i) {
    Location location;
    // Stays if no name is found.
    location.function = kKernelPath;
    location.vaddr = addresses[i];
    if (std::string name = VsyscallName(addresses[i]); !name.empty()) {
      location.raw_name = location.function = std::move(name);
      location.source = NameSource::kSymbol;
      location.function_vaddr = addresses[i] & ~std::uint64_t{1023};
    } else if (best[i].start != 0) {
      TakeName(best[i], location);
    }
    answer.locations.push_back(std::move(location));
  }
  return answer;
}

}  // namespace csink::symbolizer
