#include "symbolizer/report/verdict/chain_grade.h"

#include <algorithm>
#include <map>

#include "profil/reading/model/saturating.h"

namespace csink::report {
namespace {

using spool::ChainEnd;
using spool::ChainWay;

/// The limits of Grade for the CPU time that samples explain, applied to chains.
constexpr double kGoodShare = 0.95;
constexpr double kFairShare = 0.80;

std::string NameOf(const Profile& profile, std::uint32_t module) {
  if (module >= profile.modules.size()) return "unknown code";
  const std::string& path = profile.modules[module].path;
  if (path.empty()) return profile.modules[module].is_anonymous ? "JIT code" : "unknown code";
  return path.substr(path.rfind('/') + 1);
}

/// The sums of one kind of chains by end. Modules are not sorted yet.
std::map<ChainEnd, ChainEndCount> SumsOf(const Profile& profile, bool of_looks, ChainWay& way) {
  std::map<ChainEnd, ChainEndCount> sums;
  std::map<ChainWay, std::uint64_t> ways;
  for (const ChainEndSum& row : profile.chain_ends) {
    if ((row.way == ChainWay::kLook) != of_looks) continue;
    ChainEndCount& sum = sums[row.end];
    sum.end = row.end;
    AddTo(sum.chains, row.chains);
    sum.copied_bytes = std::max(sum.copied_bytes, row.copied_bytes);
    AddTo(ways[row.way], row.chains);
    const std::string name = NameOf(profile, row.module);
    const auto same = [&](const ModuleChains& other) { return other.module == name; };
    const auto at = std::find_if(sum.modules.begin(), sum.modules.end(), same);
    if (at != sum.modules.end()) {
      AddTo(at->chains, row.chains);
    } else {
      sum.modules.push_back({name, row.chains});
    }
  }
  const auto fewer = [](const auto& a, const auto& b) { return a.second < b.second; };
  const auto most = std::max_element(ways.begin(), ways.end(), fewer);
  if (most != ways.end()) way = most->first;
  return sums;
}

Grade GradeOf(double share) {
  if (share >= kGoodShare) return Grade::kGood;
  return share >= kFairShare ? Grade::kFair : Grade::kPoor;
}

void AddEnd(const ChainEndCount& end, ChainGrade& grade) {
  AddTo(grade.chains, end.chains);
  if (spool::IsCut(end.end)) {
    AddTo(grade.cut, end.chains);
  } else if (end.end == ChainEnd::kMain || end.end == ChainEnd::kThread) {
    AddTo(grade.reach_start, end.chains);
  } else if (end.end == ChainEnd::kUnchecked) {
    AddTo(grade.unchecked, end.chains);
  } else {
    AddTo(grade.known_end, end.chains);
  }
}

}  // namespace

std::optional<ChainGrade> GradeChains(const Profile& profile, bool of_looks) {
  ChainGrade grade;
  grade.of_looks = of_looks;
  std::map<ChainEnd, ChainEndCount> sums = SumsOf(profile, of_looks, grade.way);
  for (auto& [end, sum] : sums) AddEnd(sum, grade);
  if (!of_looks) {
    std::uint64_t bad = 0;
    for (const ProcessRow& process : profile.processes) AddTo(bad, process.bad_stacks);
    // Spools of older agents have the number alone.
    if (bad > grade.cut) {
      ChainEndCount& unknown = sums[ChainEnd::kUnknown];
      AddTo(unknown.chains, bad - grade.cut);
      if (grade.chains > 0) AddTo(grade.chains, bad - grade.cut);
      grade.cut = bad;
    }
  }
  if (sums.empty()) return std::nullopt;
  if (grade.chains > 0) {
    const auto all = static_cast<double>(grade.chains);
    const double known = static_cast<double>(grade.reach_start + grade.known_end) / all;
    const Grade worst = GradeOf(known);
    if (GradeOf(known + static_cast<double>(grade.unchecked) / all) == worst) grade.grade = worst;
  }
  for (auto& [end, sum] : sums) {
    std::stable_sort(sum.modules.begin(), sum.modules.end(),
                     [](const auto& a, const auto& b) { return a.chains > b.chains; });
    grade.ends.push_back(std::move(sum));
  }
  std::stable_sort(grade.ends.begin(), grade.ends.end(),
                   [](const auto& a, const auto& b) { return a.chains > b.chains; });
  return grade;
}

}  // namespace csink::report
