#include "agent/threads/started_function.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <thread>
#include <tuple>
#include <typeinfo>

namespace csink::agent {
namespace {

struct Worker {
  virtual ~Worker() = default;
};
// The objects of libstdc++ are private; this one has their class's name in the same layout.
template <class... Types>
struct State {
  void* table = nullptr;
  std::tuple<Types...> callable;
};

/// The types as the compiler mangles them in the name of _State_impl: those of a tuple, with four
/// substitutions before them.
template <class... Types>
std::string Mangled() {
  // "St5tupleIJ...EE" has one substitution before the types; the name of the class has four.
  std::string text = typeid(std::tuple<Types...>).name();
  text = text.substr(text.find('J') + 1);
  std::string shifted;
  for (std::size_t i = 0; i < text.size(); ++i) {
    shifted += text[i];
    if (text[i] != 'S' || i + 1 >= text.size()) continue;
    if (text[i + 1] == '_') {
      shifted += '2';  // S_ is S2_
    } else if (text[i + 1] >= '0' && text[i + 1] <= '6') {
      shifted += static_cast<char>(text[++i] + 3);
    }
  }
  return shifted;
}

template <class... Types>
std::size_t RealOffset() {
  // References have no default value, so the object is never made: only its layout is of interest.
  alignas(State<Types...>) static char room[sizeof(State<Types...>)];
  auto* state = reinterpret_cast<State<Types...>*>(room);
  return static_cast<std::size_t>(reinterpret_cast<char*>(&std::get<0>(state->callable)) - room);
}

template <class... Types>
void ExpectFound(bool is_member) {
  const CallableField field = FindCallable(Mangled<Types...>().c_str());
  EXPECT_EQ(field.offset, (RealOffset<Types...>())) << Mangled<Types...>();
  EXPECT_EQ(field.is_member, is_member);
}

TEST(FindCallable, FindsPointersBehindTheArguments) {
  ExpectFound<void (*)()>(false);
  ExpectFound<void (*)(double*, int, double*, short), double*, int, double*, short>(false);
  ExpectFound<void (*)(std::string&, char), std::reference_wrapper<std::string>, char>(false);
  ExpectFound<void (*)(void (*)(), int), void (*)(), int>(false);
  ExpectFound<void (*)(Worker const*, unsigned char), Worker*, unsigned char>(false);
}

TEST(FindCallable, FindsPointersToMembers) {
  ExpectFound<void (Worker::*)(int), Worker*, int>(true);
  ExpectFound<void (Worker::*)(int) const, Worker*, int>(true);
}

TEST(FindCallable, KnowsNoLayoutOfClasses) {
  EXPECT_EQ(FindCallable(Mangled<void (*)(std::string), std::string>().c_str()).offset, 0u);
  EXPECT_EQ(FindCallable(Mangled<void (*)(Worker), Worker>().c_str()).offset, 0u);
  const auto lambda = [] {};
  EXPECT_EQ(FindCallable(Mangled<decltype(lambda)>().c_str()).offset, 0u);
  for (const char* cut : {"", "P", "PF", "PFv", "PFvS9_E", "M", "9", "99999999a", "S", "S__"}) {
    EXPECT_EQ(FindCallable(cut).offset, 0u) << cut;
  }
}

TEST(StartedFunction, KeepsTheRoutineWhereTheArgumentIsNoKnownObject) {
  Worker worker;
  const std::uint64_t words[4] = {1, 2, 3, 4};
  EXPECT_EQ(StartedFunction(0x1000, 0), 0x1000u);
  EXPECT_EQ(StartedFunction(0x2010, 3), 0x2010u);
  EXPECT_EQ(StartedFunction(0x3020, reinterpret_cast<std::uint64_t>(words)), 0x3020u);
  EXPECT_EQ(StartedFunction(0x4030, reinterpret_cast<std::uint64_t>(&worker)), 0x4030u);
}

}  // namespace
}  // namespace csink::agent
