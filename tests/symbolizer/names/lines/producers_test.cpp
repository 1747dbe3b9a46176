#include "symbolizer/names/lines/producers.h"

#include <gtest/gtest.h>

#include "symbolizer/names/resolve/code_file.h"
#include "tests/symbolizer/workshop.h"

namespace csink::symbolizer {
namespace {

using testing::Workshop;

/// The producers of a library of two units, linked with these further options.
std::vector<Producer> Made(const std::string& options) {
  Workshop shop;
  shop.Write("one.c", "int One(int x) { return x * 7; }\n");
  shop.Write("two.c", "int Two(int x) { return x * 5; }\n");
  shop.Run("gcc -O1 -fPIC -c " + options + " one.c && gcc -O2 -fPIC -c " + options +
           " two.c && gcc -shared one.o two.o -o lib.so");
  return CodeFile::Open(testing::RequestFor(shop, shop.Path("lib.so"), {}), Options()).Producers();
}

TEST(Producers, HaveTheOptionsOfEachUnit) {
  for (const char* version : {"-g -gdwarf-4", "-g -gdwarf-5", "-g -gz"}) {
    const std::vector<Producer> producers = Made(version);
    ASSERT_EQ(producers.size(), 2u) << version;
    EXPECT_TRUE(producers[0].source.ends_with("one.c")) << producers[0].source;
    EXPECT_NE(producers[0].text.find(" -O1"), std::string::npos) << producers[0].text;
    EXPECT_TRUE(producers[1].source.ends_with("two.c")) << producers[1].source;
    EXPECT_NE(producers[1].text.find(" -O2"), std::string::npos) << producers[1].text;
  }
}

TEST(Producers, AreNoneWithoutDebugInformation) { EXPECT_TRUE(Made("-g0").empty()); }

}  // namespace
}  // namespace csink::symbolizer
