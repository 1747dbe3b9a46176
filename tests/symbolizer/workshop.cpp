#include "tests/symbolizer/workshop.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

namespace csink::symbolizer::testing {

Workshop::Workshop() {
  std::string name = (std::filesystem::temp_directory_path() / "csink-symbolizer-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) ADD_FAILURE() << "no temporary folder";
  folder_ = name;
}

Workshop::~Workshop() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

std::string Workshop::Write(const std::string& name, const std::string& text) const {
  const std::string path = Path(name);
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  WriteWhole(path, text);
  return path;
}

std::string Workshop::Run(const std::string& command) const {
  // What a sanitizer or a debug file server adds to children is no part of the test.
  const std::string line = "cd '" + folder_ + "' && LC_ALL=C DEBUGINFOD_URLS= ; (" + command +
                           ") 2>'" + folder_ + "/.stderr'";
  std::FILE* pipe = ::popen(line.c_str(), "r");
  if (pipe == nullptr) {
    ADD_FAILURE() << "cannot run " << command;
    return {};
  }
  std::string out;
  char piece[4096];
  std::size_t got = 0;
  while ((got = std::fread(piece, 1, sizeof piece, pipe)) != 0) out.append(piece, got);
  const int status = ::pclose(pipe);
  if (status != 0) ADD_FAILURE() << command << "\nfailed: " << ReadWhole(folder_ + "/.stderr");
  return out;
}

bool HaveTool(const std::string& name) {
  return std::system(("command -v '" + name + "' >/dev/null 2>&1").c_str()) == 0;
}

bool ObjcopyKnowsZstd() { return std::system("objcopy --help 2>/dev/null | grep -q zstd") == 0; }

std::map<std::string, NmSymbol> Nm(const Workshop& shop, const std::string& path,
                                   const std::string& flags) {
  std::map<std::string, NmSymbol> symbols;
  std::istringstream lines(shop.Run("nm -S --defined-only " + flags + " '" + path + "'"));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    const std::vector<std::string> parts{std::istream_iterator<std::string>(words), {}};
    if (parts.size() < 3) continue;
    NmSymbol symbol;
    symbol.start = std::stoull(parts[0], nullptr, 16);
    if (parts.size() == 4) symbol.size = std::stoull(parts[1], nullptr, 16);
    symbols.try_emplace(parts.back(), symbol);
  }
  return symbols;
}

std::uint64_t OffsetOf(const Workshop& shop, const std::string& path, std::uint64_t vaddr) {
  std::istringstream lines(shop.Run("readelf -lW '" + path + "'"));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string type, offset, start, physical, file_size, memory_size, rest;
    words >> type >> offset >> start >> physical >> file_size >> memory_size;
    std::getline(words, rest);
    if (type != "LOAD" || rest.find('E') == std::string::npos) continue;
    const std::uint64_t from = std::stoull(start, nullptr, 16);
    if (vaddr >= from && vaddr - from < std::stoull(file_size, nullptr, 16)) {
      return vaddr - from + std::stoull(offset, nullptr, 16);
    }
  }
  ADD_FAILURE() << path << " has no executable segment at " << std::hex << vaddr;
  return 0;
}

std::vector<std::uint8_t> BuildIdOf(const Workshop& shop, const std::string& path) {
  const std::string notes = shop.Run("readelf -n '" + path + "'");
  const std::string label = "Build ID: ";
  std::size_t at = notes.find(label);
  std::vector<std::uint8_t> id;
  if (at == std::string::npos) return id;
  for (at += label.size(); at + 1 < notes.size() && std::isxdigit(notes[at]) != 0; at += 2) {
    id.push_back(static_cast<std::uint8_t>(std::stoul(notes.substr(at, 2), nullptr, 16)));
  }
  return id;
}

ModuleRequest RequestFor(const Workshop& shop, const std::string& path,
                         std::vector<std::uint64_t> offsets) {
  std::sort(offsets.begin(), offsets.end());
  offsets.erase(std::unique(offsets.begin(), offsets.end()), offsets.end());
  ModuleRequest request;
  request.path = path;
  request.build_id = BuildIdOf(shop, path);
  request.file_offsets = std::move(offsets);
  return request;
}

Location ResolveVaddr(const Workshop& shop, const std::string& path, std::uint64_t vaddr,
                      const Options& options) {
  const ModuleAnswer answer =
      ResolveModule(RequestFor(shop, path, {OffsetOf(shop, path, vaddr)}), options);
  EXPECT_EQ(answer.problem, "");
  return answer.locations.at(0);
}

std::string ReadWhole(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void WriteWhole(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

const char kSelfLocating[] = R"(
#include <stdio.h>
static void SayAt(const char* name, unsigned long at) {
  char line[512];
  FILE* maps = fopen("/proc/self/maps", "r");
  while (maps && fgets(line, sizeof line, maps)) {
    unsigned long from, to, offset;
    if (sscanf(line, "%lx-%lx %*s %lx", &from, &to, &offset) == 3 && at >= from && at < to) {
      printf("%s %lx\n", name, at - from + offset);
    }
  }
  fclose(maps);
}
#define Say(f) SayAt(#f, (unsigned long)&f + 1)
)";

std::map<std::string, std::uint64_t> SelfLocated(const Workshop& shop, const std::string& path) {
  std::map<std::string, std::uint64_t> places;
  std::istringstream lines(shop.Run("'" + path + "'"));
  for (std::string line; std::getline(lines, line);) {
    const std::size_t blank = line.find(' ');
    places[line.substr(0, blank)] = std::stoull(line.substr(blank + 1), nullptr, 16);
  }
  return places;
}

}  // namespace csink::symbolizer::testing
