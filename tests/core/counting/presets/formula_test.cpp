#include "core/counting/presets/formula.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <climits>
#include <initializer_list>
#include <string>
#include <vector>

namespace csink {
namespace {

using testing::HasSubstr;

constexpr FormulaContext kTwoGigahertz{2e9};

Formula Good(Derivation derivation, std::string_view text, std::size_t natives) {
  FormulaComplaint complaint;
  Result<Formula> formula = Formula::Parse(derivation, text, natives, complaint);
  EXPECT_TRUE(formula) << text << ": " << complaint.c_str();
  EXPECT_STREQ(complaint.c_str(), "");
  return formula ? std::move(*formula) : Formula();
}

long long Value(Derivation derivation, std::string_view text,
                std::initializer_list<long long> natives) {
  const std::vector<long long> counts(natives);
  return Good(derivation, text, counts.size()).Evaluate(counts, kTwoGigahertz);
}

long long Postfix(std::string_view text, std::initializer_list<long long> natives) {
  return Value(Derivation::kPostfix, text, natives);
}

long long Infix(std::string_view text, std::initializer_list<long long> natives) {
  return Value(Derivation::kInfix, text, natives);
}

struct Refusal {
  Errc code;
  std::string complaint;
};

Refusal Refused(Derivation derivation, std::string_view text, std::size_t natives) {
  FormulaComplaint complaint;
  const Result<Formula> formula = Formula::Parse(derivation, text, natives, complaint);
  EXPECT_FALSE(formula) << text;
  return {formula ? Errc::kOk : formula.error().code, complaint.c_str()};
}

TEST(Formula, ComputesEachDerivationWithoutAText) {
  EXPECT_EQ(Value(Derivation::kNotDerived, "", {7}), 7);
  EXPECT_EQ(Value(Derivation::kCmpd, "", {7, 1000}), 7);
  EXPECT_EQ(Value(Derivation::kAdd, "", {1, 20, 300}), 321);
  EXPECT_EQ(Value(Derivation::kSub, "", {1000, 20, 300}), 680);
  // 5,000 events in 1,000,000 cycles at 2 GHz, which is half a millisecond.
  EXPECT_EQ(Value(Derivation::kPs, "", {1'000'000, 5'000}), 10'000'000);
  EXPECT_EQ(Value(Derivation::kAddPs, "", {1'000'000, 5'000, 2'000}), 14'000'000);
}

TEST(Formula, ComputesPostfix) {
  EXPECT_EQ(Postfix("N0|N1|+|N2|-|N3|-|", {100, 50, 7, 3}), 140);
  EXPECT_EQ(Postfix("N0|512|128|/|*|N1|+|", {10, 5}), 45);
  EXPECT_EQ(Postfix("N0|N1|4|*|+|N2|8|*|+|N3|16|*|+", {1, 1, 1, 1}), 29);
  EXPECT_EQ(Postfix("|N0|N1|+||", {1, 2}), 3) << "empty tokens occur in tables";
  EXPECT_EQ(Postfix(" N0 | N1 | - |", {1, 3}), -2);
  EXPECT_EQ(Postfix("#|N0|-|", {1}), 1'999'999'999) << "# is the rate in Hz";
}

TEST(Formula, ComputesInfixWithPrecedenceFromTheLeft) {
  EXPECT_EQ(Infix("N0-(N1+(N2*5))", {100, 10, 4}), 70);
  EXPECT_EQ(Infix("N0 - N1 - N2", {100, 10, 5}), 85);
  EXPECT_EQ(Infix("N0/N1/N2", {1000, 10, 5}), 20);
  EXPECT_EQ(Infix("N0+N1*N2", {1, 2, 3}), 7);
  EXPECT_EQ(Infix("(N0+N1)*N2", {1, 2, 3}), 9);
  EXPECT_EQ(Infix("-N0 + 3", {10}), -7);
  EXPECT_EQ(Infix("2*-(N0-1)", {10}), -18);
  EXPECT_EQ(Infix("N0*#/N1", {5'000, 1'000'000}), 10'000'000);
}

TEST(Formula, ComputesWithFractionsAndCutsTheResultTowardsZero) {
  EXPECT_EQ(Postfix("N0|3|/|1000|*|", {32}), 10'666);
  EXPECT_EQ(Infix("N0*0.5", {33}), 16);
  EXPECT_EQ(Infix("0-N0*0.5", {33}), -16);
  EXPECT_EQ(Infix("100*N0/N1", {1, 3}), 33);
}

TEST(Formula, IsExactForCountsThatADoubleWouldRound) {
  constexpr long long kBig = (1LL << 62) + 1;
  EXPECT_EQ(Postfix("N0|N1|+|N2|-|", {kBig, kBig, kBig}), kBig);
  EXPECT_EQ(Infix("N0 - N1", {LLONG_MAX, 1}), LLONG_MAX - 1);
}

TEST(Formula, TakesTheQuotientOfADivisionByZeroAsZero) {
  EXPECT_EQ(Infix("N0/N1", {5, 0}), 0);
  EXPECT_EQ(Infix("N2 + N0/N1", {5, 0, 7}), 7);
  EXPECT_EQ(Value(Derivation::kPs, "", {0, 5}), 0);
}

TEST(Formula, SaturatesInsteadOfWrapping) {
  EXPECT_EQ(Value(Derivation::kAdd, "", {LLONG_MAX, 1}), LLONG_MAX);
  EXPECT_EQ(Value(Derivation::kSub, "", {LLONG_MIN, 1}), LLONG_MIN);
  EXPECT_EQ(Value(Derivation::kAdd, "", {LLONG_MAX, 5, -5}), LLONG_MAX) << "the end counts";
  EXPECT_EQ(Infix("N0*N0", {LLONG_MAX}), LLONG_MAX);
  EXPECT_EQ(Infix("0-N0*N0", {LLONG_MAX}), LLONG_MIN);
}

TEST(Formula, TakesMissingCountsAsZero) {
  const Formula sum = Good(Derivation::kAdd, "", 3);
  const long long one[] = {5};
  EXPECT_EQ(sum.Evaluate(one, {}), 5);
  EXPECT_EQ(sum.Evaluate({}, {}), 0);
  EXPECT_EQ(Good(Derivation::kInfix, "N1 + 2", 2).Evaluate(one, {}), 2);
  EXPECT_EQ(Formula().Evaluate({}, {}), 0);
}

TEST(Formula, RefusesWhatItCannotComputeAndSaysWhy) {
  struct {
    Derivation derivation;
    const char* text;
    std::size_t natives;
    Errc code;
    const char* words;
  } const cases[] = {
      {Derivation::kPostfix, "N0|N9|+|", 2, Errc::kInvalid,
       "N9 does not exist: the native events are N0 to N1"},
      {Derivation::kInfix, "N1", 1, Errc::kInvalid, "the only native event is N0"},
      {Derivation::kPostfix, "", 1, Errc::kInvalid, "the formula is empty"},
      {Derivation::kInfix, " ", 1, Errc::kInvalid, "the formula is empty"},
      {Derivation::kPostfix, "N0|+|", 1, Errc::kInvalid,
       "\"+\" needs two values before it; the number of values is 1"},
      {Derivation::kPostfix, "N0|N1|", 2, Errc::kInvalid, "2 values are left"},
      {Derivation::kPostfix, "N0|x|+|", 1, Errc::kInvalid,
       "\"x\" is not known; a formula consists of N0"},
      {Derivation::kPostfix, "N|", 1, Errc::kInvalid, "\"N\" is not a native event"},
      {Derivation::kPostfix, "N99999999999999999999|", 1, Errc::kInvalid, "is not a native event"},
      {Derivation::kInfix, "1e5", 1, Errc::kInvalid, "\"1e5\" is not a number"},
      {Derivation::kInfix, "123456789012345678901", 1, Errc::kInvalid, "at most 20 digits"},
      {Derivation::kInfix, "(N0+1", 1, Errc::kInvalid, "a \")\" is missing"},
      {Derivation::kInfix, "N0+1)", 1, Errc::kInvalid, "\")\" follows the end of the formula"},
      {Derivation::kInfix, "N0+", 1, Errc::kInvalid, "a value is missing at the end"},
      {Derivation::kInfix, "N0**2", 1, Errc::kInvalid, "a value is missing before \"*2\""},
      {Derivation::kInfix, "N0 N0", 1, Errc::kInvalid, "\"N0\" follows the end of the formula"},
      {Derivation::kNotDerived, "", 2, Errc::kInvalid, "NOT_DERIVED needs 1 event, not 2"},
      {Derivation::kAdd, "", 0, Errc::kInvalid, "DERIVED_ADD needs at least 1 event, not 0"},
      {Derivation::kPs, "", 1, Errc::kInvalid, "DERIVED_PS needs 2 events, not 1"},
      {Derivation::kSub, "", 13, Errc::kLimit, "DERIVED_SUB needs at most 12 events, not 13"},
  };
  for (const auto& c : cases) {
    const Refusal refusal = Refused(c.derivation, c.text, c.natives);
    EXPECT_EQ(refusal.code, c.code) << c.text;
    EXPECT_THAT(refusal.complaint, HasSubstr(c.words)) << c.text;
  }
}

TEST(Formula, RefusesWhatIsTooLongOrTooDeep) {
  EXPECT_EQ(Refused(Derivation::kInfix, std::string(256, '('), 1).code, Errc::kLimit);
  EXPECT_EQ(Refused(Derivation::kInfix, std::string(255, '('), 1).code, Errc::kInvalid);
  std::string deep;
  for (std::size_t i = 0; i < kMaxFormulaDepth; ++i) deep += "1|";
  std::string good = deep;
  for (std::size_t i = 1; i < kMaxFormulaDepth; ++i) good += "+|";
  EXPECT_EQ(Postfix(good, {0}), static_cast<long long>(kMaxFormulaDepth));
  const Refusal refusal = Refused(Derivation::kPostfix, deep + "1|", 1);
  EXPECT_EQ(refusal.code, Errc::kLimit);
  EXPECT_THAT(refusal.complaint, HasSubstr("more than 32 values"));
}

TEST(Formula, RefusesWhatIsTooLongInPostfixNotation) {
  // Each "+N0" of the text becomes "N0|+|": 50 of them and the first "N0|" have 253 bytes.
  std::string text = "N0";
  for (int i = 0; i < 50; ++i) text += "+N0";
  EXPECT_EQ(Good(Derivation::kInfix, text, 1).Postfix().size(), 253u);
  const Refusal refusal = Refused(Derivation::kInfix, text + "+N0", 1);
  EXPECT_EQ(refusal.code, Errc::kLimit);
  EXPECT_THAT(refusal.complaint, HasSubstr("has 258 bytes in postfix notation, more than 255"));
  // ".5" is written as "0.5", so a postfix text may grow, too.
  std::string points = ".5|";
  for (int i = 0; i < 50; ++i) points += ".5|+|";
  EXPECT_EQ(Refused(Derivation::kPostfix, points, 1).code, Errc::kLimit);
}

TEST(Formula, WritesItselfInPostfix) {
  EXPECT_EQ(Good(Derivation::kNotDerived, "", 1).Postfix(), "");
  EXPECT_EQ(Good(Derivation::kSub, "", 3).Postfix(), "N0|N1|-|N2|-|");
  EXPECT_EQ(Good(Derivation::kPs, "", 2).Postfix(), "N1|#|*|N0|/|");
  EXPECT_EQ(Good(Derivation::kAddPs, "", 3).Postfix(), "N1|N2|+|#|*|N0|/|");
  EXPECT_EQ(Good(Derivation::kInfix, "N0-(N1+(N2*0.25))", 3).Postfix(), "N0|N1|N2|0.25|*|+|-|");
}

TEST(Formula, KnowsWhichCountsAreANativesOwn) {
  EXPECT_TRUE(Good(Derivation::kNotDerived, "", 1).IsFirstNative());
  EXPECT_TRUE(Good(Derivation::kCmpd, "", 2).IsFirstNative());
  EXPECT_FALSE(Good(Derivation::kAdd, "", 2).IsFirstNative());
  EXPECT_FALSE(Good(Derivation::kPostfix, "N0|2|*|", 1).IsFirstNative());
}

TEST(Formula, IsComposedOfOtherFormulas) {
  const Formula outer = Good(Derivation::kSub, "", 2);
  const Formula inner = Good(Derivation::kInfix, "N0*2 + N1", 2);
  const Formula plain;
  // Natives of the whole: 0 = a, 1 = b. The first part is a*2+b, the second is a.
  const Formula* parts[] = {&inner, &plain};
  const std::vector<std::uint8_t> renumbered[] = {{0, 1}, {0}};
  const Result<Formula> whole = outer.Compose(parts, renumbered);
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->Postfix(), "N0|2|*|N1|+|N0|-|");
  const long long counts[] = {10, 3};
  EXPECT_EQ(whole->Evaluate(counts, {}), 13);
}

TEST(Formula, StaysFirstNativeWhenComposedOfOne) {
  const Formula plain;
  const Formula* parts[] = {&plain};
  const std::vector<std::uint8_t> renumbered[] = {{0}};
  const Result<Formula> whole = plain.Compose(parts, renumbered);
  ASSERT_TRUE(whole);
  EXPECT_TRUE(whole->IsFirstNative());
}

TEST(Formula, RefusesToGrowBeyondItsLimitByComposition) {
  Formula formula = Good(Derivation::kInfix, "N0*N0+N0*N0", 1);
  const std::vector<std::uint8_t> renumbered[] = {{0}};
  int rounds = 0;
  while (true) {
    const Formula copy = formula;
    const Formula* parts[] = {&copy};
    Result<Formula> next = copy.Compose(parts, renumbered);
    if (!next) {
      EXPECT_EQ(next.error().code, Errc::kLimit);
      break;
    }
    formula = std::move(*next);
    ASSERT_LT(++rounds, 8);
  }
  EXPECT_GT(rounds, 0);
}

TEST(DerivationFromName, KnowsItsOwnNamesInAnyCase) {
  for (int i = 0; i <= static_cast<int>(Derivation::kInfix); ++i) {
    const auto derivation = static_cast<Derivation>(i);
    Derivation found{};
    ASSERT_TRUE(DerivationFromName(DerivationName(derivation), found));
    EXPECT_EQ(found, derivation);
  }
  Derivation found{};
  EXPECT_TRUE(DerivationFromName("derived_add_ps", found));
  EXPECT_EQ(found, Derivation::kAddPs);
  EXPECT_FALSE(DerivationFromName("DERIVED_AD", found));
  EXPECT_EQ(NearestDerivationName("DERIVD_POSTFIX"), "DERIVED_POSTFIX");
}

}  // namespace
}  // namespace csink
