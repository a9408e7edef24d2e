// SPDX-License-Identifier: MIT

// A strict reader of Prometheus' text exposition format 0.0.4, written from its specification, not from our writer.
// Every sample must belong to a family that was announced before with HELP and TYPE, each family must occur once, and
// histograms must be complete: buckets that do not shrink, and a bucket +Inf that equals the count.
//
// Errors: throws std::runtime_error, which fails the test.
#pragma once

#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace volt::test {

class PrometheusReader {
 public:
  using Labels = std::map<std::string, std::string>;

  explicit PrometheusReader(std::string_view text) {
    if (!text.ends_with('\n')) throw std::runtime_error("the last line has no line break");
    while (!text.empty()) {
      const std::size_t end = text.find('\n');
      read_line(text.substr(0, end));
      text.remove_prefix(end + 1);
    }
    check_histograms();
  }

  // Returns the value of a sample. Throws if there is none.
  [[nodiscard]] double value(const std::string& name, const Labels& labels = {}) const {
    const auto found = samples_.find({name, labels});
    if (found == samples_.end()) throw std::runtime_error("no sample " + name);
    return found->second;
  }
  [[nodiscard]] bool has(const std::string& name, const Labels& labels) const {
    return samples_.contains({name, labels});
  }
  [[nodiscard]] std::string type(const std::string& family) const {
    const auto found = types_.find(family);
    return found == types_.end() ? "" : found->second;
  }
  // Returns the values of a label over all samples of that name.
  [[nodiscard]] std::set<std::string> label_values(const std::string& name, const std::string& label) const {
    std::set<std::string> values;
    for (const auto& [key, value] : samples_) {
      if (key.first != name) continue;
      const auto found = key.second.find(label);
      values.insert(found == key.second.end() ? "" : found->second);
    }
    return values;
  }

 private:
  using Key = std::pair<std::string, Labels>;

  [[noreturn]] static void refuse(std::string_view why, std::string_view line) {
    throw std::runtime_error(std::string(why) + ": " + std::string(line));
  }

  static bool is_name(std::string_view text, bool colon) {
    if (text.empty() || (text[0] >= '0' && text[0] <= '9')) return false;
    for (const char c : text) {
      const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
      if (!letter && c != '_' && !(colon && c == ':')) return false;
    }
    return true;
  }

  void read_line(std::string_view line) {
    if (line.starts_with("# HELP ")) return read_help(line);
    if (line.starts_with("# TYPE ")) return read_type(line);
    if (line.empty() || line.starts_with('#')) refuse("neither a sample nor HELP nor TYPE", line);
    read_sample(line);
  }

  void read_help(std::string_view line) {
    const std::string_view rest = line.substr(7);
    const std::size_t space = rest.find(' ');
    family_ = rest.substr(0, space);
    if (!is_name(family_, true) || space == std::string_view::npos) refuse("HELP without a name or a text", line);
    if (!helped_.insert(family_).second) refuse("a second HELP for the family", line);
  }

  void read_type(std::string_view line) {
    const std::string_view rest = line.substr(7);
    const std::size_t space = rest.find(' ');
    if (rest.substr(0, space) != family_ || space == std::string_view::npos) refuse("TYPE of another family", line);
    const std::string type(rest.substr(space + 1));
    if (type != "counter" && type != "gauge" && type != "histogram") refuse("an unknown type", line);
    if (type == "counter" && !family_.ends_with("_total")) refuse("a counter's name must end in _total", line);
    if (!types_.emplace(family_, type).second) refuse("a second TYPE for the family", line);
  }

  void read_sample(std::string_view line) {
    const std::size_t name_end = line.find_first_of("{ ");
    const std::string name(line.substr(0, name_end));
    if (!is_name(name, true) || name_end == std::string_view::npos) refuse("an invalid metric name", line);
    check_family(name, line);
    std::string_view rest = line.substr(name_end);
    Labels labels;
    if (rest.starts_with('{')) labels = read_labels(rest, line);
    if (!rest.starts_with(' ')) refuse("no space before the value", line);
    std::size_t used = 0;
    const std::string text(rest.substr(1));
    const double value = std::stod(text, &used);
    if (used != text.size()) refuse("the value is not a number", line);
    if (!samples_.emplace(Key(name, labels), value).second) refuse("a duplicate sample", line);
  }

  void check_family(const std::string& name, std::string_view line) const {
    const auto found = types_.find(family_);
    if (found == types_.end()) refuse("a sample before its TYPE", line);
    if (found->second != "histogram" && name == family_) return;
    for (const char* suffix : {"_bucket", "_sum", "_count"}) {
      if (found->second == "histogram" && name == family_ + suffix) return;
    }
    refuse("a sample among those of another family", line);
  }

  // Reads labels. `rest` begins with '{'; afterwards it begins after '}'.
  static Labels read_labels(std::string_view& rest, std::string_view line) {
    Labels labels;
    do {
      rest.remove_prefix(1);
      const std::size_t equals = rest.find("=\"");
      if (equals == std::string_view::npos) refuse("a label without a value", line);
      const std::string name(rest.substr(0, equals));
      if (!is_name(name, false)) refuse("an invalid label name", line);
      rest.remove_prefix(equals + 2);
      std::string value;
      while (!rest.empty() && rest[0] != '"') value += read_character(rest, line);
      if (rest.size() < 2) refuse("a label value without a closing quote", line);
      rest.remove_prefix(1);
      if (!labels.emplace(name, value).second) refuse("a duplicate label", line);
    } while (rest[0] == ',');
    if (rest[0] != '}') refuse("labels without a closing brace", line);
    rest.remove_prefix(1);
    return labels;
  }

  static char read_character(std::string_view& rest, std::string_view line) {
    char c = rest[0];
    rest.remove_prefix(1);
    if (c != '\\') return c;
    if (rest.empty()) refuse("an incomplete escape", line);
    c = rest[0];
    rest.remove_prefix(1);
    if (c == 'n') return '\n';
    if (c != '\\' && c != '"') refuse("an unknown escape", line);
    return c;
  }

  void check_histograms() const {
    for (const auto& [key, count] : samples_) {
      const auto& [name, labels] = key;
      if (!name.ends_with("_count")) continue;
      const std::string family = name.substr(0, name.size() - 6);
      if (type(family) != "histogram") continue;
      if (!samples_.contains({family + "_sum", labels})) refuse("a histogram without a sum", family);
      std::map<double, double> buckets;
      for (const auto& [bucket_key, value] : samples_) {
        if (bucket_key.first != family + "_bucket") continue;
        Labels rest = bucket_key.second;
        const std::string bound = rest.at("le");
        rest.erase("le");
        if (rest == labels) buckets[std::stod(bound)] = value;  // stod() also reads "+Inf"
      }
      double before = 0;
      for (const auto& [bound, value] : buckets) {
        if (value < before) refuse("a bucket that shrinks", family);
        before = value;
      }
      if (buckets.empty() || buckets.rbegin()->first != std::stod("inf") || before != count) {
        refuse("the bucket +Inf differs from the count", family);
      }
    }
  }

  std::string family_;  // the family of the samples that follow
  std::set<std::string> helped_;
  std::map<std::string, std::string> types_;
  std::map<Key, double> samples_;
};

}  // namespace volt::test
