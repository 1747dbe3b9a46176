#include "symbolizer/names/cache/cached_resolver.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ctime>

#include "symbolizer/names/bytes/object_bytes.h"
#include "symbolizer/names/cache/folder.h"
#include "tests/symbolizer/workshop.h"

namespace csink::symbolizer {
namespace {

using testing::Workshop;

/// A resolver that opens a module and its debug file and counts what it is asked for.
class CachedResolver : public ::testing::Test {
 protected:
  CachedResolver() {
    options_.cache_folder = shop_.Path("cache");
    options_.cache_from_cpu_ns = 0;
    request_.path = Put("module", "code");
    Put("module.debug", "names");
    request_.build_id = {1, 2, 3};
    request_.file_offsets = {10, 20, 30};
  }

  /// A file that was written long ago.
  std::string Put(const std::string& name, const std::string& text, std::int64_t second = 1000) {
    testing::WriteWhole(shop_.Path(name), text);
    const timespec times[2] = {{second, 0}, {second, 0}};
    ::utimensat(AT_FDCWD, shop_.Path(name).c_str(), times, 0);
    return shop_.Path(name);
  }

  ModuleAnswer Answer(const ModuleRequest& request) {
    ++asked_;
    asked_for_ = request.file_offsets;
    // Dearer than writing the small files of these tests anew, on any machine.
    for (const std::clock_t from = std::clock(); std::clock() - from < CLOCKS_PER_SEC / 1000;) {
    }
    ModuleAnswer answer;
    const auto module = ObjectBytes::Open(request.path);
    const auto debug = ObjectBytes::Open(request.path + ".debug");
    (void)ObjectBytes::Open(request.path + ".alt");
    if (!module) answer.problem = "file not found";
    answer.debug_file = debug ? request.path + ".debug" : "";
    answer.has_symbols = answer.has_lines = module.has_value();
    for (const std::uint64_t offset : request.file_offsets) {
      Location location{.function = "[module]", .raw_name = {}, .file = {}, .inlined = {}};
      if (module) {
        location.function = name_ + std::to_string(offset);
        location.source = NameSource::kSymbol;
        location.line = static_cast<std::uint32_t>(offset);
        location.inlined.push_back({"inner", "_inner", "a.h", 5});
      }
      answer.locations.push_back(std::move(location));
    }
    return answer;
  }
  ModuleAnswer Resolve() {
    return ResolveModuleCached(request_, options_,
                               [&](const auto& request, const auto&) { return Answer(request); });
  }
  /// How often the resolver was asked.
  int Asked(const std::function<void()>& what) {
    const int before = asked_;
    what();
    return asked_ - before;
  }
  void ExpectRight(const ModuleAnswer& answer) const {
    ASSERT_EQ(answer.locations.size(), request_.file_offsets.size());
    for (std::size_t i = 0; i < answer.locations.size(); ++i) {
      const std::uint64_t offset = request_.file_offsets[i];
      EXPECT_EQ(answer.locations[i].function, "f" + std::to_string(offset));
      EXPECT_EQ(answer.locations[i].line, offset);
      ASSERT_EQ(answer.locations[i].inlined.size(), 1u);
      EXPECT_EQ(answer.locations[i].inlined[0].call_file, "a.h");
    }
    EXPECT_EQ(answer.debug_file, request_.path + ".debug");
    EXPECT_TRUE(answer.has_symbols && answer.has_lines);
    EXPECT_EQ(answer.problem, "");
  }
  std::size_t Files() const {
    const auto folder = cache::Folder::Open(options_.cache_folder);
    return folder ? folder->List().size() : 0;
  }

  Workshop shop_;
  Options options_;
  ModuleRequest request_;
  std::string name_ = "f";
  int asked_ = 0;
  std::vector<std::uint64_t> asked_for_;
};

TEST_F(CachedResolver, AsksOnce) {
  ExpectRight(Resolve());
  ExpectRight(Resolve());
  EXPECT_EQ(asked_, 1);
}

TEST_F(CachedResolver, AsksForWhatIsMissingAlone) {
  Resolve();
  request_.file_offsets = {5, 10, 25, 30, 40};
  ExpectRight(Resolve());
  EXPECT_EQ(asked_for_, (std::vector<std::uint64_t>{5, 25, 40}));
  request_.file_offsets = {5, 10, 20, 25, 30, 40};
  EXPECT_EQ(Asked([&] { ExpectRight(Resolve()); }), 0);
  request_.file_offsets = {1, 2};  // Nothing of it is known
  ExpectRight(Resolve());
  request_.file_offsets = {1, 2, 5, 10, 20, 25, 30, 40};
  EXPECT_EQ(Asked([&] { ExpectRight(Resolve()); }), 0);
}

TEST_F(CachedResolver, AsksAgainWhenAFileThatItDependsOnChanges) {
  Resolve();
  Put("module.debug", "names!");
  EXPECT_EQ(Asked([&] { Resolve(); }), 1);
  Put("module.debug", "NAMES!", 2000);  // Of the same size
  EXPECT_EQ(Asked([&] { Resolve(); }), 1);
  Put("module.alt", "it was not there before");
  EXPECT_EQ(Asked([&] { Resolve(); }), 1);
  ::unlink(shop_.Path("module.debug").c_str());
  EXPECT_EQ(Asked([&] { EXPECT_EQ(Resolve().debug_file, ""); }), 1);
  EXPECT_EQ(Asked([&] { Resolve(); }), 0);
}

TEST_F(CachedResolver, DropsOldNamesWithTheFileTheyCameFrom) {
  Resolve();
  Put("module.debug", "other names");
  name_ = "g";
  request_.file_offsets = {10};
  EXPECT_EQ(Resolve().locations[0].function, "g10");
  request_.file_offsets = {10, 20};
  EXPECT_EQ(Resolve().locations[1].function, "g20");
}

TEST_F(CachedResolver, TellsModulesAndDetailsApart) {
  Resolve();
  request_.build_id = {1, 2, 4};
  EXPECT_EQ(Asked([&] { Resolve(); }), 1);
  request_.detail = Detail::kInlines;
  EXPECT_EQ(Asked([&] { Resolve(); }), 1);
  request_.path = Put("module2", "code");
  Put("module2.debug", "names");
  EXPECT_EQ(Asked([&] { ExpectRight(Resolve()); }), 1);
  EXPECT_EQ(Asked([&] { ExpectRight(Resolve()); }), 0);
  EXPECT_EQ(Files(), 4u);
}

TEST_F(CachedResolver, KeepsNoCheapAnswer) {
  options_.cache_from_cpu_ns = 60'000'000'000;
  Resolve();
  EXPECT_EQ(Asked([&] { Resolve(); }), 1);
  EXPECT_NE(::access(options_.cache_folder.c_str(), F_OK), 0);  // Nor makes a folder
}

TEST_F(CachedResolver, KeepsNothingOfFilesThatMayStillBeWritten) {
  testing::WriteWhole(shop_.Path("module.debug"), "fresh");
  Resolve();
  EXPECT_EQ(Files(), 0u);
}

TEST_F(CachedResolver, KeepsNoAnswerWithAProblem) {
  const std::string path = request_.path;
  request_.path += "-that-is-not-there";
  Resolve();
  request_.path = path;
  ::unlink(shop_.Path("module.debug").c_str());
  ASSERT_EQ(::symlink("module.debug", shop_.Path("module.debug").c_str()), 0);  // ELOOP
  Resolve();
  EXPECT_EQ(Files(), 0u);
}

TEST_F(CachedResolver, KeepsNothingWithoutABuildId) {
  request_.build_id.clear();
  Resolve();
  request_.build_id = {1, 2, 3};
  request_.is_anonymous = true;
  Resolve();
  request_.is_anonymous = false;
  request_.is_vdso = true;
  Resolve();
  EXPECT_EQ(Files(), 0u);
}

TEST_F(CachedResolver, RemembersAModuleThatIsGone) {
  Resolve();
  ::unlink(request_.path.c_str());
  request_.file_offsets = {10, 15, 30};
  const ModuleAnswer answer = Resolve();
  EXPECT_EQ(answer.locations[0].function, "f10");
  EXPECT_EQ(answer.locations[1].function, "[module]");
  EXPECT_EQ(answer.locations[2].function, "f30");
  EXPECT_EQ(answer.problem, "file not found; names are from an earlier report");
  request_.build_id = {9};  // Another one under that path
  EXPECT_EQ(Resolve().locations[0].function, "[module]");
}

TEST_F(CachedResolver, TakesADamagedFileForNone) {
  Resolve();
  const auto folder = cache::Folder::Open(options_.cache_folder);
  const std::string name = folder->List().at(0).name;
  for (const std::string& text : {std::string("x"), std::string(1000, '\0'), std::string()}) {
    testing::WriteWhole(options_.cache_folder + "/" + name, text);
    EXPECT_EQ(Asked([&] { ExpectRight(Resolve()); }), 1);
    EXPECT_EQ(Asked([&] { ExpectRight(Resolve()); }), 0);
  }
}

TEST_F(CachedResolver, LivesWithAFolderThatCannotBeUsed) {
  for (const std::string& folder : {std::string("/dev/null/csink"), shop_.Path("module"),
                                    std::string("/proc/csink"), std::string(5000, 'x')}) {
    options_.cache_folder = folder;
    ExpectRight(Resolve());
  }
}

TEST_F(CachedResolver, StaysWithinItsSize) {
  Resolve();
  const auto folder = cache::Folder::Open(options_.cache_folder);
  options_.cache_bytes = folder->List().at(0).bytes + 100;
  for (std::uint8_t i = 0; i < 5; ++i) {
    request_.build_id = {i};
    Resolve();
    EXPECT_EQ(Files(), 1u);
  }
  EXPECT_EQ(Asked([&] { ExpectRight(Resolve()); }), 0);  // The newest one is it
}

TEST_F(CachedResolver, GivesARealModuleTheSameNamesAgain) {
  shop_.Write("code.c",
              "int Square(int x) { return x * x; }\nint Twice(int x) { return 2 * x; }\n");
  shop_.Run("gcc -g -shared -fPIC code.c -o lib.so && touch -d 2001-01-01 lib.so");
  const std::string path = shop_.Path("lib.so");
  const auto nm = testing::Nm(shop_, path);
  const ModuleRequest request =
      testing::RequestFor(shop_, path,
                          {testing::OffsetOf(shop_, path, nm.at("Square").start),
                           testing::OffsetOf(shop_, path, nm.at("Twice").start)});
  const ModuleAnswer first = ResolveModuleCached(request, options_);
  const ModuleAnswer second =
      ResolveModuleCached(request, options_, [](const auto&, const auto&) -> ModuleAnswer {
        ADD_FAILURE() << "asked again";
        return {};
      });
  ASSERT_EQ(second.locations.size(), 2u);
  EXPECT_EQ(second.locations[0].function, "Square");
  EXPECT_EQ(second.locations[1].line, 2u);
  EXPECT_EQ(second.locations[1].vaddr, first.locations[1].vaddr);
}

}  // namespace
}  // namespace csink::symbolizer
