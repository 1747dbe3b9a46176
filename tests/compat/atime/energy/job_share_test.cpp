#include "compat/atime/energy/job_share.h"

#include <gtest/gtest.h>

namespace csink::atime {
namespace {

EventEnergy Energy(const char* name, EnergyPlace place, double joules) {
  EventEnergy energy;
  energy.component = "rapl";
  energy.name = name;
  energy.source.place = place;
  energy.source.device = name;
  energy.is_counter = true;
  energy.energy = {joules, joules, joules};
  energy.seconds = 10;
  return energy;
}

const std::vector<EventEnergy> kEnergies = {Energy("package", EnergyPlace::kPackage, 100),
                                            Energy("cores", EnergyPlace::kPart, 70),
                                            Energy("memory", EnergyPlace::kMemory, 20)};

TEST(ShareOf, SharesPackagesAndMemoryByCpuTime) {
  const auto total = TotalOf(kEnergies, 10);
  const JobShare share = ShareOf({"process 1", 3, 12}, kEnergies, total, std::nullopt);
  EXPECT_DOUBLE_EQ(share.share.value(), 0.25);
  EXPECT_DOUBLE_EQ(share.joules.value(), 30);
  EXPECT_EQ(share.names, (std::vector<std::string>{"package", "memory"}));
  EXPECT_FALSE(share.net.has_value());
}

TEST(ShareOf, SharesTheEnergyAboveIdle) {
  const NetEnergy net = {BoundedEnergy{40, 39, 41}, ""};
  const auto share = ShareOf({"process 1", 6, 12}, kEnergies, TotalOf(kEnergies, 10), net);
  EXPECT_DOUBLE_EQ(share.net.value(), 20);
}

TEST(ShareOf, DoesNotShareGpus) {
  std::vector<EventEnergy> energies = kEnergies;
  energies.push_back(Energy("card", EnergyPlace::kGpu, 500));
  const NetEnergy net = {BoundedEnergy{40, 39, 41}, ""};
  const auto share = ShareOf({"process 1", 6, 12}, energies, TotalOf(energies, 10), net);
  EXPECT_DOUBLE_EQ(share.joules.value(), 60);
  EXPECT_FALSE(share.net.has_value()) << "the energy above idle contains the card's";
}

TEST(ShareOf, IsNeverMoreThanAll) {
  const auto share = ShareOf({"process 1", 13, 12}, kEnergies, TotalOf(kEnergies, 10), {});
  EXPECT_DOUBLE_EQ(share.share.value(), 1);
  EXPECT_DOUBLE_EQ(share.joules.value(), 120);
}

TEST(ShareOf, WithoutCpuTimeOfTheMachineThereIsNoEstimate) {
  const auto share = ShareOf({"process 1", 1, 0}, kEnergies, TotalOf(kEnergies, 10), {});
  EXPECT_FALSE(share.share.has_value());
  EXPECT_FALSE(share.joules.has_value());
}

}  // namespace
}  // namespace csink::atime
