/// many_ranks FOLDER RANKS SPOOL...
///
/// Writes RANKS spools into FOLDER: copies of the recorded ones in turn, each as that of another
/// rank of one job, 64 ranks a host. Prints the path of each, rank 0 first.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "profil/format/format.h"

extern "C" {
#include "tests/bench/programs/burn.h"
}

namespace {

using csink::spool::Header;

[[noreturn]] void Die(const std::string& path, const char* what) {
  std::fprintf(stderr, "%s: %s\n", path.c_str(), what);
  std::exit(3);
}

std::vector<char> ReadSpool(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<char> bytes(std::istreambuf_iterator<char>(file), {});
  if (bytes.size() < sizeof(Header)) Die(path, "is no spool");
  return bytes;
}

void SetText(char (&field)[64], const std::string& text) {
  std::strncpy(field, text.c_str(), sizeof field - 1);
  field[sizeof field - 1] = '\0';
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: %s FOLDER RANKS SPOOL...\n", argv[0]);
    return 2;
  }
  const std::string folder = argv[1];
  const std::uint64_t ranks = NumberOrDie(argv[2]);
  std::vector<std::vector<char>> recorded;
  for (int i = 3; i < argc; ++i) recorded.push_back(ReadSpool(argv[i]));
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    std::vector<char>& bytes = recorded[rank % recorded.size()];
    Header header;
    std::memcpy(&header, bytes.data(), sizeof header);
    header.rank_plus_one = rank + 1;
    // A process is known by its host, number and start.
    header.pid = 1000 + rank % 64;
    header.process_start_ticks = 100'000 + rank;
    SetText(header.host, "node" + std::to_string(rank / 64));
    SetText(header.job, "4711");
    std::memcpy(bytes.data(), &header, sizeof header);
    const std::string path =
        folder + "/" + header.program + "." + header.host + "." + std::to_string(header.pid) + "." +
        std::to_string(header.process_start_ticks) + ".0" + csink::spool::kFileSuffix;
    std::ofstream out(path, std::ios::binary);
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    if (!out.flush()) Die(path, "cannot be written");
    std::printf("%s\n", path.c_str());
  }
  return 0;
}
