// The functions about the machine in a process that has not initialised the library: a program of
// its own.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "compat/papi/include/papi.h"

namespace {

TEST(BeforeInit, RealTimeRunsAndVirtualTimeDoesNot) {
  EXPECT_GT(PAPI_get_real_nsec(), 0);
  EXPECT_GT(PAPI_get_real_usec(), 0);
  EXPECT_GT(PAPI_get_real_cyc(), 0);
  EXPECT_EQ(PAPI_get_virt_nsec(), PAPI_ECNFLCT);
  EXPECT_EQ(PAPI_get_virt_usec(), PAPI_ECNFLCT);
  EXPECT_EQ(PAPI_get_virt_cyc(), PAPI_ECNFLCT);
}

TEST(BeforeInit, ThereIsNoInformationButOfDevices) {
  void* handle = nullptr;
  EXPECT_EQ(PAPI_get_hardware_info(), nullptr);
  EXPECT_EQ(PAPI_get_executable_info(), nullptr);
  EXPECT_EQ(PAPI_get_shared_lib_info(), nullptr);
  EXPECT_EQ(PAPI_enum_dev_type(PAPI_DEV_TYPE_ENUM__ALL, &handle), PAPI_OK);
  EXPECT_NE(handle, nullptr);
}

TEST(AfterInit, AForkedChildFindsALockOfAnotherThreadFree) {
  ASSERT_EQ(PAPI_library_init(PAPI_VER_CURRENT), PAPI_VER_CURRENT);
  EXPECT_GT(PAPI_get_virt_nsec(), 0);
  std::atomic<int> stage{0};
  std::thread holder([&] {
    PAPI_lock(PAPI_USR1_LOCK);
    stage = 1;
    while (stage == 1) usleep(1000);
    PAPI_unlock(PAPI_USR1_LOCK);
  });
  while (stage == 0) usleep(1000);
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    _exit(PAPI_lock(PAPI_USR1_LOCK) == PAPI_OK ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  stage = 2;
  holder.join();
}

}  // namespace
