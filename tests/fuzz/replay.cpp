// Runs a libFuzzer target without libFuzzer: any compiler, and so a part of the unit tests with the
// address sanitizer. Usage: PROGRAM INPUTS FILE-OR-FOLDER...: INPUTS inputs made from the files
// found (from an empty one where there is none), always the same ones. An input that ends the
// program lies in PROGRAM.input.

#include <fcntl.h>
#include <unistd.h>

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
#include <vector>

extern "C" {
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
/// A target may have its own; it may call LLVMFuzzerMutate.
__attribute__((weak)) std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                                          std::size_t most, unsigned seed);
std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);
}

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
    if (LLVMFuzzerCustomMutator == nullptr) {
      for (std::size_t changes = Below(kMostChanges) + 1; changes > 0; --changes) Change(input);
      return input;
    }
    const std::size_t size = input.size();
    input.resize(kLongest);
    input.resize(
        LLVMFuzzerCustomMutator(input.data(), size, kLongest, static_cast<unsigned>(random_())));
    return input;
  }
  /// As libFuzzer's.
  std::size_t Mutate(std::uint8_t* data, std::size_t size, std::size_t most) {
    Input input(data, data + size);
    Change(input);
    const std::size_t length = std::min(input.size(), most);
    std::copy_n(input.begin(), length, data);
    return length;
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

Mutator* mutator_in_use = nullptr;

/// Written before it is tried: what a crash leaves behind.
void Try(int kept, const Input& input) {
  const bool written = ftruncate(kept, 0) == 0 && pwrite(kept, input.data(), input.size(), 0) ==
                                                      static_cast<ssize_t>(input.size());
  if (!written) std::perror("replay: the input is not kept");
  LLVMFuzzerTestOneInput(input.data(), input.size());
}

}  // namespace

std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most) {
  return mutator_in_use->Mutate(data, size, most);
}

int main(int argc, char** argv) {
  unsigned inputs = 0;
  if (argc < 2 ||
      std::from_chars(argv[1], argv[1] + std::strlen(argv[1]), inputs).ec != std::errc{}) {
    std::fprintf(stderr, "usage: %s INPUTS FILE-OR-FOLDER...\n", argv[0]);
    return 2;
  }
  const std::vector<Input> seeds = ReadSeeds(argc - 2, argv + 2);
  const std::string path = std::string(argv[0]) + ".input";
  const int kept = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (kept < 0) {
    std::perror(path.c_str());
    return 2;
  }
  Mutator mutator(seeds);
  mutator_in_use = &mutator;
  for (const Input& seed : seeds) Try(kept, seed);
  for (unsigned i = 0; i < inputs; ++i) Try(kept, mutator.Next());
  unlink(path.c_str());
  std::printf("%zu seeds, %u inputs made from them\n", seeds.size(), inputs);
  return 0;
}
