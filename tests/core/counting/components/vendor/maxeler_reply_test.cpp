#include "core/counting/components/vendor/maxeler_reply.h"

#include <gtest/gtest.h>

#include <string>

namespace csink::maxeler {
namespace {

TEST(MaxelerPower, IsReadOfEachEngine) {
  const auto powers = ParsePower(
      R"([{"success":true,"data":{
           "engine1":{"power_usage":31.5,"measurements":[
              {"rail_name":"vcc1v0_core","voltage":1.0,"current":8.5},
              {"rail_name":"mgt_1v2","voltage":1.2,"current":0.65},
              {"rail_name":"another","voltage":9,"current":9}]},
           "engine0":{"power_usage":"20"}}}])",
      3);
  ASSERT_EQ(powers.size(), 3u);
  EXPECT_DOUBLE_EQ(*powers[0].card_w, 20);
  EXPECT_FALSE(powers[0].rail_w[kVcc10]);
  EXPECT_DOUBLE_EQ(*powers[1].card_w, 31.5);
  EXPECT_DOUBLE_EQ(*powers[1].rail_w[kVcc10], 10);   // 8.5 W / 0.85
  EXPECT_DOUBLE_EQ(*powers[1].rail_w[kMgt12], 1.2);  // 0.78 W / 0.65
  EXPECT_FALSE(powers[1].rail_w[kImgt10]);
  EXPECT_FALSE(powers[2].card_w);  // no such engine
}

TEST(MaxelerPower, IsNothingInAnyOtherAnswer) {
  for (const char* reply :
       {"", "[", "null", "{}", "[]", "[1]", R"([{"success":false,"data":{"engine0":{}}}])",
        R"([{"data":{"engine0":{}}}])", R"([{"success":true}])", "\xff\xfe", "[{]}"}) {
    EXPECT_TRUE(ParsePower(reply, 1).empty()) << reply;
    EXPECT_TRUE(ParseUsage(reply, 1).empty()) << reply;
  }
}

TEST(MaxelerPower, LeavesOutWhatIsNoNumber) {
  for (const char* value : {"null", "{}", "[]", "\"much\"", "1e300", "true"}) {
    const std::string reply = std::string(R"([{"success":1,"data":{"engine0":{"power_usage":)") +
                              value + R"(,"measurements":[1,null,{"rail_name":5}]}}}])";
    const auto powers = ParsePower(reply, 1);
    ASSERT_EQ(powers.size(), 1u) << value;
    EXPECT_FALSE(powers[0].card_w) << value;
  }
}

TEST(MaxelerPower, SurvivesDeepNesting) {
  EXPECT_TRUE(ParsePower(std::string(200'000, '['), 1).empty());
}

TEST(MaxelerUsage, IsReadOfEachEngine) {
  const auto usages =
      ParseUsage(R"([{"success":"true","data":{"engine0":{"usage":12.5},"engine1":{}}}])", 2);
  ASSERT_EQ(usages.size(), 2u);
  EXPECT_DOUBLE_EQ(*usages[0], 12.5);
  EXPECT_FALSE(usages[1]);
}

TEST(MaxelerTemperature, IsFoundAmongOtherLines) {
  const CardTemperature both =
      ParseTemperature("FAN=3,MAIN_FPGA_TEMPERATURE= 55.25,X=1,MAX3_IFCEFPGA_TEMPERATURE=-4,END");
  EXPECT_DOUBLE_EQ(*both.main, 55.25);
  EXPECT_DOUBLE_EQ(*both.interface_fpga, -4);
  const CardTemperature none =
      ParseTemperature("MAIN_FPGA_TEMPERATURE=hot,MAX3_IFCEFPGA_TEMPERATURE=");
  EXPECT_FALSE(none.main);
  EXPECT_FALSE(none.interface_fpga);
}

}  // namespace
}  // namespace csink::maxeler
