// SPDX-License-Identifier: MIT

#include "config/read/load.h"

#include <doctest/doctest.h>

#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "config/read/internal/toml.h"
#include "tests/support/directory.h"

namespace volt::config {
namespace {

std::expected<ConfigBuilder, ExitResult> load_from(std::vector<const char*> flags,
                                                   std::vector<const char*> environment = {}, Config defaults = {},
                                                   Settings settings = all_settings()) {
  flags.insert(flags.begin(), "hello");
  environment.push_back(nullptr);
  auto loaded = load({.settings = settings}, std::move(defaults), static_cast<int>(flags.size()), flags.data(),
                     environment.data());
  if (!loaded) return std::unexpected(std::move(loaded.error()));
  return std::move(loaded->config_builder);
}

std::string origin_of(const ConfigBuilder& config_builder, std::string_view key) {
  return config_builder.origin(
      static_cast<std::size_t>(find_setting(config_builder.settings(), key) - config_builder.settings().data()));
}

}  // namespace

TEST_SUITE_BEGIN("config/read/load");

TEST_CASE("flags override the environment, then the file, then the platform's and the program's defaults") {
  using std::chrono::seconds;
  const test::Directory folder;
  const std::string path = folder.path().string() + "/volt.toml";
  std::ofstream(path) << "[drain]\ndelay = \"3s\"\n";
  const std::string from_file = "VOLT_CONFIG=" + path;
  Config defaults;
  defaults.drain.delay = seconds(1);
  const struct {
    std::string why;
    std::vector<const char*> flags;
    std::vector<const char*> environment;
    seconds want;
    std::string origin;
  } cases[] = {
      {"the program's own default", {}, {}, seconds(1), ""},
      {"Kubernetes", {}, {"KUBERNETES_SERVICE_HOST=10.0.0.1"}, seconds(5), "KUBERNETES_SERVICE_HOST"},
      {"the file", {}, {"KUBERNETES_SERVICE_HOST=10.0.0.1", from_file.c_str()}, seconds(3), path + ":2"},
      {"the environment", {}, {from_file.c_str(), "VOLT_DRAIN_DELAY=4s"}, seconds(4), "VOLT_DRAIN_DELAY"},
      {"a flag", {"--drain.delay", "6s"}, {"VOLT_DRAIN_DELAY=4s"}, seconds(6), "--drain.delay"},
      {"a flag with =", {"--drain.delay=6s"}, {}, seconds(6), "--drain.delay"},
      {"a repeated flag: the last one wins", {"--drain.delay=6s", "--drain.delay=7s"}, {}, seconds(7), "--drain.delay"},
      {"a file named by a flag", {"--config", path.c_str()}, {"VOLT_CONFIG=/none"}, seconds(3), path + ":2"},
      {"an empty variable counts as absent", {}, {"VOLT_DRAIN_DELAY="}, seconds(1), ""},
  };
  for (const auto& [why, flags, environment, want, origin] : cases) {
    CAPTURE(why);
    const auto config_builder = load_from(flags, environment, defaults);
    REQUIRE(config_builder.has_value());
    CHECK(config_builder->config().drain.delay == want);
    CHECK(origin_of(*config_builder, "drain.delay") == origin);
  }
}

TEST_CASE("list items are repeated flags, or separated by commas in the environment") {
  const std::vector<std::string> both{":1", "unix:/a b"};
  CHECK(load_from({"--listen", ":1", "--listen", "unix:/a b"})->config().listen == both);
  CHECK(load_from({}, {"VOLT_LISTEN=:1,unix:/a b"})->config().listen == both);
  CHECK(load_from({"--listen", ":1"}, {"VOLT_LISTEN=:2,:3"})->config().listen == std::vector<std::string>{":1"});
}

TEST_CASE("short flags set the same values as long flags") {
  const auto config_builder = load_from({"--workers", "3", "--io=epoll"});
  CHECK(config_builder->config().runtime.workers == 3);
  CHECK(config_builder->config().runtime.io == IoEngine::epoll);
  CHECK(load_from({"--runtime.workers", "3"})->config().runtime.workers == 3);
}

TEST_CASE("errors in flags and in the environment are reported") {
  const struct {
    std::vector<const char*> flags;
    std::vector<const char*> environment;
    std::string want;
  } cases[] = {
      {{"--colour"}, {}, "\"--colour\": no such flag; see --help\n"},
      {{"--server.idle-timout", "3s"},
       {},
       "\"--server.idle-timout\": no such flag; did you mean --server.idle-timeout?\n"},
      {{"--server.idle_timeout=3s"},
       {},
       "\"--server.idle_timeout\": no such flag; did you mean --server.idle-timeout?\n"},
      {{"--worker=3"}, {}, "\"--worker\": no such flag; did you mean --workers?\n"},
      {{"-w"}, {}, "\"-w\": no such flag; see --help\n"},
      {{"8080"}, {}, "\"8080\": unexpected argument; see --help\n"},
      {{"--workers", "many"}, {}, "--workers: found \"many\", expected a whole number from 0 to 256\n"},
      {{"--workers", "-1"}, {}, "--workers: found \"-1\", expected a whole number from 0 to 256\n"},
      {{"--runtime.workers", "1e3"}, {}, "--workers: found \"1e3\", expected a whole number from 0 to 256\n"},
      {{"--drain.grace", "20"},
       {},
       "--drain.grace: found \"20\", expected a duration with its unit, from \"0ms\" to \"1h\"\n"},
      {{"--config", "/none.toml"}, {}, "/none.toml: No such file or directory\n"},
      {{"--check-config"}, {"VOLT_CONFIG=/none.toml"}, "/none.toml: No such file or directory\n"},
      {{},
       {"VOLT_RUNTIME_WORKERS=1,2"},
       "VOLT_RUNTIME_WORKERS: found \"1,2\", expected a whole number from 0 to 256\n"},
      {{}, {"VOLT_RUNTIME_ENABLE_RESCUE=no"}, "VOLT_RUNTIME_ENABLE_RESCUE: found \"no\", expected true or false\n"},
      {{},
       {"VOLT_SERVER_IDLE_TIMEOUT=30"},
       "VOLT_SERVER_IDLE_TIMEOUT: found \"30\", expected a duration with its unit, from \"1ms\" to \"24h\"\n"},
      {{"--io", "x"},
       {"VOLT_PROCESS_UMASK=9"},
       "VOLT_PROCESS_UMASK: found \"9\", expected octal digits up to \"777\", such as \"027\"\n"
       "--io: found \"x\", expected \"auto\", \"uring\" or \"epoll\"\n"},
  };
  for (const auto& [flags, environment, want] : cases) {
    CAPTURE(want);
    const auto config_builder = load_from(flags, environment);
    REQUIRE(!config_builder.has_value());
    CHECK(config_builder.error().status == 2);
    CHECK(config_builder.error().text == want);
  }
  CHECK(load_from({"--workers"}).error().status == 2);
}

TEST_CASE("a misspelled VOLT_ variable is a warning, and other variables are ignored") {
  const auto config_builder =
      load_from({}, {"VOLT_SERVER_IDLE_TIMOUT=3s", "VOLT_PORT=tcp://10.0.0.1:80", "VOLTAGE=1", "PATH=/bin"});
  REQUIRE(config_builder.has_value());
  CHECK(config_builder->warnings() ==
        std::vector<std::string>{"VOLT_SERVER_IDLE_TIMOUT: no such key; did you mean VOLT_SERVER_IDLE_TIMEOUT?"});
}

TEST_CASE("--check-config, --print-config, --help and --version exit with status 0") {
  CHECK(load_from({"--check-config"}).error().text == "the configuration is valid\n");
  const auto printed = load_from({"--print-config", "--workers", "3"});
  CHECK(printed.error().status == 0);
  CHECK(printed.error().text.find("\nworkers = 3  # --workers\n") != std::string::npos);
  CHECK(load_from({"--print-config"}).error().text == show_toml(ConfigBuilder(all_settings(), Config{})));
  const auto version = load_from({"--version"});
  CHECK(version.error().status == 0);
  CHECK(version.error().text.starts_with("Volt "));
  const auto help = load_from({"--help"});
  CHECK(help.error().status == 0);
  for (const Setting& setting : all_settings()) CHECK(help.error().text.find(setting.flag()) != std::string::npos);
}

TEST_CASE("--check-config reports problems and warnings of the named files") {
  const auto checked = [](const Diagnostics& diagnostics) {
    const char* const flags[] = {"hello", "--check-config", "--tls.key", "a.key"};
    const char* const none[] = {nullptr};
    return load({}, {}, 4, flags, none,
                [&](const Config& config) {
                  CHECK(config.tls.key == "a.key");
                  return diagnostics;
                })
        .error();
  };
  CHECK(checked({}).text == "the configuration is valid\n");
  const ExitResult with_warning = checked({.problems = {}, .warnings = {"a.pem: has expired"}});
  CHECK(with_warning.status == 0);
  CHECK(with_warning.text == "a.pem: has expired\nthe configuration is valid\n");
  const ExitResult wrong = checked({.problems = {"a.key: does not exist"}, .warnings = {"a.pem: has expired"}});
  CHECK(wrong.status == 2);
  CHECK(wrong.text == "a.key: does not exist\n");
}

TEST_CASE("setting names are unique in every source, and sections are contiguous") {
  std::set<std::string> variables;
  std::set<std::string> flags;
  std::set<std::string_view> sections;
  std::string_view section;
  for (const Setting& setting : all_settings()) {
    CAPTURE(std::string(setting.key()));
    CHECK(variables.insert(setting.variable()).second);
    CHECK(flags.insert(setting.flag()).second);
    if (setting.section() != section) CHECK(sections.insert(setting.section()).second);
    section = setting.section();
    CHECK(!setting.description().empty());
  }
  const Setting* setting = find_setting(all_settings(), "server.limits.body_bytes_max");
  REQUIRE(setting != nullptr);
  CHECK(setting->section() == "server.limits");
  CHECK(setting->name() == "body_bytes_max");
  CHECK(setting->variable() == "VOLT_SERVER_LIMITS_BODY_BYTES_MAX");
  CHECK(setting->flag() == "--server.limits.body-bytes-max");
}

TEST_SUITE_END();
}  // namespace volt::config
