#include "compat/atime/options.h"

#include <getopt.h>

#include <charconv>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "compat/apapi_client/message.h"

/// File: the command line. getopt stops at the first word that is no option, so that the program's
/// own options reach the program.

namespace csink::atime {
namespace {

// Long options without a letter.
// From 256 on, behind the letters of the other options.
enum LongOption : int {
  kFormat = 256,
  kSeries,
  kIdle,
  kOpenMetrics,
  kGroup,
  kLive,
  kPhases,
  kVersion
};

// Words for all letters, and the options that have a word only.
constexpr option kLongOptions[] = {{"interval", required_argument, nullptr, 't'},
                                   {"output", required_argument, nullptr, 'o'},
                                   {"format", required_argument, nullptr, kFormat},
                                   {"series", required_argument, nullptr, kSeries},
                                   {"repeat", required_argument, nullptr, 'r'},
                                   {"idle", optional_argument, nullptr, kIdle},
                                   {"pid", required_argument, nullptr, 'p'},
                                   {"cgroup", required_argument, nullptr, kGroup},
                                   {"live", no_argument, nullptr, kLive},
                                   {"phases", no_argument, nullptr, kPhases},
                                   {"openmetrics", required_argument, nullptr, kOpenMetrics},
                                   {"help", no_argument, nullptr, 'h'},
                                   {"version", no_argument, nullptr, kVersion},
                                   {nullptr, 0, nullptr, 0}};

// False, with a message: no format has this name.
bool ReadFormat(const char* text, Options::Format& format) {
  using Format = Options::Format;
  constexpr struct {
    const char* name;
    Format format;
  } kFormats[] = {{"text", Format::kText}, {"csv", Format::kCsv}, {"json", Format::kJson}};
  for (const auto& known : kFormats) {
    if (std::strcmp(known.name, text) != 0) continue;
    format = known.format;
    return true;
  }
  apapi::Say(kWho, std::string("unknown format '") + text + "'; formats are text, csv and json");
  return false;
}

// False, with a message: not a number of runs.
bool ReadRuns(const char* text, unsigned& runs) {
  const char* end = text + std::strlen(text);
  const auto [at, error] = std::from_chars(text, end, runs);
  if (error == std::errc() && at == end && runs >= 1 && runs <= kMostRuns) return true;
  apapi::Say(kWho, std::string("-r: '") + text + "' is not a number of runs from 1 to " +
                       std::to_string(kMostRuns));
  return false;
}

// False, with a message: not a length of time.
bool ReadIdle(const char* text, std::uint64_t& idle_ns) {
  std::string complaint;
  idle_ns = text ? ReadLength(text, complaint).value_or(0) : kDefaultIdleNs;
  if (idle_ns != 0) return true;
  apapi::Say(kWho, std::string("--idle: time '") + text + "' " + complaint);
  return false;
}

// False, with a message: not a list of process ids.
bool ReadPids(std::string_view text, std::vector<pid_t>& pids) {
  // Of several -p the last one counts.
  pids.clear();
  for (const char *at = text.data(), *end = at + text.size();; ++at) {
    pid_t pid = 0;
    const auto [after, error] = std::from_chars(at, end, pid);
    at = after;
    if (error != std::errc() || pid <= 0 || (at != end && *at != ',')) break;
    pids.push_back(pid);
    // A comma at the end is refused: a number must follow.
    if (at == end) return true;
  }
  apapi::Say(kWho, "-p: '" + std::string(text) + "' is not a list of process ids: 12,34");
  return false;
}

// An invalid command line: nothing is run or measured.
Options Refused() {
  Options options;
  options.status = 1;
  return options;
}

// What is said of options that are valid one by one; "": they go together.
std::string Contradiction(const Options& options) {
  if (!options.pids.empty() && options.cgroup) return "-p and --cgroup exclude each other";
  if (!options.program && options.runs > 1) return "-r needs a program to run";
  if (!options.program && options.phases) return "--phases needs a program to run";
  return "";
}

// Also forgets a program and a job, so that Main does not run or measure them.
Options Help(Options options, int status) {
  options.program = nullptr;
  options.pids.clear();
  options.cgroup = nullptr;
  options.help = true;
  options.status = status;
  return options;
}

}  // namespace

Options ReadOptions(int argc, char** argv) {
  Options options;
  for (;;) {
    // '+': stops at the first argument that is not an option, which is the program's name.
    const int found = getopt_long(argc, argv, "+t:o:r:p:h", kLongOptions, nullptr);
    if (found == -1) break;
    switch (found) {
      case 't':
        ReadIntervals(optarg, options);
        break;
      case 'o':
        options.output = optarg;
        break;
      case kSeries:
        options.series = optarg;
        break;
      case kOpenMetrics:
        options.open_metrics = optarg;
        break;
      // The values of the next two are what the results mean, so a wrong one is an error.
      case 'r':
        if (!ReadRuns(optarg, options.runs)) return Refused();
        break;
      case kIdle:
        if (!ReadIdle(optarg, options.idle_ns)) return Refused();
        break;
      case 'p':
        if (!ReadPids(optarg, options.pids)) return Refused();
        break;
      case kGroup:
        options.cgroup = optarg;
        break;
      case kLive:
        options.live = true;
        break;
      case kPhases:
        options.phases = true;
        break;
      case kFormat:
        // Unlike a wrong interval, for which the default is used: a report in another format is of
        // no use.
        if (!ReadFormat(optarg, options.format)) return Refused();
        break;
      case kVersion:
        // The version alone, whatever else was given.
        options = {};
        options.version = true;
        return options;
      case 'h':
        return Help(std::move(options), 0);
      default:  // getopt_long has said what is wrong
        options = {};
        options.status = 2;
        return options;
    }
  }
  // As upstream's: help and status 1.
  if (optind >= argc && !options.has_job()) return Help(std::move(options), 1);
  // The rest of the command line is the program's, with its options.
  if (optind < argc) options.program = argv + optind;
  if (const std::string why = Contradiction(options); !why.empty()) {
    apapi::Say(kWho, why);
    return Refused();
  }
  return options;
}

void PrintHelp() {
  std::puts(
      "Usage: atime [-t INTERVALS] [-o FILE] [--format text|csv|json] [--series FILE]\n"
      "             [-r N] [--idle[=TIME]] [--openmetrics FILE] [--live] [--phases] PROGRAM "
      "[ARG...]\n"
      "       atime [OPTION...] -p PID[,PID...] [PROGRAM [ARG...]]\n"
      "       atime [OPTION...] --cgroup PATH [PROGRAM [ARG...]]\n"
      "Runs PROGRAM, reads counters of PAPI's components during the run, and shows their "
      "statistics.\n"
      "\n"
      "  -t, --interval LIST   time between samples, NAME:TIME[:NAME:TIME...]; ns, or with a "
      "unit:\n"
      "                        rapl:50ms:ipmi:3s. A single TIME with a unit is for all. Default: "
      "100 ms\n"
      "  -o, --output FILE     file for the report; default: standard output\n"
      "      --format FORMAT   text, csv or json\n"
      "      --series FILE     file for all samples, one per line: "
      "component,time_s,event,raw,value0,value1\n"
      "  -r, --repeat N        run PROGRAM N times; show means with their 95 % intervals\n"
      "      --idle[=TIME]     measure the idle power first, default 5s; show the energy above it\n"
      "  -p, --pid LIST        estimate the energy of processes and their descendants by their CPU "
      "time,\n"
      "                        until they end (Ctrl-C ends it earlier) or PROGRAM does\n"
      "      --cgroup PATH     the same of a control group: its folder, or its name below "
      "/sys/fs/cgroup\n"
      "      --live            show energy and power on a terminal during the run; without PROGRAM "
      "always\n"
      "      --phases          show the time and the energy between the program's marks "
      "(csink_mark of "
      "csink.h)\n"
      "      --openmetrics FILE  also write the results as OpenMetrics text\n"
      "  -h, --help            show this help\n"
      "      --version         show the version\n"
      "\n"
      "Environment:\n"
      "  APAPI_CMPLIST    components, separated by ':'; default: those of\n"
      "                   rapl:nvml:maxeler:ipmi:micknc that exist. perf counts the program and "
      "its children\n"
      "  APAPI_EVENTLIST  file with the events to read\n"
      "  APAPI_EVENTOPS   file that defines how values and statistics are computed\n"
      "  APAPI_SOFTFAIL   1: omit what cannot be measured\n"
      "  APAPI_VERBOSE    1: print more messages\n"
      "\n"
      "Exit status: that of PROGRAM, or 128 + signal; 126 and 127 if PROGRAM cannot be run; 1 if "
      "the\n"
      "settings cannot be measured (PROGRAM is not started then), or if PROGRAM returned 0 and not "
      "all\n"
      "of report or series could be written; 2 for an option that does not exist.");
}

}  // namespace csink::atime
