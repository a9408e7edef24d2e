// SPDX-License-Identifier: MIT

// Kinds of values: how values of each kind are parsed, printed and described. read() parses a raw value, and returns
// nothing if it is invalid. expected() describes the valid values. show() prints a value in TOML notation, which read()
// parses to an equal value.
//
// Threads: values.
#pragma once

#include <charconv>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tls/options.h"

namespace volt::config {

// A value as it appears in its source, before it is parsed.
struct RawValue {
  enum class Notation : std::uint8_t {
    untyped,  // text of an environment variable or a flag, whose type is not known
    string,
    integer,
    boolean,
    fraction,  // a number with a fraction or an exponent
    strings,   // an array with strings only
    numbers,   // an array with numbers only
    other,     // a type that no setting accepts; `items` holds its name
  };
  Notation notation;
  std::vector<std::string> items;  // exactly one, except for arrays and for an `untyped` list

  // Returns the value for a message: text is quoted, escaped and truncated.
  [[nodiscard]] std::string to_string() const;
};

// Returns `text` as a quoted TOML string.
[[nodiscard]] std::string in_quotes(std::string_view text);

struct Count {
  std::uint64_t min = 0;
  std::uint64_t max = 1'000'000'000;

  [[nodiscard]] std::optional<std::uint64_t> read(const RawValue& found) const;
  [[nodiscard]] std::string expected() const;
  [[nodiscard]] static std::string show(std::uint64_t value);
};

// A number of bytes: "64 KiB", "64KiB", "65536" or 65536.
struct Size {
  std::uint64_t min = 1;
  std::uint64_t max = std::uint64_t{1} << 40;

  [[nodiscard]] std::optional<std::uint64_t> read(const RawValue& found) const;
  [[nodiscard]] std::string expected() const;
  [[nodiscard]] static std::string show(std::uint64_t value);
};

// A duration as a whole number with a mandatory unit: "30s", "250 ms", "5m", "1h".
struct Duration {
  std::chrono::milliseconds min{1};
  std::chrono::milliseconds max = std::chrono::hours(24);

  [[nodiscard]] std::optional<std::chrono::milliseconds> read(const RawValue& found) const;
  [[nodiscard]] std::string expected() const;
  [[nodiscard]] static std::string show(std::chrono::milliseconds value);
};

struct Switch {
  [[nodiscard]] static std::optional<bool> read(const RawValue& found);
  [[nodiscard]] static std::string expected() { return "true or false"; }
  [[nodiscard]] static std::string show(bool value) { return value ? "true" : "false"; }
};

template <class Enum>
struct Choice {
  std::vector<std::pair<std::string_view, Enum>> names;

  [[nodiscard]] std::optional<Enum> read(const RawValue& found) const {
    using enum RawValue::Notation;
    if (found.notation != untyped && found.notation != string) return std::nullopt;
    for (const auto& [name, value] : names) {
      if (found.items.front() == name) return value;
    }
    return std::nullopt;
  }
  [[nodiscard]] std::string expected() const {
    std::string text;
    for (std::size_t i = 0; i != names.size(); ++i) {
      if (i != 0) text += i + 1 == names.size() ? " or " : ", ";
      text += in_quotes(names[i].first);
    }
    return text;
  }
  [[nodiscard]] std::string show(Enum value) const {
    for (const auto& [name, named] : names) {
      if (named == value) return in_quotes(name);
    }
    std::unreachable();
  }
};

// A file path; empty for no file.
struct FilePath {
  [[nodiscard]] static std::optional<std::string> read(const RawValue& found);
  [[nodiscard]] static std::string expected() { return "a file path"; }
  [[nodiscard]] static std::string show(const std::string& value) { return in_quotes(value); }
};

// Levels of a log's modules: "http=debug, pg=warning".
struct LogLevels {
  [[nodiscard]] static std::optional<std::string> read(const RawValue& found);
  [[nodiscard]] static std::string expected() {
    return R"(modules and their levels, such as "http=debug, pg=warning"; levels: debug, info, warning, error, off)";
  }
  [[nodiscard]] static std::string show(const std::string& value) { return in_quotes(value); }
};

// Pairs of a certificate and its key: "certificate.pem:key.pem".
struct CertificatePairs {
  static constexpr bool is_list = true;

  [[nodiscard]] static std::optional<std::vector<tls::CertificateAndKey>> read(const RawValue& found);
  [[nodiscard]] static std::string expected() { return R"(pairs of file paths, such as "certificate.pem:key.pem")"; }
  [[nodiscard]] static std::string show(const std::vector<tls::CertificateAndKey>& value);
};

// The name or numeric id of a user or group; empty for none.
struct Account {
  [[nodiscard]] static std::optional<std::string> read(const RawValue& found);
  [[nodiscard]] static std::string expected() {
    return "a name or numeric id of at most 32 letters, digits, '_', '-', '.'";
  }
  [[nodiscard]] static std::string show(const std::string& value) { return in_quotes(value); }
};

// A line of text for people; empty for none.
struct Label {
  [[nodiscard]] static std::optional<std::string> read(const RawValue& found);
  [[nodiscard]] static std::string expected() { return "at most 100 characters of ASCII without control characters"; }
  [[nodiscard]] static std::string show(const std::string& value) { return in_quotes(value); }
};

// The mask of umask(2) in octal digits; empty for none.
struct FileModeMask {
  [[nodiscard]] static std::optional<std::string> read(const RawValue& found);
  [[nodiscard]] static std::string expected() { return R"(octal digits up to "777", such as "027")"; }
  [[nodiscard]] static std::string show(const std::string& value) { return in_quotes(value); }
};

// Any number of addresses to listen on.
struct Addresses {
  static constexpr bool is_list = true;

  [[nodiscard]] static std::optional<std::vector<std::string>> read(const RawValue& found);
  [[nodiscard]] static std::string expected() {
    return R"(addresses of the form "HOST:PORT", "unix:PATH" or "systemd:", such as "127.0.0.1:8080" or "[::]:8080")";
  }
  [[nodiscard]] static std::string show(const std::vector<std::string>& value);
};

// Host names without ports.
struct Hosts {
  static constexpr bool is_list = true;

  [[nodiscard]] static std::optional<std::vector<std::string>> read(const RawValue& found);
  [[nodiscard]] static std::string expected() { return R"(host names without ports, such as "ops.example.com")"; }
  [[nodiscard]] static std::string show(const std::vector<std::string>& value) { return Addresses::show(value); }
};

}  // namespace volt::config
