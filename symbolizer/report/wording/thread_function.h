#pragma once

#include <string>
#include <string_view>

namespace csink::report {

/// The name of a thread's function, from the name of the code that the agent recorded
/// (agent/threads/started_function.h). Threads of C++ libraries are started by a template of the
/// library, whose arguments name the callable:
///   std::thread::_State_impl<std::thread::_Invoker<std::tuple<main::{lambda()#1}> > >::_M_run()
///   -> main::{lambda()#1}
/// Classes get their operator. All other names, and callables that are pointers, are returned as
/// they are: the type of a pointer does not say the function. Reads libstdc++'s std::thread and
/// std::async, boost::thread, and libc++'s std::thread.
std::string ThreadFunction(const std::string& name);

/// Whether this is the function in which HotSpot (libjvm.so) starts all of its threads. It gives
/// each thread the name of what the thread runs (Thread.getName, "GC Thread#0"), at most 15 bytes.
bool IsHotSpotStart(std::string_view routine);

/// A thread's name without the number at its end: "pool-1-thread-4" -> "pool-1-thread". A name that
/// is a number stays.
std::string NameWithoutNumber(const std::string& name);

}  // namespace csink::report
