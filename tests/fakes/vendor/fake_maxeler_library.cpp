/// File: a libmaxeleros.so by script (FAKE_MAXELER, fake_script.h).
///
/// Keys: connect (an error: no daemon), count, power, usage, monitor (an error of one of these
/// three is that of the exchange). Of a device: fpga_power (W, `power_usage`), volts and amperes of
/// each rail as RAIL_V and RAIL_A (vcc1v0_core_V, ...; default 1 V and 1 A), usage (%),
/// main_temperature, interface_temperature. power_reply, usage_reply, monitor_reply: a text in
/// place of the whole answer ('|' stands for ';').
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "tests/fakes/vendor/fake_script.h"

namespace {

using namespace csink::fakes;
constexpr const char* kPlain =
    "devices = 1; *.fpga_power = 30; *.usage = 25; *.main_temperature = 55;"
    "*.interface_temperature = 45";
constexpr const char* kRails[] = {"vcc1v0_core", "vcc1v5_ddr", "vcc2v5_aux", "imgt_1v0",
                                  "imgt_1v2",    "mgt_1v0",    "mgt_1v2"};

void Begin() { UseScript("FAKE_MAXELER", kPlain); }

double Number(unsigned device, const std::string& key, double otherwise) {
  const Answer answer = Ask(device, key);
  return answer.given ? answer.number : otherwise;
}

std::string Rails(unsigned device) {
  std::string text;
  for (const char* rail : kRails) {
    char line[160];
    snprintf(line, sizeof line, "%s{\"rail_name\":\"%s\",\"voltage\":%g,\"current\":%g}",
             text.empty() ? "" : ",", rail, Number(device, std::string(rail) + "_V", 1),
             Number(device, std::string(rail) + "_A", 1));
    text += line;
  }
  return text;
}

std::string Reply(bool power) {
  std::string text = "[{\"success\":true,\"data\":{";
  for (unsigned device = 0; device < Devices(); ++device) {
    char head[96];
    snprintf(head, sizeof head, "%s\"engine%u\":{\"%s\":%g", device ? "," : "", device,
             power ? "power_usage" : "usage", Number(device, power ? "fpga_power" : "usage", 0));
    text += head;
    if (power) text += ",\"measurements\":[" + Rails(device) + "]";
    text += "}";
  }
  return text + "}}]";
}

char* Owned(std::string text) {
  for (char& c : text) c = c == '|' ? ';' : c;
  return strdup(text.c_str());
}

}  // namespace

FAKE_VENDOR_API void csink_fake_script(const char* statements) {
  Begin();
  SetScript(statements);
}

FAKE_VENDOR_API int max_daemon_connect(const char* socket) {
  Begin();
  const int error = Ask("connect").error;
  return error || strcmp(socket, "maxelerosd.sock") != 0 ? -1 : 1000;
}
FAKE_VENDOR_API void max_daemon_disconnect(int) {}
FAKE_VENDOR_API int max_daemon_device_count(int) {
  const Answer answer = Ask("count");
  return answer.error ? -1 : static_cast<int>(Devices());
}
FAKE_VENDOR_API int max_daemon_exchange_json_string(int, char** reply, const char* request) {
  const bool power = strstr(request, "get_power_data") != nullptr;
  if (!power && !strstr(request, "get_computation_utilization_data")) return -1;
  if (const int error = Ask(power ? "power" : "usage").error) return error;
  const Answer whole = Ask(power ? "power_reply" : "usage_reply");
  *reply = Owned(whole.given ? whole.text : Reply(power));
  return 0;
}
FAKE_VENDOR_API int max_daemon_device_hw_monitor(int, int index, char** reply) {
  if (const int error = Ask("monitor").error) return error;
  const auto device = static_cast<unsigned>(index);
  const Answer whole = Ask("monitor_reply");
  char text[160];
  snprintf(text, sizeof text, "DEVICE=%d,MAIN_FPGA_TEMPERATURE=%g,MAX3_IFCEFPGA_TEMPERATURE=%g,END",
           index, Number(device, "main_temperature", 0),
           Number(device, "interface_temperature", 0));
  *reply = Owned(whole.given ? whole.text : text);
  return 0;
}
