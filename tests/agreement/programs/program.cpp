// Templates, lambdas, virtual calls, exceptions: what compilers inline and split.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "part.h"

namespace shop {
namespace {

struct Item {
  std::string name;
  double price;
  int count;
};

template <typename T, typename Less = std::less<T>>
class Ranking {
 public:
  void Add(T value) {
    values_.insert(std::upper_bound(values_.begin(), values_.end(), value, Less()),
                   std::move(value));
  }
  const std::vector<T>& values() const { return values_; }

 private:
  std::vector<T> values_;
};

struct CheaperFirst {
  bool operator()(const Item& a, const Item& b) const { return a.price < b.price; }
};

class Rule {
 public:
  virtual ~Rule() = default;
  virtual double Apply(const Item& item) const = 0;
};

class Discount final : public Rule {
 public:
  explicit Discount(double part) : part_(part) {}
  double Apply(const Item& item) const override {
    if (item.count < 0) throw std::invalid_argument("no such count: " + std::to_string(item.count));
    return item.price * item.count * (item.count > 10 ? 1 - part_ : 1);
  }

 private:
  double part_;
};

using Field = std::variant<int, double, std::string>;

std::string Text(const Field& field) {
  return std::visit(
      [](const auto& value) {
        std::ostringstream out;
        out << value;
        return out.str();
      },
      field);
}

std::vector<Item> Read(const std::string& text) {
  static const std::regex kLine(R"((\w+)\s+(\d+\.\d+)\s+(\d+))");
  std::vector<Item> items;
  for (std::sregex_iterator it(text.begin(), text.end(), kLine), end; it != end; ++it) {
    items.push_back({(*it)[1], std::stod((*it)[2]), std::stoi((*it)[3])});
  }
  return items;
}

std::optional<double> Total(const std::vector<Item>& items, const Rule& rule) {
  try {
    return std::accumulate(items.begin(), items.end(), 0.0,
                           [&](double sum, const Item& item) { return sum + rule.Apply(item); });
  } catch (const std::invalid_argument& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return std::nullopt;
  }
}

}  // namespace
}  // namespace shop

int main(int argc, char** argv) {
  std::ostringstream text;
  for (int i = 0; i < 1000; ++i)
    text << "item" << i << ' ' << i % 17 << '.' << i % 10 << ' ' << i % 23 << '\n';
  const auto items = shop::Read(text.str());
  shop::Ranking<shop::Item, shop::CheaperFirst> ranking;
  for (const auto& item : items) ranking.Add(item);
  const std::unique_ptr<shop::Rule> rule = std::make_unique<shop::Discount>(0.1);
  std::unordered_map<std::string, std::vector<shop::Field>> fields;
  std::map<int, std::function<double(double)>> steps;
  for (int i = 0; i < argc + 3; ++i) steps[i] = [i](double x) { return x * i + part::Smooth(i); };
  for (const auto& item : ranking.values()) fields[item.name] = {item.count, item.price, item.name};
  std::string all;
  for (auto& [name, row] : fields) {
    for (const auto& field : row) all += shop::Text(field) + (argc > 1 ? argv[1] : ",");
  }
  double sum = shop::Total(items, *rule).value_or(0);
  for (auto& [key, step] : steps) sum = step(sum);
  std::printf("%g %zu %zu\n", sum, all.size(), part::Words(all).size());
}
