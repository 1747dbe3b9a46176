/// File: counting another process, the children of one's own, and counts beyond 32 bits.

#include <sys/wait.h>
#include <unistd.h>

#include "tests/guest/papi_counts.h"

namespace guest {
namespace {

constexpr long long kLoop = 20'000'000;

/// What a child found out about itself.
struct Found {
  bool good = true;
  long long in_user_space = 0, stopped = 0, grouped = 0;
};

/// A child that runs a loop of `instructions` when it is told to, and stays until it is let go.
class LoopingChild {
 public:
  explicit LoopingChild(std::uint64_t instructions, Found (*inside)(std::uint64_t) = nullptr) {
    if (pipe(go_) != 0 || pipe(done_) != 0) return;
    pid_ = fork();
    if (pid_ != 0) return;
    char byte = 0;
    Found found;
    const bool told = read(go_[0], &byte, 1) == 1;
    if (inside) {
      found = inside(instructions);
    } else {
      Spin(instructions / 2);
    }
    const bool good = write(done_[1], &found, sizeof found) == sizeof found && told &&
                      read(go_[0], &byte, 1) == 1;
    _exit(good ? 0 : 1);
  }
  pid_t pid() const { return pid_; }
  bool Run() {
    return write(go_[1], "x", 1) == 1 && read(done_[0], &found_, sizeof found_) == sizeof found_ &&
           found_.good;
  }
  const Found& found() const { return found_; }
  bool End() {
    int status = -1;
    const bool told = write(go_[1], "x", 1) == 1;
    waitpid(pid_, &status, 0);
    for (const int fd : {go_[0], go_[1], done_[0], done_[1]}) close(fd);
    return told && status == 0;
  }

 private:
  int go_[2] = {-1, -1}, done_[2] = {-1, -1};
  pid_t pid_ = -1;
  Found found_;
};

void CheckAttach() {
  LoopingChild child(kLoop);
  int set = PAPI_NULL;
  PAPI_create_eventset(&set);
  PAPI_assign_eventset_component(set, 0);
  const int attached = PAPI_attach(set, static_cast<unsigned long>(child.pid()));
  Check(attached == PAPI_OK, "attach", "to a child: %s", PAPI_strerror(attached));
  Check(
      PAPI_add_event(set, PAPI_TOT_INS) == PAPI_OK && PAPI_add_event(set, PAPI_TOT_CYC) == PAPI_OK,
      "attach", "two events");
  long long read[2] = {}, stopped[2] = {};
  Check(PAPI_start(set) == PAPI_OK, "attach", "starts");
  Spin(5'000'000);  // is not the child's
  Check(child.Run() && PAPI_read(set, read) == PAPI_OK, "attach", "the child ran");
  Check(PAPI_stop(set, stopped) == PAPI_OK && stopped[0] == read[0] && stopped[1] == read[1],
        "attach", "a child that sleeps counts nothing");
  for (const long long count : read) {
    Check(count >= kLoop && count < kLoop + 2000, "attach", "%lld around its %lld", count - kLoop,
          kLoop);
  }
  Destroy(set);
  Check(child.End(), "attach", "the child ends well");
}

/// A set that counts this thread and, when `inherit` says so, what it forks afterwards.
void CheckInherit(bool inherit) {
  const char* name = inherit ? "inherit" : "no inherit";
  int set = PAPI_NULL;
  PAPI_create_eventset(&set);
  PAPI_assign_eventset_component(set, 0);
  PAPI_option_t option = {};
  option.inherit.inherit = inherit ? PAPI_INHERIT_ALL : PAPI_INHERIT_NONE;
  option.inherit.eventset = set;
  const int code = PAPI_set_opt(PAPI_INHERIT, &option);
  Check(code == PAPI_OK && PAPI_add_event(set, PAPI_TOT_INS) == PAPI_OK, name, "is set: %s",
        PAPI_strerror(code));
  long long count = 0;
  Check(PAPI_start(set) == PAPI_OK, name, "starts");
  LoopingChild child(kLoop);
  Spin(kLoop / 4);
  const bool good = child.Run() && child.End();
  Check(PAPI_stop(set, &count) == PAPI_OK && good, name, "stops");
  const long long wanted = kLoop / 2 + (inherit ? kLoop : 0);
  // fork runs the C library's handlers in both processes.
  Check(count >= wanted && count < wanted + 20'000, name, "%lld around %lld", count - wanted,
        wanted);
  Destroy(set);
}

void Near(long long count, std::uint64_t loop, const char* how) {
  const auto wanted = static_cast<long long>(loop);
  Check(count >= wanted && count < wanted + 20'000, "long", "%lld instructions %s", count, how);
}

/// The loop, counted by the child itself: without a system call, and in a group by read(2).
Found CountInside(std::uint64_t loop) {
  Found found;
  const auto expect = [&](bool good) { found.good = found.good && good; };
  expect(PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT);
  expect(PAPI_get_component_info(0)->fast_counter_read == 1);
  const int one = SetOf({"PAPI_TOT_INS"});
  int group = PAPI_NULL;
  PAPI_create_eventset(&group);
  PAPI_assign_eventset_component(group, 0);
  // A set that is attached, were it to its own thread, is read by read(2).
  expect(PAPI_attach(group, static_cast<unsigned long>(getpid())) == PAPI_OK);
  expect(PAPI_add_event(group, PAPI_TOT_INS) == PAPI_OK);
  expect(PAPI_add_named_event(group, "perf::TASK-CLOCK") == PAPI_OK);
  long long values[2] = {};
  expect(PAPI_start(one) == PAPI_OK && PAPI_start(group) == PAPI_OK);
  Spin(loop / 2);
  expect(PAPI_read(one, &found.in_user_space) == PAPI_OK && PAPI_read(group, values) == PAPI_OK);
  found.grouped = values[0];
  expect(PAPI_stop(one, &found.stopped) == PAPI_OK && PAPI_stop(group, values) == PAPI_OK);
  return found;
}

}  // namespace

void CheckChildren() {
  CheckAttach();
  CheckInherit(true);
  CheckInherit(false);
}

void CheckLongCounts() {
  constexpr std::uint64_t kLong = 4'400'000'000;
  LoopingChild child(kLong, CountInside);
  int set = PAPI_NULL;
  PAPI_create_eventset(&set);
  PAPI_assign_eventset_component(set, 0);
  Check(PAPI_attach(set, static_cast<unsigned long>(child.pid())) == PAPI_OK &&
            PAPI_add_event(set, PAPI_TOT_INS) == PAPI_OK && PAPI_start(set) == PAPI_OK,
        "long", "counts a child");
  Check(child.Run(), "long", "the child ran");
  long long value = 0;
  Check(PAPI_read(set, &value) == PAPI_OK, "long", "is read");
  // The child's own start of the library is in it: some million instructions.
  Check(
      value >= static_cast<long long>(kLong) && value < static_cast<long long>(kLong) + 200'000'000,
      "long", "%lld instructions by read(2)", value);
  Near(child.found().in_user_space, kLong, "in user space");
  Near(child.found().stopped, kLong, "after the stop");
  Near(child.found().grouped, kLong, "in a group");
  Check(PAPI_stop(set, &value) == PAPI_OK && child.End(), "long", "ends");
  Destroy(set);
}

}  // namespace guest
