#include "core/counting/components/ipmi/sdr_record.h"

#include <gtest/gtest.h>

#include "tests/fakes/fake_bmc.h"

namespace csink {
namespace {

using testing::SensorBytes;

std::optional<IpmiSensor> Parsed(const SensorBytes& bytes) { return ParseSensor(bytes.Record(1)); }

TEST(SdrRecord, IsReadWhole) {
  SensorBytes bytes;
  bytes.number = 0x77;
  bytes.entity = 3;
  bytes.instance = 2;
  bytes.lun = 1;
  const auto sensor = Parsed(bytes);
  ASSERT_TRUE(sensor);
  EXPECT_EQ(sensor->number, 0x77);
  EXPECT_EQ(sensor->entity, 3);
  EXPECT_EQ(sensor->instance, 2);
  EXPECT_EQ(sensor->lun, 1);
  EXPECT_EQ(sensor->name, "Pwr_Consumption");
  EXPECT_EQ(sensor->units, "W");
  EXPECT_EQ(sensor->unit, IpmiSensor::Unit::kWatt);
}

// (M * raw + B * 10^b) * 10^r
TEST(SdrRecord, ConvertsReadings) {
  SensorBytes bytes;
  bytes.m = 14;
  EXPECT_DOUBLE_EQ(Parsed(bytes)->Value(12), 168);
  bytes.m = -300;
  bytes.b = 511;
  bytes.b_exponent = 2;
  bytes.result_exponent = -3;
  EXPECT_DOUBLE_EQ(Parsed(bytes)->Value(100), (-300 * 100 + 51100) * 1e-3);
  bytes.b = -512;
  bytes.b_exponent = -8;
  bytes.result_exponent = 7;
  EXPECT_DOUBLE_EQ(Parsed(bytes)->Value(0), -512e-8 * 1e7);
}

TEST(SdrRecord, KnowsSignedReadings) {
  SensorBytes bytes;
  bytes.base_unit = 1;
  EXPECT_DOUBLE_EQ(Parsed(bytes)->Value(0xFE), 254);
  bytes.units1 = 0x40;
  EXPECT_DOUBLE_EQ(Parsed(bytes)->Value(0xFE), -1);
  bytes.units1 = 0x80;
  EXPECT_DOUBLE_EQ(Parsed(bytes)->Value(0xFE), -2);
}

TEST(SdrRecord, TellsTemperaturesInCelsius) {
  SensorBytes bytes;
  bytes.base_unit = 2;
  EXPECT_EQ(Parsed(bytes)->units, "degC");
  EXPECT_DOUBLE_EQ(Parsed(bytes)->Value(212), 100);
  bytes.base_unit = 3;
  bytes.m = 2;
  EXPECT_NEAR(Parsed(bytes)->Value(150), 26.85, 1e-9);
}

TEST(SdrRecord, PercentAndRatesAreNoWatts) {
  SensorBytes bytes;
  bytes.units1 = 1;
  EXPECT_EQ(Parsed(bytes)->units, "%");
  EXPECT_EQ(Parsed(bytes)->unit, IpmiSensor::Unit::kOther);
  bytes.units1 = 0x20;  // per some time
  EXPECT_EQ(Parsed(bytes)->unit, IpmiSensor::Unit::kOther);
}

TEST(SdrRecord, IsNothingOfAnotherKind) {
  const auto without = [](auto change) {
    SensorBytes bytes;
    change(bytes);
    return !Parsed(bytes).has_value();
  };
  EXPECT_TRUE(without([](SensorBytes& b) { b.type = 2; }));
  EXPECT_TRUE(without([](SensorBytes& b) { b.owner = 0x2C; }));
  EXPECT_TRUE(without([](SensorBytes& b) { b.reading_type = 0x6F; }));
  EXPECT_TRUE(without([](SensorBytes& b) { b.units1 = 0xC0; }));
  EXPECT_TRUE(without([](SensorBytes& b) { b.linearization = 7; }));
}

TEST(SdrRecord, SurvivesAnyLength) {
  const auto whole = SensorBytes{}.Record(1);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    for (const std::uint8_t length : {0, 1, 42, 43, 255}) {
      std::vector<std::uint8_t> cut(whole.begin(),
                                    whole.begin() + static_cast<std::ptrdiff_t>(size));
      if (size > 4) cut[4] = length;
      const auto sensor = ParseSensor(cut);
      EXPECT_TRUE(!sensor || !sensor->name.empty());
    }
  }
}

TEST(SdrRecord, NamesInOtherCodes) {
  auto record = SensorBytes{}.Record(1);
  record.resize(48);
  record[47] = 0x83;  // three bytes of four 6-bit characters: "IPMI", table 43-15's example
  record.insert(record.end(), {0x29, 0xDC, 0xA6});
  record[4] = static_cast<std::uint8_t>(record.size() - 5);
  EXPECT_EQ(ParseSensor(record)->name, "IPMI");
  record[47] = 0x42;  // BCD plus
  EXPECT_EQ(ParseSensor(record)->name, "29_.");
  record[47] = 0xC0;
  EXPECT_EQ(ParseSensor(record)->name, "SENSOR_1");
}

}  // namespace
}  // namespace csink
