#include "symbolizer/report/causes/evidence.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "profil/statistics/hypothesis.h"
#include "profil/statistics/statistics.h"
#include "symbolizer/report/annotate/function_choice.h"
#include "symbolizer/report/wording/shorten.h"

/// File: the gate, the drift and the matching that every rule needs.

namespace csink::report {
namespace {

/// A part has changed below this probability of no change, and above this part of A's time.
constexpr double kPartLevel = 0.01;
constexpr double kLeastGrowth = 0.03;
/// So many runs of a side are needed for the rank test: all ten values apart by chance, 2 of 252.
constexpr std::size_t kLeastRanked = 5;
constexpr double kApart = 2.0 / 252;
/// The functions whose ratio tells the drift.
constexpr double kLeastDriftSeconds = 0.03;
constexpr std::size_t kLeastDriftFunctions = 4;
/// A function that grew.
constexpr double kGrownLevel = 0.02;
constexpr double kGrownShare = 0.05;

/// Student's test of the logarithms of the ratios of pairs of runs.
double PairedPValue(const std::vector<double>& was, const std::vector<double>& now) {
  std::vector<double> logs;
  for (std::size_t i = 0; i < was.size(); ++i) {
    if (!(was[i] > 0) || !(now[i] > 0)) return 1;
    logs.push_back(std::log(now[i] / was[i]));
  }
  const double variance = Variance(logs) / static_cast<double>(logs.size());
  if (!(variance > 0)) return 1;
  return StudentPValue(Mean(logs) / std::sqrt(variance), static_cast<double>(logs.size() - 1));
}

/// The agent's own code is no part of the program.
bool IsOwn(const std::string& module) {
  return module.starts_with("libagent") || module.starts_with("libcsink");
}

std::vector<double> Each(const std::vector<Baseline>& runs,
                         const std::function<double(const Baseline&)>& amount) {
  std::vector<double> values;
  values.reserve(runs.size());
  for (const Baseline& run : runs) values.push_back(amount(run));
  return values;
}

void Divide(std::vector<double>& values, const std::vector<double>& factors) {
  for (std::size_t i = 0; i < values.size(); ++i) values[i] /= factors[i];
}

bool Ran(const std::vector<double>& seconds) {
  return std::any_of(seconds.begin(), seconds.end(), [](double s) { return s > 0; });
}

/// Of two lists of instructions the part that both have, whatever their order: 1 for the same code.
/// Functions of few instructions are alike by chance.
double Likeness(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  if (std::min(a.size(), b.size()) < 8) return 0;
  std::map<std::string, std::ptrdiff_t> left;
  for (const std::string& text : a) ++left[text];
  std::size_t common = 0;
  for (const std::string& text : b) {
    if (left[text]-- > 0) ++common;
  }
  return static_cast<double>(common) / static_cast<double>(std::max(a.size(), b.size()));
}
constexpr double kLeastLikeness = 0.6;

template <class Functions>
void Drop(const std::set<std::size_t>& gone, Functions& functions) {
  Functions kept;
  for (std::size_t i = 0; i < functions.size(); ++i) {
    if (!gone.contains(i)) kept.push_back(std::move(functions[i]));
  }
  functions = std::move(kept);
}

/// The code of a side by the keys of the comparison.
std::map<RowKeys::Key, const CodeFacts*> ByKey(const CodeSide* code, const RowKeys& keys,
                                               DiffSide side) {
  std::map<RowKeys::Key, const CodeFacts*> found;
  if (code == nullptr) return found;
  for (const auto& [name, facts] : code->functions) {
    const std::string shown = keys.NameOf(facts.function, facts.module, side);
    found.emplace(keys.KeyOf(shown, facts.module, side), &facts);
  }
  return found;
}

}  // namespace

ChangeEvidence::ChangeEvidence(const ComparedSides& sides)
    : sides_(sides),
      keys_(sides.now, sides.then, By::kFunctions, sides.comparison.programs),
      took_turns_(sides.comparison.order == RunOrder::kMixed &&
                  sides.now.size() == sides.then.size()),
      now_factors_(sides.now.size(), 1.0),
      then_factors_(sides.then.size(), 1.0) {
  CompareSurroundings();
  ReadFunctions();
  FindDrift();
  CorrectByDrift();
  ReadWaits();
  JudgeParts();
  ReadLibrary();
}

std::string ArgumentsOf(const std::string& command) {
  const std::size_t blank = command.find(' ');
  return blank == std::string::npos ? "" : command.substr(blank + 1);
}

std::string WaitName(const RunDetails::Wait& wait) {
  return wait.call.find("sync") != std::string::npos ? "fsync" : wait.kind;
}

double ChangeEvidence::EventSeconds(const Baseline& run) const {
  for (const Baseline::Event& event : run.events) {
    if (event.name == sides_.comparison.event) return event.weight / 1e9;
  }
  return 0;
}

Amounts ChangeEvidence::Test(std::vector<double> was, std::vector<double> now) const {
  Amounts amounts;
  amounts.was_mean = Mean(was);
  amounts.now_mean = Mean(now);
  if (std::min(was.size(), now.size()) >= 2) {
    amounts.p_value = WelchPValue(now, was);
    const auto [was_least, was_most] = std::minmax_element(was.begin(), was.end());
    const auto [least, most] = std::minmax_element(now.begin(), now.end());
    if (std::min(was.size(), now.size()) >= kLeastRanked &&
        (*least > *was_most || *most < *was_least)) {
      amounts.p_value = std::min(amounts.p_value, kApart);
    }
    if (took_turns_ && was.size() >= kLeastRanked) {
      amounts.p_value = std::min(amounts.p_value, PairedPValue(was, now));
    }
  }
  amounts.was = std::move(was);
  amounts.now = std::move(now);
  return amounts;
}

Amounts ChangeEvidence::Of(const std::function<double(const Baseline&)>& amount) const {
  return Test(Each(sides_.then, amount), Each(sides_.now, amount));
}

void ChangeEvidence::ReadFunctions() {
  std::map<Key, Function> rows;
  const auto add = [&](const std::vector<Baseline>& runs, DiffSide side) {
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const Baseline& run = runs[i];
      std::size_t event = 0;
      while (event < run.events.size() && run.events[event].name != sides_.comparison.event) {
        ++event;
      }
      const double total = EventSeconds(run);
      for (const Baseline::Function& function : run.functions) {
        if (event >= function.shares.size() || IsOwn(function.module)) continue;
        const double seconds = function.shares[event] * total;
        if (!(seconds > 0)) continue;
        const std::string name = keys_.NameOf(function.function, function.module, side);
        const Key key = keys_.KeyOf(name, function.module, side);
        Function& row = rows[key];
        row.key = key;
        row.seconds.was.resize(sides_.then.size());
        row.seconds.now.resize(sides_.now.size());
        (side == DiffSide::kNow ? row.seconds.now : row.seconds.was)[i] += seconds;
        if (side == DiffSide::kNow || row.name.empty()) {
          row.name = name;
          row.module = function.module;
        }
        if (side == DiffSide::kThen) {
          row.was_name = name;
          row.was_module = function.module;
        }
      }
    }
  };
  add(sides_.then, DiffSide::kThen);
  add(sides_.now, DiffSide::kNow);
  const auto was_code = ByKey(sides_.then_code, keys_, DiffSide::kThen);
  const auto now_code = ByKey(sides_.now_code, keys_, DiffSide::kNow);
  for (auto& [key, row] : rows) {
    if (const auto at = was_code.find(key); at != was_code.end()) row.was_code = at->second;
    if (const auto at = now_code.find(key); at != now_code.end()) row.now_code = at->second;
    functions_.push_back(std::move(row));
  }
  MatchRenamed();
}

/// Makes the function of A alone a part of the one of B alone.
void ChangeEvidence::Join(std::size_t now, std::size_t was) {
  Function& kept = functions_[now];
  const Function& gone = functions_[was];
  kept.seconds.was = gone.seconds.was;
  kept.was_name = gone.was_name;
  kept.was_module = gone.was_module;
  kept.was_code = gone.was_code;
  kept.is_renamed = true;
}

/// A function of B alone and one of A alone with the same name but for parameters and template
/// arguments, if each is the only one, are one.
void ChangeEvidence::MatchRenamed() {
  struct Lone {
    std::vector<std::size_t> was, now;
  };
  std::map<std::pair<std::string, std::string>, Lone> lone;
  for (std::size_t i = 0; i < functions_.size(); ++i) {
    const Function& function = functions_[i];
    const bool was = Ran(function.seconds.was);
    const bool now = Ran(function.seconds.now);
    if (was == now || function.name.starts_with("[")) continue;
    Lone& both = lone[{annotate::PlainName(function.name), function.key.second}];
    (now ? both.now : both.was).push_back(i);
  }
  std::set<std::size_t> gone;
  for (const auto& [name, both] : lone) {
    if (both.was.size() != 1 || both.now.size() != 1) continue;
    Join(both.now[0], both.was[0]);
    gone.insert(both.was[0]);
  }
  Drop(gone, functions_);
  MatchByCode();
}

/// Functions of one source file with nearly the same code under another name, if each is the best
/// match of the other.
void ChangeEvidence::MatchByCode() {
  std::vector<std::size_t> olds;
  std::vector<std::size_t> news;
  for (std::size_t i = 0; i < functions_.size(); ++i) {
    const Function& function = functions_[i];
    const bool is_new = Ran(function.seconds.now) && !Ran(function.seconds.was);
    const bool is_old = Ran(function.seconds.was) && !Ran(function.seconds.now);
    if (is_new && function.now_code != nullptr) news.push_back(i);
    if (is_old && function.was_code != nullptr) olds.push_back(i);
  }
  const auto likeness = [&](std::size_t now, std::size_t was) {
    const CodeFacts& b = *functions_[now].now_code;
    const CodeFacts& a = *functions_[was].was_code;
    if (functions_[now].key.second != functions_[was].key.second ||
        BaseName(a.source) != BaseName(b.source)) {
      return 0.0;
    }
    return Likeness(a.texts, b.texts);
  };
  const auto best_of = [&](std::size_t one, const std::vector<std::size_t>& others, bool is_new) {
    std::optional<std::size_t> best;
    double most = kLeastLikeness;
    for (const std::size_t other : others) {
      const double like = is_new ? likeness(one, other) : likeness(other, one);
      if (like > most) {
        most = like;
        best = other;
      }
    }
    return best;
  };
  std::set<std::size_t> gone;
  for (const std::size_t now : news) {
    const auto was = best_of(now, olds, true);
    if (!was || best_of(*was, news, false) != now) continue;
    Join(now, *was);
    gone.insert(*was);
  }
  Drop(gone, functions_);
}

/// Functions with the same code should take the same time. The tightest half of their ratios gives
/// the speed of each run; functions whose work has changed are in the other half.
void ChangeEvidence::FindDrift() {
  struct Reference {
    double log_ratio;
    const Function* function;
  };
  std::vector<Reference> same;
  for (const Function& function : functions_) {
    const double was = Median(function.seconds.was);
    const double now = Median(function.seconds.now);
    if (std::min(was, now) <= kLeastDriftSeconds || !IsSameCode(function)) continue;
    same.push_back({std::log(now / was), &function});
  }
  if (same.size() < kLeastDriftFunctions) return;
  std::sort(same.begin(), same.end(),
            [](const Reference& a, const Reference& b) { return a.log_ratio < b.log_ratio; });
  const std::size_t half = same.size() / 2 + 1;
  std::size_t first = 0;
  for (std::size_t i = 1; i + half <= same.size(); ++i) {
    const auto width = [&](std::size_t at) {
      return same[at + half - 1].log_ratio - same[at].log_ratio;
    };
    if (width(i) < width(first)) first = i;
  }
  std::vector<double> middles;
  for (std::size_t i = first; i < first + half; ++i) {
    std::vector<double> all = same[i].function->seconds.was;
    all.insert(all.end(), same[i].function->seconds.now.begin(),
               same[i].function->seconds.now.end());
    middles.push_back(Median(std::move(all)));
  }
  const auto factor = [&](std::size_t run, bool is_now) {
    std::vector<double> ratios;
    for (std::size_t i = 0; i < half; ++i) {
      const Amounts& seconds = same[first + i].function->seconds;
      ratios.push_back((is_now ? seconds.now : seconds.was)[run] / middles[i]);
    }
    // A run in which none of them ran says nothing.
    const double median = Median(std::move(ratios));
    return median > 0 ? median : 1.0;
  };
  for (std::size_t i = 0; i < then_factors_.size(); ++i) then_factors_[i] = factor(i, false);
  for (std::size_t i = 0; i < now_factors_.size(); ++i) now_factors_[i] = factor(i, true);
  drift_ = Median(now_factors_) / Median(then_factors_);
}

void ChangeEvidence::CorrectByDrift() {
  for (Function& function : functions_) {
    std::vector<double> was = std::move(function.seconds.was);
    std::vector<double> now = std::move(function.seconds.now);
    Divide(was, then_factors_);
    Divide(now, now_factors_);
    function.seconds = Test(std::move(was), std::move(now));
  }
  std::stable_sort(functions_.begin(), functions_.end(), [](const Function& a, const Function& b) {
    return a.seconds.Added() > b.seconds.Added();
  });
}

void ChangeEvidence::JudgeParts() {
  std::vector<std::pair<const char*, Amounts>> parts;
  const auto user = [](const Baseline& run) { return run.details.user_seconds; };
  std::vector<double> was = Each(sides_.then, user);
  std::vector<double> now = Each(sides_.now, user);
  Divide(was, then_factors_);
  Divide(now, now_factors_);
  parts.emplace_back("user", Test(std::move(was), std::move(now)));
  parts.emplace_back("kernel", Of([](const Baseline& run) { return run.details.system_seconds; }));
  if (HasWaits()) {
    parts.emplace_back("blocked", Of([](const Baseline& run) {
                         double sum = 0;
                         for (const RunDetails::Wait& wait : run.details.waits) {
                           if (IsKnownWait(WaitName(wait))) sum += wait.seconds;
                         }
                         return sum;
                       }));
  }
  double more_waits = 0;
  for (const WaitSum& wait : waits_) {
    if (IsKnownWait(wait.name)) more_waits += std::max(0.0, wait.excess);
  }
  double whole = 0;
  for (const auto& [name, amounts] : parts) whole += amounts.was_mean;
  for (const auto& [name, amounts] : parts) {
    const bool is_larger = amounts.Added() > kLeastGrowth * whole;
    bool changed = is_larger && amounts.p_value < kPartLevel;
    // Threads that wait as long as the run lasts wait longer in a longer run.
    if (std::string_view(name) == "blocked" && more_waits < amounts.Added() / 2) changed = false;
    may_be_slower_ = may_be_slower_ || is_larger;
    parts_.push_back({name, amounts.was_mean, amounts.now_mean, amounts.p_value, changed});
    if (changed) added_ += amounts.Added();
    is_slower_ = is_slower_ || changed;
  }
}

double ChangeEvidence::AddedIn(const char* part) const {
  for (const TimePart& one : parts_) {
    if (one.name == part && one.has_changed) return one.now - one.was;
  }
  return 0;
}

void ChangeEvidence::ReadWaits() {
  if (!HasWaits()) return;
  std::set<std::string> names;
  for (const auto* runs : {&sides_.then, &sides_.now}) {
    for (const Baseline& run : *runs) {
      for (const RunDetails::Wait& wait : run.details.waits) names.insert(WaitName(wait));
    }
  }
  const Amounts wall = Of([](const Baseline& run) { return run.details.wall_seconds; });
  const double longer = wall.was_mean > 0 ? std::max(1.0, wall.now_mean / wall.was_mean) : 1.0;
  for (const std::string& name : names) {
    const Amounts seconds = Of([&name](const Baseline& run) {
      double sum = 0;
      for (const RunDetails::Wait& wait : run.details.waits) {
        if (WaitName(wait) == name) sum += wait.seconds;
      }
      return sum;
    });
    waits_.push_back({name, seconds, seconds.now_mean - longer * seconds.was_mean});
  }
}

void ChangeEvidence::ReadLibrary() {
  struct Sums {
    std::vector<double> was, now;
  };
  std::array<Sums, kLibraryClasses> own;
  std::array<Sums, kLibraryClasses> chains;
  for (std::size_t code = 0; code < kLibraryClasses; ++code) {
    own[code] = chains[code] = {std::vector<double>(sides_.then.size()),
                                std::vector<double>(sides_.now.size())};
  }
  std::map<std::string, LibraryClass> known;
  const auto add = [&](const std::vector<Baseline>& runs, bool is_now,
                       const std::vector<double>& factors) {
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const double seconds = EventSeconds(runs[i]) / factors[i];
      for (const RunDetails::Source& source : runs[i].details.sources) {
        if (IsOwn(source.module)) continue;
        const auto [it, is_new] =
            known.try_emplace(source.module + '\n' + source.function, LibraryClass::kNone);
        if (is_new) it->second = LibraryClassOf(source.function, source.module);
        Sums& sums = own[static_cast<std::size_t>(it->second)];
        (is_now ? sums.now : sums.was)[i] += source.share * seconds;
      }
      for (std::size_t code = 0; code < kLibraryClasses; ++code) {
        (is_now ? chains[code].now : chains[code].was)[i] =
            runs[i].details.chain_shares[code] * seconds;
      }
    }
  };
  add(sides_.then, false, then_factors_);
  add(sides_.now, true, now_factors_);
  for (std::size_t code = 1; code < kLibraryClasses; ++code) {
    Sums& sums = own[code];
    const double inside = std::accumulate(sums.now.begin(), sums.now.end(), 0.0);
    const double below = std::accumulate(chains[code].now.begin(), chains[code].now.end(), 0.0);
    if (IsByChain(static_cast<LibraryClass>(code)) && below > inside) {
      sums.now = chains[code].now;
      for (std::size_t i = 0; i < sums.was.size(); ++i) {
        sums.was[i] = std::max(sums.was[i], chains[code].was[i]);
      }
    }
    library_[code] = Test(std::move(sums.was), std::move(sums.now));
  }
}

std::vector<const ChangeEvidence::Function*> ChangeEvidence::Grown() const {
  std::vector<const Function*> grown;
  for (const Function& function : functions_) {
    if (function.seconds.p_value < kGrownLevel && function.seconds.Added() > kGrownShare * added_) {
      grown.push_back(&function);
    }
  }
  return grown;
}

bool ChangeEvidence::IsSameCode(const Function& function) const {
  return function.HasSameCode() || IsSameBuild(function.was_module, function.module);
}

bool ChangeEvidence::StandsOut(const Function& function) const {
  const auto log_ratio = [](const Function& of) {
    return std::log(of.seconds.now_mean / of.seconds.was_mean);
  };
  if (!(function.seconds.was_mean > 0)) return true;
  std::vector<double> others;
  for (const Function& other : functions_) {
    if (std::min(other.seconds.was_mean, other.seconds.now_mean) <= kLeastDriftSeconds ||
        other.key == function.key || !IsSameCode(other)) {
      continue;
    }
    others.push_back(std::fabs(log_ratio(other)));
  }
  if (others.size() < kLeastDriftFunctions) return took_turns_;
  // The median of the deviations is 0.674 standard deviations of a normal distribution.
  constexpr double kOfMedian = 1 / 0.6745;
  return log_ratio(function) > 2 * kOfMedian * Median(std::move(others));
}

bool ChangeEvidence::IsProgram(const std::string& module, DiffSide side) const {
  const std::vector<Baseline>& runs = side == DiffSide::kNow ? sides_.now : sides_.then;
  return std::any_of(runs.begin(), runs.end(), [&](const Baseline& run) {
    return std::find(run.programs.begin(), run.programs.end(), module) != run.programs.end();
  });
}

std::string ChangeEvidence::BuildOf(const std::string& module, DiffSide side) const {
  for (const Baseline& run : side == DiffSide::kNow ? sides_.now : sides_.then) {
    for (const Baseline::Build& one : run.builds) {
      if (one.module == module) return one.build_id;
    }
  }
  return "";
}

bool ChangeEvidence::IsSameBuild(const std::string& was_module,
                                 const std::string& now_module) const {
  const std::string was = BuildOf(was_module, DiffSide::kThen);
  return !was.empty() && was == BuildOf(now_module, DiffSide::kNow);
}

bool ChangeEvidence::HasFacts() const {
  const auto has = [](const Baseline& run) { return run.details.facts.known; };
  return std::all_of(sides_.now.begin(), sides_.now.end(), has) &&
         std::all_of(sides_.then.begin(), sides_.then.end(), has);
}

bool ChangeEvidence::HasCalls() const {
  const auto has = [](const Baseline& run) { return run.details.facts.calls_known; };
  return HasFacts() && std::all_of(sides_.now.begin(), sides_.now.end(), has) &&
         std::all_of(sides_.then.begin(), sides_.then.end(), has);
}

bool ChangeEvidence::HasWaits() const {
  const auto has = [](const Baseline& run) { return run.details.has_waits; };
  return std::all_of(sides_.now.begin(), sides_.now.end(), has) &&
         std::all_of(sides_.then.begin(), sides_.then.end(), has);
}

std::pair<std::string, std::string> ChangeEvidence::Surroundings(const std::string& name) const {
  const auto value = [&](const std::vector<Baseline>& runs) {
    const auto& all = runs[0].details.facts.surroundings;
    const auto at = all.find(name);
    return at == all.end() ? std::string() : at->second;
  };
  return {value(sides_.then), value(sides_.now)};
}

void ChangeEvidence::CompareSurroundings() {
  const auto inputs = [](const Baseline& run) {
    std::vector<std::string> sizes;
    for (const auto& [name, value] : run.details.facts.surroundings) {
      if (name.starts_with("input:")) sizes.push_back(value);
    }
    return sizes;
  };
  const Baseline& now = sides_.now[0];
  const Baseline& then = sides_.then[0];
  const auto [was_tunables, tunables] = Surroundings("env:GLIBC_TUNABLES");
  nothing_differs_ = ArgumentsOf(now.command) == ArgumentsOf(then.command) &&
                     inputs(now) == inputs(then) && was_tunables == tunables;
  for (const Baseline::Build& build : now.builds) {
    for (const Baseline::Build& was : then.builds) {
      if (was.module != build.module || was.module.starts_with("[")) continue;
      if (was.build_id != build.build_id || was.build_id.empty()) nothing_differs_ = false;
    }
  }
  for (const ProgramMatch& program : sides_.comparison.programs) {
    if (!IsSameBuild(program.was, program.now)) nothing_differs_ = false;
  }
}

}  // namespace csink::report
