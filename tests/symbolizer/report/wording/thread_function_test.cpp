#include "symbolizer/report/wording/thread_function.h"

#include <gtest/gtest.h>

namespace csink::report {
namespace {

TEST(ThreadFunction, NamesLambdasOfStdThread) {
  EXPECT_EQ(ThreadFunction("std::thread::_State_impl<std::thread::_Invoker<std::tuple<"
                           "main::{lambda()#1}> > >::_M_run()"),
            "main::{lambda()#1}");
  EXPECT_EQ(ThreadFunction("std::thread::_State_impl<std::thread::_Invoker<std::tuple<"
                           "Pool::Start(std::vector<int, std::allocator<int> >&)::"
                           "{lambda(int, std::pair<int, int>)#2}, int> > >::_M_run()"),
            "Pool::Start(std::vector<int, std::allocator<int> >&)::"
            "{lambda(int, std::pair<int, int>)#2}");
}

TEST(ThreadFunction, NamesTheOperatorOfClasses) {
  EXPECT_EQ(ThreadFunction("std::thread::_State_impl<std::thread::_Invoker<std::tuple<"
                           "Job<int, char>, long> > >::_M_run()"),
            "Job<int, char>::operator()");
  EXPECT_EQ(ThreadFunction("std::thread::_State_impl<std::thread::_Invoker<std::tuple<"
                           "std::reference_wrapper<Job> > > >::_M_run()"),
            "Job::operator()");
}

TEST(ThreadFunction, NamesWhatStdAsyncRuns) {
  EXPECT_EQ(ThreadFunction(
                "std::thread::_State_impl<std::thread::_Invoker<std::tuple<void "
                "(std::__future_base::_Async_state_impl<std::thread::_Invoker<std::tuple<"
                "main::{lambda()#3}> >, int>::*)(), std::__future_base::_Async_state_impl<"
                "std::thread::_Invoker<std::tuple<main::{lambda()#3}> >, int>*> > >::_M_run()"),
            "main::{lambda()#3}");
}

TEST(ThreadFunction, NamesThreadsOfOtherLibraries) {
  EXPECT_EQ(ThreadFunction("boost::detail::thread_data<main::{lambda()#1}>::run()"),
            "main::{lambda()#1}");
  EXPECT_EQ(ThreadFunction("void* std::__1::__thread_proxy[abi:v160006]<std::__1::tuple<"
                           "std::__1::unique_ptr<std::__1::__thread_struct, std::__1::"
                           "default_delete<std::__1::__thread_struct> >, main::$_0> >(void*)"),
            "main::$_0");
}

TEST(ThreadFunction, KeepsNamesThatDoNotSayTheFunction) {
  for (const char* name :
       {"worker(int)", "", "[libstdc++.so.6.0.30+0xd4490]",
        "std::thread::_State_impl<std::thread::_Invoker<std::tuple<void (*)(std::string), "
        "std::string> > >::_M_run()",
        "std::thread::_State_impl<std::thread::_Invoker<std::tuple<main::{lam",
        "boost::detail::thread_data<boost::_bi::bind_t<void, void (*)(int), "
        "boost::_bi::list1<boost::_bi::value<int> > > >::run()",
        "void* std::__1::__thread_proxy<std::__1::tuple<"}) {
    EXPECT_EQ(ThreadFunction(name), name);
  }
}

TEST(NameWithoutNumber, TakesTheNumberAtTheEnd) {
  EXPECT_EQ(NameWithoutNumber("pool-1-thread-4"), "pool-1-thread");
  EXPECT_EQ(NameWithoutNumber("GC Thread#0"), "GC Thread");
  EXPECT_EQ(NameWithoutNumber("indexer"), "indexer");
  EXPECT_EQ(NameWithoutNumber("pool-"), "pool-");
  EXPECT_EQ(NameWithoutNumber("42"), "42");
  EXPECT_EQ(NameWithoutNumber("-4"), "-4");
  EXPECT_EQ(NameWithoutNumber(""), "");
}

}  // namespace
}  // namespace csink::report
