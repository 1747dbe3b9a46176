// PAPI_encode_events and PAPI_set_event_info: PAPI 3.5's, which PAPI 7.0's library does not have.
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <string>

#include "tests/compat/papi/bad_input.h"

namespace csink::papi_test {
namespace {

constexpr const char* kGood = "U_GOOD,NOT_DERIVED,,s,l,n,perf::PAGE-FAULTS\n";

/// PAPI_encode_events of a file with these bytes. PAPI_EBUG: a line was used although another one
/// was refused.
int Encode(const std::string& text, int replace) {
  std::string name = ::testing::TempDir() + "csink_bad_events_XXXXXX";
  const int file = mkstemp(name.data());
  if (write(file, text.data(), text.size()) != static_cast<ssize_t>(text.size())) return PAPI_EBUG;
  close(file);
  const int code = PAPI_encode_events(name.c_str(), replace);
  unlink(name.c_str());
  if (code != PAPI_OK && text.find("U_GOOD") != std::string::npos &&
      PAPI_query_named_event("U_GOOD") == PAPI_OK) {
    return PAPI_EBUG;
  }
  return code;
}

/// A good line, then this one.
int EncodeAfterGood(const std::string& line) { return Encode(kGood + line, 1); }

int EncodeTwice(const char* line, int replace) {
  const int first = Encode(line, 0);
  return first == PAPI_OK ? Encode(line, replace) : PAPI_EBUG;
}

int EncodeTooMany() {
  std::string lines;
  for (int i = 0; i < 1025; ++i) {
    lines += "U_" + std::to_string(i) + ",NOT_DERIVED,,s,l,n,perf::PAGE-FAULTS\n";
  }
  return EncodeAfterGood(lines);
}

/// PAPI_set_opt(PAPI_USER_EVENTS_FILE) with a file of these bytes.
int UseFile(Scene& s, const std::string& text) {
  static std::string name;
  name = ::testing::TempDir() + "csink_bad_user_events_XXXXXX";
  const int file = mkstemp(name.data());
  if (write(file, text.data(), text.size()) != static_cast<ssize_t>(text.size())) return PAPI_EBUG;
  close(file);
  const int code = SetOption(s, PAPI_USER_EVENTS_FILE, [](Scene&, PAPI_option_t& option) {
    option.events_file = name.data();
  });
  unlink(name.c_str());
  return code != PAPI_OK && PAPI_query_named_event("U_GOOD") == PAPI_OK ? PAPI_EBUG : code;
}

/// PAPI_set_event_info of a good event that `change` spoilt.
int SetInfo(Scene& s, void (*change)(PAPI_event_info_t& info)) {
  PAPI_event_info_t& info = s.out.info;
  std::memset(&info, 0, sizeof info);
  info.event_code = static_cast<unsigned>(PAPI_PRESET_MASK);
  std::strcpy(info.symbol, "U_INFO");
  std::strcpy(info.derived, "NOT_DERIVED");
  std::strcpy(info.name[0], "perf::PAGE-FAULTS");
  change(info);
  s.Ready();
  return PAPI_set_event_info(&info, &s.out.code, 1);
}

const Row kEncode[] = {
    BAD(BeforeInit, PAPI_encode_events("/dev/null", 0), PAPI_ENOINIT),
    BAD(Init, PAPI_encode_events("/dev/null", 0), PAPI_OK),
    BAD(Init, PAPI_encode_events(nullptr, 0), PAPI_EINVAL),
    BAD(Init, PAPI_encode_events("", 1), PAPI_EINVAL),
    BAD(Init, PAPI_encode_events("/nonexistent/\x01%s%n", 1), PAPI_EINVAL),
    BAD(Init, PAPI_encode_events("/", 1), PAPI_ESYS),
    BAD(Running, PAPI_encode_events("/dev/zero", 1), PAPI_EINVAL),
    BAD(Running, EncodeAfterGood("U,NOT_DERIVED,,s,l,n\n"), PAPI_EINVAL),
    BAD(Init, EncodeAfterGood("U\n"), PAPI_EINVAL),
    BAD(Init, EncodeAfterGood(",,,,,,\n"), PAPI_EINVAL),
    BAD(Init, EncodeAfterGood("U,,,s,l,n,perf::PAGE-FAULTS\n"), PAPI_EINVAL),
    BAD(Init, EncodeAfterGood("U,DERIVED_FOO,,s,l,n,perf::PAGE-FAULTS\n"), PAPI_EINVAL),
    BAD(Init, EncodeAfterGood("U,NOT_DERIVED,,s,l,n,perf::NO-SUCH-EVENT\n"), PAPI_EINVAL),
    BAD(Init, EncodeAfterGood("U,NOT_DERIVED,,s,l,n,PAPI_NO_SUCH\n"), PAPI_EINVAL),
    BAD(Init, EncodeAfterGood("U,NOT_DERIVED,,s,l,n,perf::PAGE-FAULTS:u=7\n"), PAPI_EINVAL),
    BAD(Init, EncodeAfterGood("U,DERIVED_POSTFIX,N0|N9|+|,s,l,n,perf::PAGE-FAULTS\n"), PAPI_EINVAL),
    BAD(Init, EncodeAfterGood("U,DERIVED_POSTFIX,,s,l,n,perf::PAGE-FAULTS\n"), PAPI_EINVAL),
    BAD(Init, EncodeAfterGood("U,NOT_DERIVED,,\"s,l,n,perf::PAGE-FAULTS\n"), PAPI_EINVAL),
    BAD(Init, EncodeAfterGood("U,NOT_DERIVED,,\"s\"x,l,n,perf::PAGE-FAULTS\n"), PAPI_EINVAL),
    BAD(Init, EncodeAfterGood(std::string("U,NOT_DERIVED,,s\0,l,n,perf::PAGE-FAULTS\n", 40)),
        PAPI_EINVAL),
    BAD(Init, EncodeAfterGood(std::string(128, 'U') + ",NOT_DERIVED,,s,l,n,perf::PAGE-FAULTS\n"),
        PAPI_EINVAL),
    BAD(Init,
        EncodeAfterGood("U,NOT_DERIVED,," + std::string(64, 's') + ",l,n,perf::PAGE-FAULTS\n"),
        PAPI_EINVAL),
    BAD(Init, EncodeAfterGood(std::string(100'000, ',')), PAPI_EINVAL),
    BAD(Init, EncodeAfterGood("EVENT,U,NOT_DERIVED,perf::PAGE-FAULTS\n"), PAPI_EINVAL),
    BAD(Init, EncodeAfterGood(std::string(1 << 20, '\xff')), PAPI_EINVAL),
    BAD(Init, EncodeTwice("U,NOT_DERIVED,,s,l,n,perf::PAGE-FAULTS\n", 0), PAPI_EPERM),
    BAD(Init, EncodeTwice("U,NOT_DERIVED,,s,l,n,perf::PAGE-FAULTS\n", 1), PAPI_OK),
    BAD(Init, Encode(std::string(kGood) + kGood, 0), PAPI_EPERM),
    BAD(Init, EncodeTooMany(), PAPI_ENOTPRESET),
};

const Row kInfo[] = {
    BAD(BeforeInit, PAPI_set_event_info(&s.out.info, &s.out.code, 0), PAPI_ENOINIT),
    BAD(Init, PAPI_set_event_info(nullptr, &s.out.code, 0), PAPI_EINVAL),
    BAD(Init, PAPI_set_event_info(&s.out.info, nullptr, 0), PAPI_EINVAL),
    BAD(Init, SetInfo(s, [](PAPI_event_info_t& info) { info.event_code = 0; }), PAPI_ENOEVNT),
    BAD(Init, SetInfo(s, [](PAPI_event_info_t& info) { info.event_code = PAPI_NATIVE_MASK; }),
        PAPI_ENOEVNT),
    BAD(Init, SetInfo(s, [](PAPI_event_info_t& info) { info.symbol[0] = 0; }), PAPI_EINVAL),
    BAD(Init, SetInfo(s, [](PAPI_event_info_t& info) { std::strcpy(info.symbol, "A B"); }),
        PAPI_EINVAL),
    BAD(Init, SetInfo(s, [](PAPI_event_info_t& info) { std::memset(info.symbol, 'x', 500); }),
        PAPI_EINVAL),
    BAD(Running, SetInfo(s, [](PAPI_event_info_t& info) { std::memset(&info, 0xff, sizeof info); }),
        PAPI_EINVAL),
    BAD(Init, SetInfo(s, [](PAPI_event_info_t& info) { info.derived[0] = 0; }), PAPI_EINVAL),
    BAD(Init, SetInfo(s, [](PAPI_event_info_t& info) { info.name[0][0] = 0; }), PAPI_EINVAL),
    BAD(Init, SetInfo(s, [](PAPI_event_info_t& info) { std::strcpy(info.name[0], "\x01%s%n"); }),
        PAPI_EINVAL),
    BAD(Init,
        SetInfo(s, [](PAPI_event_info_t& info) { std::strcpy(info.name[1], "perf::FAULTS"); }),
        PAPI_EINVAL),
    BAD(Init,
        SetInfo(s, [](PAPI_event_info_t& info) { std::strcpy(info.derived, "DERIVED_POSTFIX"); }),
        PAPI_EINVAL),
};

constexpr const char* kGoodLine = "EVENT,U_GOOD,NOT_DERIVED,perf::PAGE-FAULTS\n";

const Row kFiles[] = {
    BAD(BeforeInit, UseFile(s, kGoodLine), PAPI_ENOINIT),
    BAD(Running, UseFile(s, kGoodLine), PAPI_OK),
    BAD(Init, UseFile(s, ""), PAPI_OK),
    BAD(Init, UseFile(s, std::string(kGoodLine) + "EVENT,U,DERIVED_FOO,perf::FAULTS\n"),
        PAPI_EINVAL),
    BAD(Running, UseFile(s, std::string(kGoodLine) + "EVENTS,U,NOT_DERIVED,perf::FAULTS\n"),
        PAPI_EINVAL),
    BAD(Init, UseFile(s, std::string(kGoodLine) + "EVENT,U\n"), PAPI_EINVAL),
    BAD(Init, UseFile(s, std::string(kGoodLine) + "EVENT,U,NOT_DERIVED,\"perf::FAULTS\n"),
        PAPI_EINVAL),
    BAD(Init, UseFile(s, std::string(kGoodLine) + std::string(10'000, ',')), PAPI_EINVAL),
    BAD(Init, UseFile(s, "name,derived\n" + std::string(kGood) + "U\n"), PAPI_EINVAL),
    BAD(Init, UseFile(s, "name,derived\n" + std::string(kGood)), PAPI_OK),
    BAD(BeforeInit, PAPI_get_opt(PAPI_USER_EVENTS_FILE, &s.out.option), PAPI_ENOINIT),
    BAD(Init, PAPI_get_opt(PAPI_USER_EVENTS_FILE, nullptr), PAPI_EINVAL),
};

INSTANTIATE_TEST_SUITE_P(Encode, BadInput, ::testing::ValuesIn(kEncode), RowName);
INSTANTIATE_TEST_SUITE_P(Files, BadInput, ::testing::ValuesIn(kFiles), RowName);
INSTANTIATE_TEST_SUITE_P(SetInfo, BadInput, ::testing::ValuesIn(kInfo), RowName);

}  // namespace
}  // namespace csink::papi_test
