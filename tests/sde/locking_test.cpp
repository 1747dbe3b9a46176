/// File: overflows of software defined events with a libsde that holds its lock while it reports,
/// and takes it to read (locking_sde.c).

#include <gtest/gtest.h>
#include <papi.h>

#include <vector>

extern "C" {
extern int locking_sde_deadlocks;
void locking_sde_count(long long by);
}

namespace {

std::vector<long long> g_seen;

void OnOverflow(int set, void*, long long, void*) {
  long long value = -1;
  EXPECT_EQ(PAPI_read(set, &value), PAPI_OK);
  g_seen.push_back(value);
}

struct LockingSde : testing::Test {
  void SetUp() override {
    g_seen.clear();
    locking_sde_deadlocks = 0;
    ASSERT_EQ(PAPI_library_init(PAPI_VER_CURRENT), PAPI_VER_CURRENT);
    ASSERT_EQ(PAPI_event_name_to_code("sde:::Locking::created", &code_), PAPI_OK);
    ASSERT_EQ(PAPI_create_eventset(&set_), PAPI_OK);
    ASSERT_EQ(PAPI_add_event(set_, code_), PAPI_OK);
    ASSERT_EQ(PAPI_overflow(set_, code_, 10, 0, OnOverflow), PAPI_OK);
  }
  void TearDown() override {
    EXPECT_EQ(locking_sde_deadlocks, 0);
    PAPI_shutdown();
  }
  long long Stop() {
    long long value = -1;
    EXPECT_EQ(PAPI_stop(set_, &value), PAPI_OK);
    return value;
  }
  int code_ = 0;
  int set_ = PAPI_NULL;
};

TEST_F(LockingSde, IsNotAskedWhileItReports) {
  ASSERT_EQ(PAPI_start(set_), PAPI_OK);
  for (int i = 0; i < 25; ++i) locking_sde_count(1);
  EXPECT_EQ(g_seen, (std::vector<long long>{10, 20}));
  EXPECT_EQ(Stop(), 25);
}

TEST_F(LockingSde, CountsFromTheStartOfASetThatBeginsLater) {
  locking_sde_count(1007);
  ASSERT_EQ(PAPI_start(set_), PAPI_OK);
  for (int i = 0; i < 25; ++i) locking_sde_count(1);
  EXPECT_EQ(g_seen, (std::vector<long long>{10, 20}));
  EXPECT_EQ(Stop(), 25);
}

TEST_F(LockingSde, IsReadAgainOutsideOfTheHandler) {
  ASSERT_EQ(PAPI_start(set_), PAPI_OK);
  locking_sde_count(12);
  long long value = -1;
  ASSERT_EQ(PAPI_read(set_, &value), PAPI_OK);
  EXPECT_EQ(value, 12);
  EXPECT_EQ(g_seen, std::vector<long long>{12});
  EXPECT_EQ(Stop(), 12);
}

}  // namespace
