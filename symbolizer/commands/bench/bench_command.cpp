#include "symbolizer/commands/bench/bench_command.h"

#include <fcntl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <memory>
#include <optional>
#include <random>

#include "core/util/unique_fd.h"
#include "profil/statistics/amount_tests.h"
#include "profil/statistics/sequential.h"
#include "symbolizer/commands/bench/bench_functions.h"
#include "symbolizer/commands/bench/bench_rounds.h"
#include "symbolizer/commands/bench/writers.h"
#include "symbolizer/commands/console/exit_codes.h"
#include "symbolizer/commands/console/messages.h"
#include "symbolizer/commands/console/number_checks.h"
#include "symbolizer/commands/console/usage.h"
#include "symbolizer/commands/launch/run_options.h"
#include "symbolizer/commands/load/view.h"
#include "symbolizer/report/data/comparison.h"

/// File: `csink bench`: plans the looks, runs rounds until one of them gives the answer, and writes
/// the result. What was measured before a failure is written, too.

namespace csink::tool {
namespace {

/// Text behind the options in --help.
constexpr char kNotes[] =
    "A is the new program, B the earlier one. Both run in rounds, in random order, until the\n"
    "answer or the precision is reached. Instructions decide where they can be counted, else CPU\n"
    "time. Then functions are compared in profiled runs. Output of the commands is dropped.\n"
    "Exit status: 0; 1 a command failed, took too long or wrote other output; 2 wrong use;\n"
    "3 A is slower than --max-slowdown allows.\n"
    "Example: csink bench --max-slowdown 3% -- ./new --fast --against -- ./old --fast";

/// The largest number that --profiled-runs accepts.
constexpr std::size_t kMostProfiledRuns = 100;

/// A percentage as a share: "3%" and "3" are 0.03. nullopt if it is not from 0 to 1,000.
std::optional<double> ShareOf(std::string text) {
  if (text.ends_with('%')) text.pop_back();
  double percent = 0;
  if (!CLI::detail::lexical_cast(text, percent)) return std::nullopt;
  // Written so that nan is refused.
  return percent >= 0 && percent <= 1000 ? std::optional(percent / 100) : std::nullopt;
}

/// The check of an option that ShareOf reads; "" accepts the value.
std::string CheckShare(const std::string& text) {
  return ShareOf(text) ? "" : text + " is not a percentage from 0 to 1000";
}

/// The command as one line, as it was typed.
std::string Joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

/// Splits A --against -- B. Returns false if there are not two commands; an error was printed.
bool Split(const std::vector<std::string>& words, BenchCommands& commands) {
  // A may have an argument --against of its own.
  std::size_t at = 0;
  while (at + 1 < words.size() && !(words[at] == "--against" && words[at + 1] == "--")) ++at;
  const bool has_both = at + 1 < words.size();
  if (has_both) {
    const auto middle = words.begin() + static_cast<std::ptrdiff_t>(at);
    commands.words[0].assign(words.begin(), middle);
    commands.words[1].assign(middle + 2, words.end());
  }
  if (has_both && !commands.words[0].empty() && !commands.words[1].empty()) return true;
  Complain("two commands are needed; usage: csink bench [OPTIONS] -- A --against -- B");
  return false;
}

/// The question of the options. CheckShare has refused texts that are no percentage.
bench::Question QuestionOf(const BenchOptions& options) {
  bench::Question question;
  if (!options.max_slowdown.empty()) question.max_slowdown = ShareOf(options.max_slowdown);
  if (!options.precision.empty()) {
    question.precision = ShareOf(options.precision).value_or(0);
    question.only_precision = true;
  }
  for (std::size_t i = 0; i < bench::kMetricCount; ++i) {
    const auto metric = static_cast<bench::Metric>(i);
    if (options.metric == bench::WordOf(metric)) question.decides = metric;
  }
  return question;
}

/// Shows how far the measurement is, on a terminal alone. "" removes the line.
void ShowProgress(const BenchOptions& options, const std::string& text) {
  if (options.quiet || !isatty(2)) return;
  (void)!WriteAll(2, "\r\33[K" + text);
}

/// The text of the progress line.
std::string RoundText(const BenchOptions& options, std::size_t round) {
  return "round " + std::to_string(round) + " of at most " + std::to_string(options.most_rounds);
}

/// The number of profiled runs that give each command about a second of CPU time, which are 1,000
/// samples: short runs need more of them. At least 5, so that the variation between runs is known.
std::size_t EnoughRuns(const bench::Result& result) {
  double cpu_seconds = 1;
  for (const bench::Measured& measured : result.outcome.metrics) {
    if (measured.metric == bench::Metric::kCpu) cpu_seconds = std::min(measured.a, measured.b);
  }
  const double runs = std::ceil(1 / std::max(cpu_seconds, 1e-3));
  return static_cast<std::size_t>(std::clamp(runs, 5.0, 40.0));
}

/// Compares the functions, where that was asked for and the rounds gave a result.
void MeasureFunctions(Rounds& rounds, const BenchOptions& options, bench::Result& result,
                      const report::Resolver& resolve) {
  // After a failure the commands are not run again.
  if (result.outcome.metrics.empty() || !result.failure.empty()) return;
  const std::size_t runs = options.profiled_runs.value_or(EnoughRuns(result));
  if (runs == 0) return;
  ShowProgress(options, "profiled runs: " + std::to_string(runs) + " of each");
  ComparedFunctions compared = CompareFunctions(rounds, runs, resolve);
  ShowProgress(options, "");
  result.functions = std::move(compared.comparison);
  result.no_functions = std::move(compared.problem);
}

/// Runs the rounds of the plan. A failure ends the measurement and is stored in the result.
void Measure(Rounds& rounds, const BenchOptions& options, bench::Result& result) {
  // Does not count: the files that both commands read are in memory afterwards.
  bench::Round warm_up;
  ShowProgress(options, RoundText(options, 1));
  result.failure = rounds.RunOne(warm_up);
  if (!result.failure.empty()) result.failure += " (in the warm-up round)";
  // Only planned looks may end the measurement: more looks would find differences by chance.
  for (const Look& look : PlanLooks(options.most_rounds)) {
    while (result.failure.empty() && result.rounds.size() < look.rounds) {
      ShowProgress(options, RoundText(options, result.rounds.size() + 1));
      bench::Round round;
      result.failure = rounds.RunOne(round);
      if (result.failure.empty()) {
        result.rounds.push_back(round);
      } else {
        result.failure += " (in round " + std::to_string(result.rounds.size() + 1) + ")";
      }
    }
    // The result of the look before a failure remains: its interval is right.
    if (!result.failure.empty()) break;
    result.outcome = bench::Judge(result.rounds, look, result.question);
    if (result.outcome.is_answered || result.outcome.metrics.empty()) break;
  }
  ShowProgress(options, "");
}

/// The result in the chosen format. `fd` is where it goes.
std::string TextOf(const bench::Result& result, const BenchOptions& options, int fd) {
  if (options.format == "json") return bench::WriteJson(result);
  if (options.format == "markdown") return bench::WriteMarkdown(result);
  report::TextStyle style;
  style.width = SizeOf(fd).columns;
  style.colour = MayColour(fd, options.colour);
  return bench::WriteText(result, style);
}

/// Writes the result. If its file cannot be written, it goes to stderr: it may have taken minutes.
bool Write(const bench::Result& result, const BenchOptions& options) {
  if (options.file.empty()) return Print(TextOf(result, options, 1));
  // Opened before the text is made, because width and colours depend on where it goes.
  const UniqueFd file(open(options.file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  int error = file ? 0 : errno;
  if (file) {
    const auto written = WriteAll(file.get(), TextOf(result, options, file.get()));
    if (!written) error = written.error().sys_errno;
  }
  if (error == 0) return true;
  Complain("cannot write " + options.file + " (" + std::strerror(error) +
           "); the result follows on stderr");
  (void)!WriteAll(2, TextOf(result, options, 2));
  return false;
}

}  // namespace

void AddBench(CLI::App& app, BenchOptions& options) {
  CLI::App& command =
      *app.add_subcommand("bench", "Compare two commands by running both repeatedly");
  command
      .add_option("-n,--rounds", options.most_rounds,
                  "Maximum number of rounds, 6 to 500 (40); fewer are run if they are enough")
      ->check(CLI::Range(kLeastRounds, bench::kMostRounds))
      ->type_name("N");
  command
      .add_option("--max-slowdown", options.max_slowdown,
                  "Exit with 3 if A is slower than B by more than this")
      ->check(CheckShare)
      ->type_name("PERCENT");
  command
      .add_option("--precision", options.precision,
                  "Go on until the change is known to +- this (1%), even if the answer is known")
      ->check(CheckShare)
      ->type_name("PERCENT");
  command.add_option("--metric", options.metric, "What decides: auto, instructions, cpu or wall")
      ->check(CLI::IsMember({"auto", "instructions", "cpu", "wall"}))
      ->type_name("METRIC");
  command.add_flag("--check-output", options.check_output,
                   "Stop if a run writes other output than the first");
  command
      .add_option("--timeout", options.timeout,
                  "Kill a run that takes longer, and stop with status 1 (no limit)")
      // A month; nan is refused, too.
      ->check(CLI::Range(0.001, 2'592'000.0))
      ->type_name("SECONDS");
  command
      .add_option("--functions", options.profiled_runs,
                  "Profiled runs of each command after the rounds, to compare functions: 3 to 100, "
                  "or 0 (5 to 40, which short runs need)")
      ->check([](const std::string& text) {
        std::size_t runs = 0;
        const bool good = CLI::detail::lexical_cast(text, runs) &&
                          (runs == 0 || (runs >= kLeastTestedRuns && runs <= kMostProfiledRuns));
        return good ? std::string() : text + " is neither 0 nor a number from 3 to 100";
      })
      ->type_name("RUNS");
  command.add_option("--input", options.input, "stdin of each run (/dev/null)")->type_name("FILE");
  command
      .add_option("--format", options.format,
                  "text, json or markdown (a comment for a pull request)")
      ->check(CLI::IsMember({"text", "json", "markdown"}))
      ->type_name("FORMAT");
  command.add_option("-o,--output", options.file, "Output file")->type_name("FILE");
  AddColourOption(command, options.colour);
  command.add_flag("--quiet", options.quiet, "Do not show progress on stderr");
  command.formatter(std::make_shared<Usage>(" -- A --against -- B"));
  command.footer(kNotes);
}

int RunBench(const BenchOptions& options, const std::vector<std::string>& words,
             const report::Resolver& resolve) {
  BenchCommands commands;
  if (!Split(words, commands)) return kExitUsage;
  commands.input = options.input;
  commands.check_output = options.check_output;
  commands.timeout = options.timeout;
  bench::Result result;
  result.a = Joined(commands.words[0]);
  result.b = Joined(commands.words[1]);
  result.question = QuestionOf(options);
  result.most_rounds = options.most_rounds;
  if (result.question.only_precision && !(result.question.precision > 0)) {
    Complain("--precision must be more than 0");
    return kExitUsage;
  }
  std::random_device device;
  // A new seed for each measurement: the order of the runs must not repeat.
  Rounds rounds(std::move(commands), (std::uint64_t{device()} << 32) | device());
  result.no_instructions = rounds.instructions().problem();
  if (options.metric == "instructions" && !result.no_instructions.empty()) {
    Complain("--metric instructions: " + result.no_instructions);
    return kExitNothing;
  }
  Measure(rounds, options, result);
  getloadavg(&result.load, 1);
  MeasureFunctions(rounds, options, result, resolve);
  result.processors = static_cast<std::size_t>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
  if (!result.failure.empty()) Complain(result.failure);
  // Without a round there is nothing to show.
  if (!result.failure.empty() && result.rounds.empty()) return kExitNothing;
  if (!Write(result, options) || !result.failure.empty() || result.outcome.metrics.empty()) {
    return kExitNothing;
  }
  // Only if the whole interval is above the limit: a noisy measurement (kUnclear) fails no build.
  return result.outcome.limit == bench::Limit::kExceeded ? kExitSlower : 0;
}

}  // namespace csink::tool
