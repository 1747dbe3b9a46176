// Runs a libFuzzer target without libFuzzer: any compiler, and so a part of the unit tests with the
// address sanitizer. Usage: PROGRAM INPUTS FILE-OR-FOLDER...: INPUTS inputs made from the files
// found (from an empty one where there is none), always the same ones. An input that ends the
// program lies in PROGRAM.input.

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <system_error>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using Input = std::vector<std::uint8_t>;

constexpr std::size_t kLongest = 64 << 10;
constexpr int kMostChanges = 8;

Input ReadInput(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  Input input{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (input.size() > kLongest) input.resize(kLongest);
  return input;
}

std::vector<Input> ReadSeeds(int count, char** names) {
  std::vector<Input> seeds;
  std::vector<std::filesystem::path> paths;
  for (int i = 0; i < count; ++i) {
    if (std::filesystem::is_directory(names[i])) {
      for (const auto& entry : std::filesystem::directory_iterator(names[i]))
        paths.push_back(entry.path());
    } else if (std::filesystem::exists(names[i])) {
      paths.emplace_back(names[i]);
    }
  }
  std::sort(paths.begin(), paths.end());
  for (const auto& path : paths) seeds.push_back(ReadInput(path));
  if (seeds.empty()) seeds.emplace_back();
  return seeds;
}

class Mutator {
 public:
  explicit Mutator(const std::vector<Input>& seeds) : seeds_(seeds) {}

  Input Next() {
    Input input = seeds_[Below(seeds_.size())];
    for (std::size_t changes = Below(kMostChanges) + 1; changes > 0; --changes) Change(input);
    return input;
  }

 private:
  std::size_t Below(std::size_t end) { return end == 0 ? 0 : random_() % end; }
  std::uint8_t Byte() { return static_cast<std::uint8_t>(random_()); }

  void Change(Input& input) {
    const std::size_t at = Below(input.size());
    switch (Below(input.empty() ? 1 : 7)) {
      case 0:
        input.insert(input.begin() + static_cast<std::ptrdiff_t>(at), Below(8) + 1, Byte());
        break;
      case 1:
        input[at] = Byte();
        break;
      case 2:
        input[at] ^= static_cast<std::uint8_t>(1u << Below(8));
        break;
      case 3:
        input.resize(at);
        break;
      case 4:
        SetNumber(input, at);
        break;
      case 5:
        RemovePart(input, at);
        break;
      default:
        TakeFromAnother(input, at);
        break;
    }
  }
  /// Lengths and counts at their limits are what readers trip over.
  void SetNumber(Input& input, std::size_t at) {
    static constexpr std::uint64_t kNumbers[] = {0,
                                                 1,
                                                 0x7F,
                                                 0x80,
                                                 0xFF,
                                                 0x7FFF,
                                                 0xFFFF,
                                                 0x7FFFFFFF,
                                                 0xFFFFFFFF,
                                                 0xFFFFFFF0,
                                                 0x7FFFFFFFFFFFFFFF,
                                                 0xFFFFFFFFFFFFFFFF};
    const std::uint64_t number = kNumbers[Below(std::size(kNumbers))];
    const std::size_t width = std::min<std::size_t>(std::size_t{1} << Below(4), input.size() - at);
    std::memcpy(input.data() + at, &number, width);
  }
  void RemovePart(Input& input, std::size_t at) {
    const std::size_t length = std::min(Below(64) + 1, input.size() - at);
    const auto from = input.begin() + static_cast<std::ptrdiff_t>(at);
    input.erase(from, from + static_cast<std::ptrdiff_t>(length));
  }
  void TakeFromAnother(Input& input, std::size_t at) {
    const Input& other = seeds_[Below(seeds_.size())];
    if (other.empty()) return;
    const std::size_t from = Below(other.size());
    const std::size_t length = std::min({Below(256) + 1, other.size() - from, input.size() - at});
    std::copy_n(other.begin() + static_cast<std::ptrdiff_t>(from), length,
                input.begin() + static_cast<std::ptrdiff_t>(at));
  }

  const std::vector<Input>& seeds_;
  std::mt19937_64 random_{1};
};

/// Kept before it is tried: what a crash leaves behind.
void Try(const std::string& kept, const Input& input) {
  {
    std::ofstream file(kept, std::ios::binary | std::ios::trunc);
    file.write(reinterpret_cast<const char*>(input.data()),
               static_cast<std::streamsize>(input.size()));
  }
  LLVMFuzzerTestOneInput(input.data(), input.size());
}

}  // namespace

int main(int argc, char** argv) {
  unsigned inputs = 0;
  if (argc < 2 ||
      std::from_chars(argv[1], argv[1] + std::strlen(argv[1]), inputs).ec != std::errc{}) {
    std::fprintf(stderr, "usage: %s INPUTS FILE-OR-FOLDER...\n", argv[0]);
    return 2;
  }
  const std::vector<Input> seeds = ReadSeeds(argc - 2, argv + 2);
  const std::string kept = std::string(argv[0]) + ".input";
  for (const Input& seed : seeds) Try(kept, seed);
  Mutator mutator(seeds);
  for (unsigned i = 0; i < inputs; ++i) Try(kept, mutator.Next());
  std::error_code ignored;
  std::filesystem::remove(kept, ignored);
  std::printf("%zu seeds, %u inputs made from them\n", seeds.size(), inputs);
  return 0;
}
