/// File: rapl and powercap as programs see them, by papi.h alone: in a mount namespace of the
/// test's own, where a folder with zones and thermometers lies over /sys/class.

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <net/if.h>
#include <netinet/in.h>
#include <papi.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/fakes/captured_stderr.h"

namespace {

namespace fs = std::filesystem;
using csink::testing::CapturedStderr;

constexpr char kZone[] = "powercap/intel-rapl:0/";

/// The folder that lies over /sys/class while the tests run.
class Machine {
 public:
  /// Why the tests cannot run here; "" when they can.
  const std::string& obstacle() const { return obstacle_; }

  Machine() {
    std::string name = (fs::temp_directory_path() / "csink-class-XXXXXX").string();
    if (!mkdtemp(name.data())) {
      obstacle_ = "no temporary folder";
      return;
    }
    root_ = name;
    Write(std::string(kZone) + "name", "package-0");
    Write(std::string(kZone) + "energy_uj", "1000");
    Write(std::string(kZone) + "max_energy_range_uj", "999999999");  // 1 s at 1000 W
    Write(std::string(kZone) + "enabled", "1");
    Write("hwmon/hwmon0/name", "k10temp");
    Write("hwmon/hwmon0/temp1_input", "-4000");
    if (unshare(CLONE_NEWNS) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) {
      obstacle_ = std::string("unshare(CLONE_NEWNS): ") + std::strerror(errno);
    } else if (mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
               mount(root_.c_str(), "/sys/class", nullptr, MS_BIND, nullptr) != 0) {
      obstacle_ = std::string("mount over /sys/class: ") + std::strerror(errno);
    } else {
      mounted_ = true;
    }
  }
  ~Machine() {
    if (mounted_) umount2("/sys/class", MNT_DETACH);
    std::error_code ignored;
    if (!root_.empty()) fs::remove_all(root_, ignored);
  }

  void Write(const std::string& file, const std::string& text) {
    fs::create_directories(fs::path(root_ + "/" + file).parent_path());
    std::ofstream(root_ + "/" + file) << text << "\n";
  }
  void SetEnergy(long long uj) { Write(std::string(kZone) + "energy_uj", std::to_string(uj)); }

 private:
  std::string root_, obstacle_;
  bool mounted_ = false;
};

class Devices : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    machine_ = new Machine;
    if (machine_->obstacle().empty()) {
      ASSERT_EQ(PAPI_library_init(PAPI_VER_CURRENT), PAPI_VER_CURRENT);
    }
  }
  static void TearDownTestSuite() {
    PAPI_shutdown();
    delete machine_;
  }
  void SetUp() override {
    if (!machine_->obstacle().empty()) GTEST_SKIP() << machine_->obstacle();
    machine_->SetEnergy(1'000);
  }
  void TearDown() override {
    for (int set : sets_) {
      int state = 0;
      if (PAPI_state(set, &state) == PAPI_OK && (state & PAPI_RUNNING)) PAPI_stop(set, nullptr);
      PAPI_cleanup_eventset(set);
      PAPI_destroy_eventset(&set);
    }
  }

  int SetOf(const std::vector<std::string>& events) {
    int set = PAPI_NULL;
    EXPECT_EQ(PAPI_create_eventset(&set), PAPI_OK);
    for (const std::string& event : events) {
      EXPECT_EQ(PAPI_add_named_event(set, event.c_str()), PAPI_OK) << event;
    }
    sets_.push_back(set);
    return set;
  }
  static PAPI_event_info_t InfoOf(const char* name) {
    int code = 0;
    PAPI_event_info_t info = {};
    EXPECT_EQ(PAPI_event_name_to_code(name, &code), PAPI_OK) << name;
    EXPECT_EQ(PAPI_get_event_info(code, &info), PAPI_OK) << name;
    return info;
  }

  static Machine* machine_;
  std::vector<int> sets_;
};
Machine* Devices::machine_ = nullptr;

std::vector<std::string> NamesOf(const char* component) {
  std::vector<std::string> names;
  const int index = PAPI_get_component_index(component);
  int code = PAPI_NATIVE_MASK;
  for (int more = PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, index); more == PAPI_OK;
       more = PAPI_enum_cmp_event(&code, PAPI_ENUM_EVENTS, index)) {
    char name[PAPI_MAX_STR_LEN];
    EXPECT_EQ(PAPI_event_code_to_name(code, name), PAPI_OK);
    int again = 0;
    EXPECT_EQ(PAPI_event_name_to_code(name, &again), PAPI_OK);
    EXPECT_EQ(again, code);
    names.emplace_back(name);
  }
  return names;
}

TEST_F(Devices, ComponentsTellWhatTheyAre) {
  const int index = PAPI_get_component_index("powercap");
  ASSERT_GT(index, 0);
  const PAPI_component_info_t* info = PAPI_get_component_info(index);
  ASSERT_TRUE(info);
  EXPECT_STREQ(info->short_name, "powercap");
  EXPECT_EQ(info->disabled, PAPI_OK) << info->disabled_reason;
  EXPECT_EQ(info->num_native_events, 4);
  EXPECT_EQ(info->num_cntrs, 4);
  EXPECT_EQ(info->CmpIdx, index);
  EXPECT_EQ(NamesOf("powercap"),
            (std::vector<std::string>{"powercap:::ENERGY_UJ:ZONE0",
                                      "powercap:::MAX_ENERGY_RANGE_UJ:ZONE0",
                                      "powercap:::ENABLED:ZONE0", "powercap:::NAME:ZONE0"}));
  const std::vector<std::string> rapl = NamesOf("rapl");
  EXPECT_EQ(static_cast<int>(rapl.size()),
            PAPI_get_component_info(PAPI_get_component_index("rapl"))->num_native_events);
}

TEST_F(Devices, EventsTellTypeAndUnit) {
  const PAPI_event_info_t energy = InfoOf("rapl:::PACKAGE_ENERGY:PACKAGE0");
  EXPECT_STREQ(energy.symbol, "rapl:::PACKAGE_ENERGY:PACKAGE0");
  EXPECT_STREQ(energy.units, "nJ");
  EXPECT_EQ(energy.data_type, PAPI_DATATYPE_UINT64);
  EXPECT_EQ(energy.location, PAPI_LOCATION_PACKAGE);
  EXPECT_EQ(InfoOf("rapl:::TIME_UTIL").data_type, PAPI_DATATYPE_FP64);
  EXPECT_EQ(InfoOf("rapl:::THERM_STATUS:PACKAGE0").data_type, PAPI_DATATYPE_INT64);
  int code = 0;
  EXPECT_EQ(PAPI_event_name_to_code("rapl:::PACKAGE_POWER:PACKAGE0", &code), PAPI_ENOEVNT);
  EXPECT_EQ(PAPI_event_name_to_code("PACKAGE_ENERGY:PACKAGE0", &code), PAPI_ENOEVNT)
      << "devices are not opened for a name without their component";
}

TEST_F(Devices, EnergyGoesOnOverAWrap) {
  machine_->SetEnergy(999'999'990);
  const int set = SetOf({"powercap:::ENERGY_UJ:ZONE0", "powercap:::MAX_ENERGY_RANGE_UJ:ZONE0"});
  ASSERT_EQ(PAPI_start(set), PAPI_OK);
  machine_->SetEnergy(5);
  long long values[2] = {};
  ASSERT_EQ(PAPI_read(set, values), PAPI_OK);
  EXPECT_EQ(values[0], 15);
  EXPECT_EQ(values[1], 999'999'999);
  ASSERT_EQ(PAPI_reset(set), PAPI_OK);
  machine_->SetEnergy(7);
  ASSERT_EQ(PAPI_stop(set, values), PAPI_OK);
  EXPECT_EQ(values[0], 2);
  EXPECT_EQ(values[1], 999'999'999) << "what is now is not changed by a reset";
}

TEST_F(Devices, RaplHasTheEnergyOfPowercapInNanojoules) {
  if (fs::exists("/sys/bus/event_source/devices/power")) {
    GTEST_SKIP() << "this machine's own power PMU comes before the test's zone";
  }
  const int set = SetOf({"rapl:::PACKAGE_ENERGY:PACKAGE0", "rapl:::THERM_STATUS:PACKAGE0"});
  ASSERT_EQ(PAPI_start(set), PAPI_OK);
  machine_->SetEnergy(4'500);
  long long values[2] = {};
  ASSERT_EQ(PAPI_read(set, values), PAPI_OK);
  EXPECT_EQ(values[0], 3'500'000);
  EXPECT_EQ(values[1], -4);
}

TEST_F(Devices, DoublesAreAddedAsDoubles) {
  const int set = SetOf({"rapl:::TIME_IDLE", "rapl:::TIME_WORK", "rapl:::TIME_UTIL"});
  ASSERT_EQ(PAPI_start(set), PAPI_OK);
  const double start_ms = static_cast<double>(PAPI_get_real_usec()) / 1e3;
  long long sum[3] = {std::bit_cast<long long>(1e6), std::bit_cast<long long>(1e6), 0};
  for (int i = 0; i < 5; ++i) {
    usleep(20'000);
    ASSERT_EQ(PAPI_accum(set, sum), PAPI_OK);
  }
  const double ran_ms = static_cast<double>(PAPI_get_real_usec()) / 1e3 - start_ms;
  const double told_ms = std::bit_cast<double>(sum[0]) + std::bit_cast<double>(sum[1]) - 2e6;
  // The kernel counts idle time of all CPUs in steps of a tick, and late on sleeping ones.
  EXPECT_GT(told_ms, 0);
  EXPECT_LT(told_ms, 3 * ran_ms + 100);
  long long now[3] = {};
  ASSERT_EQ(PAPI_stop(set, now), PAPI_OK);
  const double load = std::bit_cast<double>(now[2]);
  EXPECT_TRUE(load >= 0 && load <= 100) << load;
}

TEST_F(Devices, AChildBeginsAnew) {
  const int set = SetOf({"powercap:::ENERGY_UJ:ZONE0"});
  ASSERT_EQ(PAPI_start(set), PAPI_OK);
  machine_->SetEnergy(2'000);
  const pid_t child = fork();
  if (child == 0) {
    long long value = -1;
    if (PAPI_start(set) != PAPI_OK) _exit(1);
    machine_->SetEnergy(2'300);
    if (PAPI_stop(set, &value) != PAPI_OK) _exit(2);
    _exit(value == 300 ? 0 : 3);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  long long value = 0;
  ASSERT_EQ(PAPI_stop(set, &value), PAPI_OK);
  EXPECT_EQ(value, 1'300);
}

TEST_F(Devices, TwoWrapsWhileTheProcessWasStoppedAreSaid) {
  // Above what the tests before have read: a step back is a counter that begins anew.
  machine_->SetEnergy(5'000);
  const int set = SetOf({"powercap:::ENERGY_UJ:ZONE0"});
  ASSERT_EQ(PAPI_start(set), PAPI_OK);
  const pid_t self = getpid();
  const pid_t waker = fork();
  if (waker == 0) {
    usleep(2'500'000);
    kill(self, SIGCONT);
    _exit(0);
  }
  CapturedStderr captured;
  raise(SIGSTOP);
  machine_->SetEnergy(5'700);
  long long value = 0;
  EXPECT_EQ(PAPI_read(set, &value), PAPI_ECLOST);
  EXPECT_EQ(value, 700) << "a lower bound";
  EXPECT_NE(captured.text().find("powercap was not read for 2."), std::string::npos)
      << captured.text();
  EXPECT_NE(captured.text().find("up to 2 wraps"), std::string::npos) << captured.text();
  EXPECT_EQ(PAPI_read(set, &value), PAPI_OK) << "told once";
  waitpid(waker, nullptr, 0);
}

/// Exit codes of the child of the next test.
enum { kRight = 0, kNoNamespace = 77, kWrong = 1 };

/// Sends `packets` of 1,000 bytes to itself over the loopback of a network of its own.
int SendToItself(int packets) {
  const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  ifreq lo = {};
  std::strcpy(lo.ifr_name, "lo");
  lo.ifr_flags = IFF_UP;
  if (ioctl(fd, SIOCSIFFLAGS, &lo) != 0) return kNoNamespace;
  sockaddr_in here = {};
  here.sin_family = AF_INET;
  here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof here;
  if (bind(fd, reinterpret_cast<sockaddr*>(&here), size) != 0 ||
      getsockname(fd, reinterpret_cast<sockaddr*>(&here), &size) != 0) {
    return kWrong;
  }
  const char payload[1000] = "";
  char got[2000];
  for (int i = 0; i < packets; ++i) {
    if (sendto(fd, payload, sizeof payload, 0, reinterpret_cast<sockaddr*>(&here), size) != 1000 ||
        recv(fd, got, sizeof got, 0) != 1000) {
      return kWrong;
    }
  }
  close(fd);
  return kRight;
}

TEST(Net, CountsThePacketsOfTheLoopback) {
  const pid_t child = fork();
  if (child == 0) {
    if (unshare(CLONE_NEWNET) != 0) _exit(kNoNamespace);
    int set = PAPI_NULL;
    if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT ||
        PAPI_create_eventset(&set) != PAPI_OK) {
      _exit(kWrong);
    }
    for (const char* name : {"net:::lo:rx:bytes", "net:::lo:tx:packets", "net:::lo:tx:bytes",
                             "net:::lo:rx:packet" /* as PAPI 7.3 lists it */}) {
      if (PAPI_add_named_event(set, name) != PAPI_OK) {
        PAPI_perror(name);
        _exit(kWrong);
      }
    }
    if (PAPI_start(set) != PAPI_OK) _exit(kWrong);
    if (const int code = SendToItself(500); code != kRight) _exit(code);
    long long values[4] = {};
    if (PAPI_stop(set, values) != PAPI_OK) _exit(kWrong);
    // A header of IP has 20 bytes, one of UDP 8.
    const long long expected[] = {500 * 1028, 500, 500 * 1028, 500};
    for (int i = 0; i < 4; ++i) {
      if (values[i] == expected[i]) continue;
      std::fprintf(stderr, "value %d is %lld, not %lld\n", i, values[i], expected[i]);
      _exit(kWrong);
    }
    _exit(kRight);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == kNoNamespace) GTEST_SKIP() << "no network namespace can be made here";
  EXPECT_EQ(WEXITSTATUS(status), kRight);
}

}  // namespace
