#pragma once

#include <gtest/gtest.h>

#include <cerrno>
#include <memory>
#include <string>

#include "core/counting/components/sensors/msr.h"
#include "core/counting/components/sensors/rapl_parts.h"
#include "tests/fakes/fake_kernel.h"
#include "tests/fakes/fake_msr.h"
#include "tests/fakes/opened_source.h"
#include "tests/fakes/recorded_tree.h"

namespace csink::testing {

/// Two packages with the ids 0 and 3, of two cores (ids 0 and 8) and one thread each: CPUs 0 to 3.
class RaplRig : public ::testing::Test {
 protected:
  RaplRig() {
    Cpuinfo("GenuineIntel", 85);
    tree_.Add("/sys/devices/system/cpu/online", "0-3\n");
    for (int cpu = 0; cpu < 4; ++cpu) {
      const std::string folder = "/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/";
      tree_.Add(folder + "physical_package_id", cpu < 2 ? "0\n" : "3\n");
      tree_.Add(folder + "core_id", cpu % 2 == 0 ? "0\n" : "8\n");
      tree_.Add(folder + "core_cpus_list", std::to_string(cpu) + "\n");
    }
    bank_.refusal = {Errc::kNotFound, ENOENT, "no registers"};
  }

  void Cpuinfo(const char* vendor, int model) {
    std::string text;
    for (int cpu = 0; cpu < 4; ++cpu) {
      text += "processor\t: " + std::to_string(cpu) + "\nvendor_id\t: " + vendor +
              "\ncpu family\t: 6\nmodel\t\t: " + std::to_string(model) + "\n\n";
    }
    tree_.Add("/proc/cpuinfo", text);
  }
  void AddPmu() {
    const std::string pmu = "/sys/bus/event_source/devices/power/";
    tree_.Add(pmu + "type", "14\n");
    tree_.Add(pmu + "cpumask", "0,2\n");
    tree_.Add(pmu + "events/energy-pkg", "event=0x02\n");
    tree_.Add(pmu + "events/energy-pkg.scale", "2.3283064365386962890625e-10\n");
    tree_.Add(pmu + "events/energy-pkg.unit", "Joules\n");
    tree_.Add(pmu + "events/energy-ram", "event=0x03\n");
    tree_.Add(pmu + "events/energy-ram.scale", "2.3283064365386962890625e-10\n");
  }
  void AddZone(const std::string& number, const std::string& name, const std::string& energy,
               const std::string& range = "262143328850") {
    const std::string zone = "/sys/class/powercap/intel-rapl:" + number + "/";
    tree_.Add(zone + "name", name + "\n");
    tree_.Add(zone + "energy_uj", energy + "\n");
    tree_.Add(zone + "max_energy_range_uj", range + "\n");
  }
  void AddIntelRegisters() {
    bank_.refusal = {};
    for (const unsigned cpu : {0u, 2u}) {
      bank_.values[{cpu, kMsrRaplPowerUnit}] = 0xa0e03;  // 1/8 W, 2^-14 J, 1/1024 s
      bank_.values[{cpu, kMsrPackageEnergy}] = 0xfffffff0;
      bank_.values[{cpu, kMsrDramEnergy}] = 1'000;
      bank_.values[{cpu, kMsrPp1Energy}] = 0;  // never counted: no graphics here
      bank_.values[{cpu, kMsrPackagePowerInfo}] =
          std::uint64_t{40} << 48 | std::uint64_t{2'400} << 32 | std::uint64_t{500} << 16 | 1'200;
    }
  }
  OpenedSource Open() {
    return OpenedSource(
        MakeRaplSource(tree_.tree(), kernel_, std::make_unique<FakeMsrReader>(bank_), NoCpuid()));
  }
  OpenedSource OpenLoad() {
    return OpenedSource(
        MakeLoadSource(tree_.tree(), std::make_unique<FakeMsrReader>(bank_), NoCpuid()));
  }

  RecordedTree tree_;
  FakeKernel kernel_;
  MsrBank bank_;
};

}  // namespace csink::testing
