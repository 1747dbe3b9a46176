#pragma once

#include <memory>

#include "tests/fakes/recorded_tree.h"

namespace csink::testing {

/// Two sockets, each with two cores of two threads and a memory node; skylake-x; bare metal.
std::unique_ptr<RecordedTree> XeonWithTwoSockets();
/// Alder Lake: two fast cores of two threads, four slow ones of one; no cache files.
std::unique_ptr<RecordedTree> HybridAlderLake();
/// Four Neoverse-N1 cores of one socket; no cpuid.
std::unique_ptr<RecordedTree> ArmServer();
/// A virtual machine of four CPUs that shows nothing but /proc/cpuinfo and /proc/meminfo.
std::unique_ptr<RecordedTree> BareVirtualMachine();

}  // namespace csink::testing
