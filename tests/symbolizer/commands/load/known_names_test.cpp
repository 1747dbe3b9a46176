#include "symbolizer/commands/load/known_names.h"

#include <gtest/gtest.h>

#include <functional>

#include "tests/fakes/fake_resolver.h"

namespace csink::testing {
namespace {

symbolizer::ModuleRequest Request(std::vector<std::uint64_t> offsets) {
  symbolizer::ModuleRequest request;
  request.path = "/bin/app";
  request.file_offsets = std::move(offsets);
  return request;
}

TEST(KnownNames, AsksForEachAddressOnce) {
  FakeResolver names;
  names.Add("/bin/app", 0x1000, {.end = 0x2000, .name = "f"});
  names.Add("/bin/app", 0x2000, {.end = 0x3000, .name = "g"});
  names.SetProblem("/bin/app", "replaced");
  tool::KnownNames known{std::ref(names)};
  EXPECT_EQ(known(Request({0x1000, 0x1010})).locations.size(), 2u);
  const auto answer = known(Request({0x1000, 0x1010, 0x2000}));
  EXPECT_EQ(known.asked(), 3u);
  ASSERT_EQ(answer.locations.size(), 3u);
  EXPECT_EQ(answer.locations[1].function, "f");
  EXPECT_EQ(answer.locations[2].function, "g");
  EXPECT_TRUE(answer.has_symbols);
  EXPECT_EQ(answer.problem, "replaced");
  (void)known(Request({0x2000}));
  EXPECT_EQ(names.requests("/bin/app"), 2);
}

TEST(KnownNames, AnotherBuildAndCodeWithoutAFileAreAskedForAgain) {
  FakeResolver names;
  tool::KnownNames known{std::ref(names)};
  symbolizer::ModuleRequest request = Request({0x1000});
  (void)known(request);
  request.build_id = {1, 2};
  (void)known(request);
  EXPECT_EQ(names.requests("/bin/app"), 2);
  request.is_anonymous = true;
  (void)known(request);
  (void)known(request);
  EXPECT_EQ(names.requests("/bin/app"), 4);
}

}  // namespace
}  // namespace csink::testing
