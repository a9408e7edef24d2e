// SPDX-License-Identifier: MIT

#include "config/read/internal/toml.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "config/read/internal/nearest.h"
#include "config/read/internal/text_file.h"

#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>

namespace volt::config {
namespace {

constexpr std::size_t kFileBytesMax = 1024 * 1024;

std::string at_line(const std::string& name, const toml::source_region& source) {
  return name + ":" + std::to_string(source.begin.line);
}

std::string fraction_text(double number) {
  std::array<char, 32> text;
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), number);
  return {text.data(), end};
}

// Returns the items of an array whose elements are all strings, or all numbers.
RawValue raw_array(const toml::array& array) {
  RawValue found{RawValue::Notation::strings, {}};
  for (const toml::node& element : array) {
    const bool is_number = element.is_number();
    if (is_number && found.items.empty()) found.notation = RawValue::Notation::numbers;
    if (is_number != (found.notation == RawValue::Notation::numbers) || (!is_number && !element.is_string()))
      return {RawValue::Notation::other, {"an array with values that are not strings"}};
    if (const auto* const text = element.as_string()) found.items.push_back(text->get());
    if (const auto* const whole = element.as_integer()) found.items.push_back(std::to_string(whole->get()));
    if (const auto* const real = element.as_floating_point()) found.items.push_back(fraction_text(real->get()));
  }
  return found;
}

RawValue raw_value_of(const toml::node& node) {
  using enum RawValue::Notation;
  switch (node.type()) {
    case toml::node_type::string:
      return {string, {node.as_string()->get()}};
    case toml::node_type::integer:
      return {integer, {std::to_string(node.as_integer()->get())}};
    case toml::node_type::boolean:
      return {boolean, {node.as_boolean()->get() ? "true" : "false"}};
    case toml::node_type::array:
      return raw_array(*node.as_array());
    case toml::node_type::table:
      return {other, {"a table"}};
    case toml::node_type::floating_point:
      return {fraction, {fraction_text(node.as_floating_point()->get())}};
    case toml::node_type::date:
    case toml::node_type::time:
    case toml::node_type::date_time:
      return {other, {"a date or a time"}};
    case toml::node_type::none:
      break;
  }
  return {other, {"nothing"}};
}

// Walks the tables of a file. The key of a nested table is its path with dots.
class Reader {
 public:
  Reader(const std::string& name, ConfigBuilder& config_builder) : name_(name), config_builder_(config_builder) {
    for (const Setting& setting : config_builder.settings()) {
      keys_.emplace_back(setting.key());
      for (std::string_view section = setting.section(); !section.empty();) {
        sections_.emplace_back(section);
        const std::size_t dot = section.rfind('.');
        section = section.substr(0, dot == std::string_view::npos ? 0 : dot);
      }
    }
  }

  // Recursion depth is bounded, because only known sections are entered.
  void read(const toml::table& table, const std::string& prefix) {
    for (const auto& [key, node] : table) {
      const std::string path = prefix + std::string(key.str());
      const std::string line = at_line(name_, key.source());
      if (const Setting* setting = find_setting(config_builder_.settings(), path)) {
        config_builder_.assign(*setting, raw_value_of(node), line + ": " + path, line);
      } else if (std::ranges::find(sections_, path) != sections_.end()) {
        read_section(node, path, line);
      } else {
        config_builder_.add_problem(line + ": " + shown(path) + ": no such key" + suggestion(path, known_beside(node)));
      }
    }
  }

 private:
  void read_section(const toml::node& node, const std::string& path, const std::string& line) {
    if (const toml::table* table = node.as_table()) return read(*table, path + ".");
    config_builder_.add_problem(line + ": " + path + ": found " + raw_value_of(node).to_string() +
                                ", expected a table, [" + path + "]");
  }

  const std::vector<std::string>& known_beside(const toml::node& node) const {
    return node.is_table() ? sections_ : keys_;
  }

  // Returns a key for a message. A file may contain any text as a key, so unprintable and long keys are quoted.
  static std::string shown(const std::string& path) {
    const bool bare = std::ranges::all_of(path, [](char c) { return c > ' ' && c < '\x7f'; });
    return bare && path.size() <= 80 ? path : RawValue{RawValue::Notation::string, {path}}.to_string();
  }

  const std::string& name_;
  ConfigBuilder& config_builder_;
  std::vector<std::string> keys_;
  std::vector<std::string> sections_;
};

}  // namespace

void read_toml(std::string_view text, const std::string& name, ConfigBuilder& config_builder) {
  const toml::parse_result parsed = toml::parse(text, name);
  if (!parsed) {
    const toml::parse_error& error = parsed.error();
    return config_builder.add_problem(at_line(name, error.source()) + ": " + std::string(error.description()));
  }
  Reader(name, config_builder).read(parsed.table(), "");
}

void read_toml_file(const std::string& path, ConfigBuilder& config_builder) {
  const auto text = read_text_file(path, kFileBytesMax);
  if (!text) return config_builder.add_problem(path + ": " + text.error().message());
  read_toml(*text, path, config_builder);
}

std::string show_toml(const ConfigBuilder& config_builder) {
  std::string text;
  std::string_view section;
  for (std::size_t i = 0; i != config_builder.settings().size(); ++i) {
    const Setting& setting = config_builder.settings()[i];
    if (setting.section() != section) {
      section = setting.section();
      text.append("\n[").append(section).append("]\n");
    }
    if (!setting.description().empty()) text.append("# ").append(setting.description()).append("\n");
    text.append("#   ").append(setting.expected()).append("\n");
    const bool is_missing = setting.extra().is_required && config_builder.origin(i).empty();
    const std::string value = is_missing ? std::string() : setting.show(config_builder.values());
    // A value that is missing, or a secret, is a comment, so that the text stays TOML.
    text.append(value.empty() ? "# " : "").append(setting.name()).append(value.empty() ? " =" : " = ").append(value);
    if (is_missing) text += "  # must be set";
    if (!config_builder.origin(i).empty()) text.append("  # ").append(config_builder.origin(i));
    text += '\n';
  }
  return text;
}

}  // namespace volt::config
