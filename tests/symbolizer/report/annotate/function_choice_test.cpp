#include "symbolizer/report/annotate/function_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace csink::annotate {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

SampledFunction Function(const std::string& module, const std::string& name,
                         const std::string& raw = "") {
  SampledFunction function;
  function.module = module;
  function.name = name;
  function.raw_name = raw;
  return function;
}

const std::vector<SampledFunction> kFunctions = {
    Function("app", "main", "main"),
    Function("app", "ns::Stack<int>::push(int)", "_ZN2ns5StackIiE4pushEi"),
    Function("app", "ns::Queue::push(int)", "_ZN2ns5Queue4pushEi"),
    Function("libz.so.1", "deflate", "deflate"),
    Function("libz.so.1", "deflate_fast", "deflate_fast"),
    Function("libother.so", "deflate", "deflate"),
    Function("app", "helper", "helper"),
    Function("app", "helper", "helper"),  // two static ones
    Function("app", "work(int) [clone .cold]", "_Z4worki.cold"),
};

TEST(ChooseFunction, TakesExactNamesFirst) {
  EXPECT_THAT(ChooseFunction(kFunctions, "main").functions, ElementsAre(0));
  EXPECT_THAT(ChooseFunction(kFunctions, "_ZN2ns5Queue4pushEi").functions, ElementsAre(2));
  EXPECT_THAT(ChooseFunction(kFunctions, "ns::Queue::push(int)").functions, ElementsAre(2));
}

TEST(ChooseFunction, LeavesParametersAndScopesOut) {
  EXPECT_THAT(ChooseFunction(kFunctions, "ns::Queue::push").functions, ElementsAre(2));
  EXPECT_THAT(ChooseFunction(kFunctions, "Queue::push").functions, ElementsAre(2));
  EXPECT_THAT(ChooseFunction(kFunctions, "work").functions, ElementsAre(8));
}

TEST(ChooseFunction, TakesAPartThatOnlyOneHas) {
  EXPECT_THAT(ChooseFunction(kFunctions, "te_fas").functions, ElementsAre(4));
}

TEST(ChooseFunction, ListsWhatAnAmbiguousNameMayBe) {
  const Choice choice = ChooseFunction(kFunctions, "push");
  EXPECT_THAT(choice.functions, IsEmpty());
  EXPECT_TRUE(choice.is_ambiguous);
  EXPECT_THAT(choice.candidates,
              ElementsAre("app:ns::Stack<int>::push(int)", "app:ns::Queue::push(int)"));
}

TEST(ChooseFunction, AModuleTellsNamesakesApart) {
  EXPECT_TRUE(ChooseFunction(kFunctions, "deflate").is_ambiguous);
  EXPECT_THAT(ChooseFunction(kFunctions, "libother.so:deflate").functions, ElementsAre(5));
  EXPECT_THAT(ChooseFunction(kFunctions, "libz.so.1:deflate").functions, ElementsAre(3));
  // What it printed as a candidate can be given back.
  EXPECT_THAT(ChooseFunction(kFunctions, "app:ns::Queue::push(int)").functions, ElementsAre(2));
}

TEST(ChooseFunction, TwoOfOneNameInOneModuleAreBothMeant) {
  EXPECT_THAT(ChooseFunction(kFunctions, "helper").functions, ElementsAre(6, 7));
}

TEST(ChooseFunction, NamesTheNearestOfAnUnknownOne) {
  const Choice choice = ChooseFunction(kFunctions, "deflat_fast");
  EXPECT_THAT(choice.functions, IsEmpty());
  EXPECT_FALSE(choice.is_ambiguous);
  EXPECT_THAT(choice.candidates, ElementsAre("libz.so.1:deflate_fast"));
  EXPECT_THAT(ChooseFunction(kFunctions, "nothing_like_it_at_all").candidates, IsEmpty());
  EXPECT_THAT(ChooseFunction(kFunctions, "").functions, IsEmpty());
  EXPECT_THAT(ChooseFunction(kFunctions, "app:").functions, IsEmpty());
}

TEST(PlainName, KeepsScopesAndTheirArguments) {
  EXPECT_EQ(PlainName("int a::b<c<int>>::f<2>(char, d<e>) const [clone .cold]"), "a::b<c<int>>::f");
  EXPECT_EQ(PlainName("(anonymous namespace)::f(int)"), "(anonymous namespace)::f");
  EXPECT_EQ(PlainName("a::f(int) const volatile &&"), "a::f");
  EXPECT_EQ(PlainName("a::f() const &"), "a::f");
  EXPECT_EQ(PlainName("main"), "main");
  EXPECT_EQ(PlainName("a::operator()(int)"), "a::operator()");
  EXPECT_EQ(PlainName(""), "");
  EXPECT_EQ(PlainName(")"), ")");
  EXPECT_EQ(PlainName(">>>"), ">>>");
}

}  // namespace
}  // namespace csink::annotate
