#include "compat/atime/open_metrics.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <utility>

#include "compat/apapi_client/message.h"
#include "compat/atime/energy/numbers.h"
#include "compat/atime/options.h"
#include "core/util/unique_fd.h"

/// File: the families of metrics in a fixed order. The lines of a family must stand together, so
/// each family is written at once.

namespace csink::atime {
namespace {

/// A label value: backslash, quote and line feed are escaped, and bytes that are no UTF-8 would not
/// be accepted. Names of events are ASCII and units are UTF-8; anything else becomes '?'.
std::string Escaped(const std::string& text) {
  std::string escaped;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    // The degree sign of temperatures, the only letter of units that is not ASCII.
    const bool is_degree = c == 0xc2 && i + 1 < text.size() && text[i + 1] == '\xb0';
    if (c == '\\' || c == '"') {
      escaped += '\\';
      escaped += static_cast<char>(c);
    } else if (c == '\n') {
      escaped += "\\n";
    } else if (is_degree) {
      escaped += text.substr(i++, 2);
    } else {
      escaped += c < 0x20 || c >= 0x7f ? '?' : static_cast<char>(c);
    }
  }
  return escaped;
}

/// The specification's spelling of infinity; NaN as "NaN".
std::string Value(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-Inf" : "+Inf";
  return Number(value);
}

using Labels = std::initializer_list<std::pair<const char*, std::string>>;

/// One family: its head is written with the first sample, because a family has its lines together.
class Family {
 public:
  Family(std::string& text, const char* name, const char* unit, const char* help)
      : text_(text), name_(name), unit_(unit), help_(help) {}

  void Add(Labels labels, double value) {
    if (!begun_) {
      text_ += "# TYPE " + name_ + " gauge\n";
      // The name ends with its unit.
      if (*unit_) text_ += "# UNIT " + name_ + " " + unit_ + "\n";
      text_ += "# HELP " + name_ + " " + help_ + "\n";
      begun_ = true;
    }
    text_ += name_;
    const char* before = "{";
    for (const auto& [label, content] : labels) {
      text_ += std::string(before) + label + "=\"" + Escaped(content) + "\"";
      before = ",";
    }
    text_ += (labels.size() ? "} " : " ") + Value(value) + "\n";
  }

 private:
  std::string& text_;
  const std::string name_;
  const char *unit_, *help_;
  bool begun_ = false;
};

/// A metric of all runs; nullptr: there is none.
const RepeatedMetric* Find(const std::vector<RepeatedMetric>& metrics, const char* component,
                           const char* name, const char* type) {
  for (const RepeatedMetric& m : metrics) {
    if (m.metric.component == component && m.metric.name == name && m.metric.type == type) {
      return &m;
    }
  }
  return nullptr;
}

/// The wall time and the CPU times; a measurement without a program has no CPU times.
void AddTimes(std::string& text, const std::vector<RepeatedMetric>& metrics) {
  Family wall(text, "atime_wall_seconds", "seconds", "Wall time of the program, mean of the runs.");
  if (const auto* found = Find(metrics, "run", "wall", "time")) wall.Add({}, found->metric.value);
  Family cpu(text, "atime_cpu_seconds", "seconds", "CPU time of the program, mean of the runs.");
  for (const char* mode : {"user", "system"}) {
    if (const auto* found = Find(metrics, "run", mode, "time")) {
      cpu.Add({{"mode", mode}}, found->metric.value);
    }
  }
}

/// A value with its bounds, or with its interval.
struct Triple {
  double value, low, high;
};

/// The total or the net energy: of one run with the bounds of the counters, of several the mean
/// with its 95 % interval. False: there is none.
bool TotalEnergy(const std::vector<RunResult>& runs, const std::vector<RepeatedMetric>& metrics,
                 const char* name, Triple& out) {
  const auto* found = Find(metrics, "total", name, "energy");
  if (!found) return false;
  out = {found->metric.value, found->low, found->high};
  if (runs.size() > 1) return true;
  const RunResult& run = runs[0];
  // A metric of this name exists only if the run has the energy.
  const BoundedEnergy& bounds =
      std::strcmp(name, "net") == 0 ? *run.net->energy : run.total->energy;
  out = {bounds.joules, bounds.low, bounds.high};
  return true;
}

/// The total, the net energy and the mean power, as far as there are any.
void AddTotals(std::string& text, const std::vector<RunResult>& runs,
               const std::vector<RepeatedMetric>& metrics) {
  constexpr struct {
    const char *name, *of, *help;
    double Triple::*member;
  } kFamilies[] = {
      {"atime_total_energy_joules", "total", "Energy of packages, memory and GPUs.",
       &Triple::value},
      {"atime_total_energy_low_joules", "total", "Lower bound of the energy.", &Triple::low},
      {"atime_total_energy_high_joules", "total", "Upper bound of the energy.", &Triple::high},
      {"atime_net_energy_joules", "net", "Energy above that of the idle machine.", &Triple::value},
      {"atime_net_energy_low_joules", "net", "Lower bound of the net energy.", &Triple::low},
      {"atime_net_energy_high_joules", "net", "Upper bound of the net energy.", &Triple::high},
  };
  for (const auto& row : kFamilies) {
    Triple triple = {};
    if (!TotalEnergy(runs, metrics, row.of, triple)) continue;
    Family(text, row.name, "joules", row.help).Add({}, triple.*row.member);
  }
  if (const auto* power = Find(metrics, "total", "total", "power")) {
    Family(text, "atime_total_power_watts", "watts", "Mean power of packages, memory and GPUs.")
        .Add({}, power->metric.value);
  }
}

/// Of one run with the bounds of the counters, of several the means with their 95 % intervals.
void AddPhases(std::string& text, const std::vector<RunResult>& runs,
               const std::vector<RepeatedMetric>& metrics) {
  constexpr struct {
    const char *name, *type, *unit, *help;
    double Triple::*member;
  } kFamilies[] = {
      {"atime_phase_seconds", "time", "seconds", "Time after the marks of this name.",
       &Triple::value},
      {"atime_phase_energy_joules", "energy", "joules", "Energy after the marks of this name.",
       &Triple::value},
      {"atime_phase_energy_low_joules", "energy", "joules", "Lower bound of the energy.",
       &Triple::low},
      {"atime_phase_energy_high_joules", "energy", "joules", "Upper bound of the energy.",
       &Triple::high},
  };
  for (const auto& row : kFamilies) {
    Family family(text, row.name, row.unit, row.help);
    for (const RepeatedMetric& m : metrics) {
      if (m.metric.component != "phase" || m.metric.type != row.type) continue;
      Triple triple = {m.metric.value, m.low, m.high};
      for (const Phase& phase : runs[0].phases) {
        const bool is_this = m.metric.name == (phase.marks ? phase.name : kBeforeMarks);
        // Only the energies of one run have bounds of counters. Times of one run have none.
        if (runs.size() > 1 || !is_this || !phase.energy || m.metric.type != "energy") continue;
        triple = {phase.energy->joules, phase.energy->low, phase.energy->high};
      }
      family.Add({{"phase", m.metric.name}}, triple.*row.member);
    }
  }
}

/// The estimate of a job, with the job's name as a label.
void AddJob(std::string& text, const std::string& name,
            const std::vector<RepeatedMetric>& metrics) {
  constexpr struct {
    const char *name, *unit, *type, *help;
  } kFamilies[] = {
      {"atime_job_cpu_seconds", "seconds", "time", "CPU time of the job."},
      {"atime_job_share_ratio", "ratio", "share", "CPU time of the job by that of the machine."},
      {"atime_job_energy_joules", "joules", "energy",
       "Estimate: the part of the energy of packages and memory that is the job's by CPU time."},
  };
  for (const auto& row : kFamilies) {
    if (const auto* found = Find(metrics, "job", "job", row.type)) {
      Family(text, row.name, row.unit, row.help).Add({{"job", name}}, found->metric.value);
    }
  }
}

}  // namespace

std::string OpenMetricsText(const std::vector<RunResult>& runs,
                            const std::optional<EnergyTotal>& idle) {
  const std::vector<RepeatedMetric> metrics = Repeated(runs);
  std::string text;
  Family(text, "atime_runs", "", "Runs of the program.").Add({}, static_cast<double>(runs.size()));
  if (runs.back().ending.has_program) {
    Family(text, "atime_exit_status", "", "Exit status of the last run, 128 + signal if killed.")
        .Add({}, runs.back().ending.ExitStatus());
  }
  AddTimes(text, metrics);
  AddTotals(text, runs, metrics);
  AddPhases(text, runs, metrics);
  // The name of the job is the same in all runs.
  if (runs.back().job) AddJob(text, runs.back().job->times.name, metrics);
  if (idle) {
    Family(text, "atime_idle_power_watts", "watts", "Power of the machine before the first run.")
        .Add({}, idle->watts);
  }
  Family values(
      text, "atime_value", "",
      "Statistics of events in their units, mean of the runs: acc is the sum, avg the mean.");
  for (const RepeatedMetric& m : metrics) {
    const std::string& of = m.metric.component;
    // These have families of their own.
    if (of == "run" || of == "total" || of == "job" || of == "phase") continue;
    values.Add({{"component", m.metric.component},
                {"event", m.metric.name},
                {"type", m.metric.type},
                {"unit", m.metric.unit},
                {"statistic", m.metric.statistic}},
               m.metric.value);
  }
  return text + "# EOF\n";
}

bool ReplaceFile(const char* path, const std::string& text) {
  // Beside the file, because rename works within a file system. The collector reads *.prom only.
  std::string temporary = std::string(path) + ".XXXXXX";
  const UniqueFd fd(mkostemp(temporary.data(), O_CLOEXEC));
  const auto fail = [&](int error) {
    if (fd.get() >= 0) unlink(temporary.c_str());
    apapi::Say(kWho, std::string("cannot write ") + path + ": " + std::strerror(error));
    return false;
  };
  if (fd.get() < 0) return fail(errno);
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t wrote = write(fd.get(), text.data() + done, text.size() - done);
    if (wrote < 0 && errno == EINTR) continue;
    // A write of 0 bytes is taken for a full disk, so that the loop ends.
    if (wrote <= 0) return fail(wrote < 0 ? errno : ENOSPC);
    done += static_cast<std::size_t>(wrote);
  }
  // mkostemp's files are for their owner only; the exporter is another user.
  if (fchmod(fd.get(), 0644) != 0 || rename(temporary.c_str(), path) != 0) return fail(errno);
  return true;
}

}  // namespace csink::atime
