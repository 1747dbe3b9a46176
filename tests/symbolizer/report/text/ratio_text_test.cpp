#include "symbolizer/report/text/ratio_text.h"

#include <gtest/gtest.h>

#include "symbolizer/report/tables/derived.h"

namespace csink::report {
namespace {

DerivedColumn Gigahertz() { return {"ghz", "GHz", 0, 1, 1, false}; }
DerivedColumn MissShare() { return {"branch_miss_share", "brmiss%", 0, 1, 1, true}; }

void ExpectText(const RatioText& text, const std::string& value, const std::string& error) {
  EXPECT_EQ(text.value, value);
  EXPECT_EQ(text.error, error);
}

TEST(RatioText, HasTheErrorBesideTheValue) {
  ExpectText(TextOf(Gigahertz(), 3.5, {3.25, 3.75}), "3.50", "0.25");
}

TEST(RatioText, IsInPercentForAShare) {
  ExpectText(TextOf(MissShare(), 0.125, {0.12, 0.13}), "12.5", "0.5");
}

// A function with three samples of cycles and one of the clock once had "GHz 27.00 +- 47.69".
TEST(RatioText, IsNotShownIfItsErrorIsLarger) {
  ExpectText(TextOf(Gigahertz(), 27.0, {0.62, 96.0}), "-", "-");
}

TEST(RatioText, IsShownUpToAnErrorOfItsSize) {
  ExpectText(TextOf(Gigahertz(), 2.0, {0.0, 4.0}), "2.00", "2.00");
  ExpectText(TextOf(Gigahertz(), 2.0, {0.0, 4.01}), "-", "-");
}

// Of a ratio of 0 the error is an upper bound.
TEST(RatioText, OfZeroHasABound) {
  ExpectText(TextOf(MissShare(), 0.0, {0.0, 0.04}), "0.0", "2.0");
}

TEST(RatioText, IsADashWithoutARatio) { ExpectText(TextOf(Gigahertz(), {}, {}), "-", "-"); }

}  // namespace
}  // namespace csink::report
