// SPDX-License-Identifier: MIT

// Program: a server program with a name, a version and settings of its own.
//
//   struct Shop {
//     std::string currency = "EUR";
//     std::chrono::milliseconds cache_for = 30s;
//     volt::Ranged<int, 1, 1000> page_size = 50;
//     volt::Secret token;
//   };
//
//   int main(int argc, char** argv) {
//     volt::Program program({.name = "shop", .version = "1.4.0"});
//     const auto shop = program.settings<Shop>("shop");
//     return program.run([&] { return make_app(*shop); }, argc, argv);
//   }
//
// A member is a key of the table [shop]. For example, cache_for is set by
//   cache_for = "10s"           in the table [shop] of the configuration file
//   SHOP_CACHE_FOR=10s          in the environment, which wins over the file
//   --shop.cache-for 10s        on the command line, which wins over both
// A list is repeated as a flag, and separated by commas in the environment. --help, --print-config and --check-config
// have these settings, and mistakes in them are reported like those in Volt's own. A number, bool or enum without an
// initializer must be set. docs/settings.md has the types, and shows descriptions, secrets and checks.
//
// Threads: used by one thread, before and while run() is called. A Settings may be copied to any thread.
// Lifetime: a Settings, and what it refers to, may outlive the Program.
#pragma once

#include <any>
#include <functional>
#include <memory>
#include <optional>
#include <source_location>
#include <string>
#include <utility>
#include <vector>

#include "config/options/config.h"
#include "config/read/byte_size.h"
#include "config/read/own_table.h"
#include "config/read/secret.h"
#include "http/server/app.h"
#include "http/validation/checked.h"
#include "http/validation/invalid.h"
#include "reflect/described.h"

namespace volt {

struct ProgramOptions {
  std::string name = {};         // for --help, --version and, unless ops.service is set, the operators' page
  std::string version = {};      // for --version and, unless ops.version is set, the operators' page
  std::string description = {};  // a sentence for --help
  config::Config defaults = {};  // values of Volt's settings that no source sets
};

namespace config {

[[noreturn]] void settings_not_read();

}  // namespace config

// The settings of one table, which Program::run() reads: use them in the function that makes the app, or later. Earlier
// use ends the process.
template <class T>
class Settings {
 public:
  [[nodiscard]] const T& operator*() const noexcept {
    if (!*value_) config::settings_not_read();
    return **value_;
  }
  [[nodiscard]] const T* operator->() const noexcept { return &**this; }

 private:
  friend class Program;
  explicit Settings(std::shared_ptr<const std::optional<T>> value) : value_(std::move(value)) {}

  std::shared_ptr<const std::optional<T>> value_;
};

class Program {
 public:
  explicit Program(ProgramOptions options = {}) : options_(std::move(options)) {}
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  // Declares the struct T as the table `table`, whose name consists of lower-case letters, digits and '_'. The defaults
  // are the initializers of its members. A name that is taken is an error of run().
  template <class T>
  [[nodiscard]] Settings<T> settings(std::string table, std::source_location where = std::source_location::current()) {
    auto slot = std::make_shared<std::optional<T>>();
    tables_.push_back(config::make_own_table<T>(std::move(table), tables_.size(), where));
    receivers_.emplace_back([slot](const std::any& value) { slot->emplace(std::any_cast<const T&>(value)); });
    return Settings<T>(std::move(slot));
  }

  // These functions do what volt::run() does (config/run.h). Call one of them once, from main().
  [[nodiscard]] int run(http::App& app, int argc, char** argv);
  [[nodiscard]] int run(std::move_only_function<http::App()> make_app, int argc, char** argv);

 private:
  int run_when_configured(const std::function<http::App&()>& app, int argc, char** argv);

  ProgramOptions options_;
  std::vector<config::OwnTable> tables_;
  std::vector<std::function<void(const std::any&)>> receivers_;  // one for each table
};

}  // namespace volt
