// SPDX-License-Identifier: MIT

#include "config/read/internal/toml.h"

#include <doctest/doctest.h>

#include <fstream>
#include <string>

#include "config/read/internal/environment.h"
#include "tests/support/directory.h"

namespace volt::config {
namespace {

ConfigBuilder read(std::string_view text) {
  ConfigBuilder config_builder(all_settings(), Config{});
  read_toml(text, "volt.toml", config_builder);
  return config_builder;
}

}  // namespace

TEST_SUITE_BEGIN("config/read/internal/toml");

TEST_CASE("an invalid value is reported with line, key, found value and expected values") {
  const std::string duration = R"(expected a duration with its unit, from "1ms" to "24h")";
  const std::string addresses =
      R"(expected addresses of the form "HOST:PORT", "unix:PATH" or "systemd:", such as "127.0.0.1:8080" or "[::]:8080")";
  const struct {
    std::string text;
    std::string want;
  } cases[] = {
      // Keys.
      {"color = 1", "volt.toml:1: color: no such key"},
      {"lisen = []", "volt.toml:1: lisen: no such key; did you mean listen?"},
      {"[server]\nidle_timout = \"3s\"",
       "volt.toml:2: server.idle_timout: no such key; did you mean server.idle_timeout?"},
      {"server.limits.body_byte_max = 1",
       "volt.toml:1: server.limits.body_byte_max: no such key; did you mean server.limits.body_bytes_max?"},
      {"[sever]\nidle_timeout = \"3s\"", "volt.toml:1: sever: no such key; did you mean server?"},
      {"[server.limit]\nfields_max = 3", "volt.toml:1: server.limit: no such key; did you mean server.limits?"},
      {"\n\n\"a b\" = 1", "volt.toml:3: \"a b\": no such key"},
      {"\"a\\nb\" = 1", "volt.toml:1: \"a\\u000ab\": no such key"},
      {"runtime = 3", "volt.toml:1: runtime: found 3, expected a table, [runtime]"},
      {"[server]\nlimits = \"none\"", "volt.toml:2: server.limits: found \"none\", expected a table, [server.limits]"},
      {"[[server]]\nidle_timeout = \"3s\"",
       "volt.toml:1: server: found an array with values that are not strings, expected a table, [server]"},
      // Durations.
      {"server.idle_timeout = 30", "volt.toml:1: server.idle_timeout: found 30, " + duration},
      {"server.idle_timeout = \"30\"", "volt.toml:1: server.idle_timeout: found \"30\", " + duration},
      {"server.idle_timeout = 1.5", "volt.toml:1: server.idle_timeout: found a number with a fraction, " + duration},
      {"server.idle_timeout = \"0ms\"", "volt.toml:1: server.idle_timeout: found \"0ms\", " + duration},
      {"server.idle_timeout = \"25h\"", "volt.toml:1: server.idle_timeout: found \"25h\", " + duration},
      {"server.idle_timeout = \"1 minute\"", "volt.toml:1: server.idle_timeout: found \"1 minute\", " + duration},
      {"server.idle_timeout = \"\"", "volt.toml:1: server.idle_timeout: found \"\", " + duration},
      {"server.idle_timeout = true", "volt.toml:1: server.idle_timeout: found true, " + duration},
      {"server.idle_timeout = [\"3s\"]", "volt.toml:1: server.idle_timeout: found [\"3s\"], " + duration},
      {"server.idle_timeout = 07:32:00", "volt.toml:1: server.idle_timeout: found a date or a time, " + duration},
      {"[server.idle_timeout]\nseconds = 3", "volt.toml:1: server.idle_timeout: found a table, " + duration},
      {"[drain]\ngrace = \"2h\"",
       "volt.toml:2: drain.grace: found \"2h\", expected a duration with its unit, from \"0ms\" to \"1h\""},
      {"[drain]\ndelay = \"-1s\"",
       "volt.toml:2: drain.delay: found \"-1s\", expected a duration with its unit, from \"0ms\" to \"10m\""},
      // Sizes.
      {"server.limits.head_bytes_max = \"32 KB\"",
       "volt.toml:1: server.limits.head_bytes_max: found \"32 KB\", expected a size from \"64 B\" to \"16 MiB\""},
      {"server.limits.head_bytes_max = 63",
       "volt.toml:1: server.limits.head_bytes_max: found 63, expected a size from \"64 B\" to \"16 MiB\""},
      {"server.limits.head_bytes_max = -1",
       "volt.toml:1: server.limits.head_bytes_max: found -1, expected a size from \"64 B\" to \"16 MiB\""},
      {"server.limits.head_bytes_max = \"17 MiB\"",
       "volt.toml:1: server.limits.head_bytes_max: found \"17 MiB\", expected a size from \"64 B\" to \"16 MiB\""},
      {"server.limits.body_bytes_max = false",
       "volt.toml:1: server.limits.body_bytes_max: found false, expected a size from \"0 B\" to \"1 TiB\""},
      {"server.limits.body_bytes_max = \"99999999 TiB\"",
       "volt.toml:1: server.limits.body_bytes_max: found \"99999999 TiB\", expected a size from \"0 B\" to \"1 TiB\""},
      // Numbers.
      {"runtime.workers = 257", "volt.toml:1: runtime.workers: found 257, expected a whole number from 0 to 256"},
      {"runtime.workers = -1", "volt.toml:1: runtime.workers: found -1, expected a whole number from 0 to 256"},
      {"runtime.workers = \"4\"", "volt.toml:1: runtime.workers: found \"4\", expected a whole number from 0 to 256"},
      {"runtime.workers = 4.0",
       "volt.toml:1: runtime.workers: found a number with a fraction, expected a whole number from 0 to 256"},
      {"runtime.blocking_threads_max = 0",
       "volt.toml:1: runtime.blocking_threads_max: found 0, expected a whole number from 1 to 10000"},
      {"server.limits.fields_max = 129",
       "volt.toml:1: server.limits.fields_max: found 129, expected a whole number from 1 to 128"},
      // Switches and choices.
      {"runtime.enable_stealing = \"true\"",
       "volt.toml:1: runtime.enable_stealing: found \"true\", expected true or false"},
      {"runtime.enable_rescue = 1", "volt.toml:1: runtime.enable_rescue: found 1, expected true or false"},
      {"runtime.io = \"kqueue\"",
       "volt.toml:1: runtime.io: found \"kqueue\", expected \"auto\", \"uring\" or \"epoll\""},
      {"runtime.io = \"Epoll\"", "volt.toml:1: runtime.io: found \"Epoll\", expected \"auto\", \"uring\" or \"epoll\""},
      {"runtime.io = true", "volt.toml:1: runtime.io: found true, expected \"auto\", \"uring\" or \"epoll\""},
      // Addresses.
      {"listen = \"127.0.0.1:80\"", "volt.toml:1: listen: found \"127.0.0.1:80\", " + addresses},
      {"listen = [\"127.0.0.1\"]", "volt.toml:1: listen: found [\"127.0.0.1\"], " + addresses},
      {"listen = [\":80\", \"local_host:80\"]",
       "volt.toml:1: listen: found [\":80\", \"local_host:80\"], " + addresses},
      {"listen = [\"127.0.0.1:65536\"]", "volt.toml:1: listen: found [\"127.0.0.1:65536\"], " + addresses},
      {"listen = [8080]", "volt.toml:1: listen: found an array with values that are not strings, " + addresses},
      {"listen = [\"unix:" + std::string(108, 'a') + "\"]",
       "volt.toml:1: listen: found [\"unix:" + std::string(108, 'a') + "\"], " + addresses},
      // Accounts and masks.
      {"process.user = 33",
       "volt.toml:1: process.user: found 33, expected a name or numeric id of at most 32 letters, digits, '_', '-', "
       "'.'"},
      {"process.group = \"a:b\"",
       "volt.toml:1: process.group: found \"a:b\", expected a name or numeric id of at most 32 "
       "letters, digits, '_', '-', '.'"},
      {"process.umask = 27",
       "volt.toml:1: process.umask: found 27, expected octal digits up to \"777\", such as \"027\""},
      {"process.umask = \"rwx\"",
       "volt.toml:1: process.umask: found \"rwx\", expected octal digits up to \"777\", such as \"027\""},
  };
  for (const auto& [text, want] : cases) {
    CAPTURE(text);
    const ConfigBuilder config_builder = read(text);
    REQUIRE(config_builder.problems().size() == 1);
    CHECK(config_builder.problems().front() == want);
  }
}

TEST_CASE("a TOML syntax error is reported with its line") {
  const std::pair<std::string, std::string> cases[] = {
      {"listen", "volt.toml:1: "},
      {"\nlisten = [", "volt.toml:2: "},
      {"listen = []\nlisten = []", "volt.toml:2: "},
      {"[server]\n[server]\n", "volt.toml:2: "},
      {"runtime.workers = 99999999999999999999", "volt.toml:1: "},
      {"listen = \"\xff\"", "volt.toml:1: "},
      {std::string("a = \"\0\"", 7), "volt.toml:1: "},
      {"a = " + std::string(10'000, '['), "volt.toml:1: "},
  };
  for (const auto& [text, want] : cases) {
    CAPTURE(text);
    const ConfigBuilder config_builder = read(text);
    REQUIRE(config_builder.problems().size() == 1);
    CHECK(config_builder.problems().front().starts_with(want));
    CHECK(config_builder.problems().front().find('\n') == std::string::npos);
  }
}

TEST_CASE("all problems are reported together, and valid values are read") {
  const ConfigBuilder config_builder = read("color = 1\n[runtime]\nworkers = 3\nio = \"x\"\n");
  CHECK(config_builder.problems().size() == 2);
  CHECK(config_builder.config().runtime.workers == 3);
}

TEST_CASE("each kind of value is parsed") {
  const ConfigBuilder config_builder = read(R"(
listen = ["[::]:8080", "unix:/run/app.sock", "systemd:"]
runtime = { workers = 0x10, io = "epoll", enable_stealing = false }
[server]
idle_timeout = "250ms"
limits.body_bytes_max = 1_000
limits.head_bytes_max = "64 KiB"
)");
  REQUIRE(config_builder.problems().empty());
  CHECK(config_builder.config().listen == std::vector<std::string>{"[::]:8080", "unix:/run/app.sock", "systemd:"});
  CHECK(config_builder.config().runtime.workers == 16);
  CHECK(config_builder.config().runtime.io == IoEngine::epoll);
  CHECK(!config_builder.config().runtime.enable_stealing);
  CHECK(config_builder.config().server.idle_timeout == std::chrono::milliseconds(250));
  CHECK(config_builder.config().server.limits.body_bytes_max == 1000);
  CHECK(config_builder.config().server.limits.head_bytes_max == 65536);
}

TEST_CASE("a file that cannot be read is a problem") {
  const test::Directory folder;
  const auto problem_of = [](const std::string& path) {
    ConfigBuilder config_builder(all_settings(), Config{});
    read_toml_file(path, config_builder);
    return config_builder.problems().empty() ? std::string() : config_builder.problems().front();
  };
  CHECK(problem_of(folder.path().string() + "/none") == folder.path().string() + "/none: No such file or directory");
  CHECK(problem_of(folder.path().string()) == folder.path().string() + ": Is a directory");
  const std::string path = folder.path().string() + "/volt.toml";
  std::ofstream(path) << std::string(1024 * 1024, '\n');
  CHECK(problem_of(path) == "");
  std::ofstream(path, std::ios::app) << "\n";
  CHECK(problem_of(path) == path + ": File too large");
}

TEST_CASE("config/default.toml equals the output of `hello --print-config`") {
  std::ifstream file(VOLT_DEFAULT_TOML);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  CHECK(text == show_toml(ConfigBuilder(all_settings(), Config{})));
}

TEST_CASE("show_toml output parses back to an equal configuration and names the sources") {
  const ConfigBuilder config_builder =
      read("listen = [\"unix:/a\\\"b\"]\n[server]\nidle_timeout = \"1500ms\"\n[process]\numask = \"027\"");
  REQUIRE(config_builder.problems().empty());
  const std::string shown = show_toml(config_builder);
  CHECK(shown.find("idle_timeout = \"1500ms\"  # volt.toml:3\n") != std::string::npos);
  CHECK(shown.find("listen = [\"unix:/a\\\"b\"]  # volt.toml:1\n") != std::string::npos);
  const ConfigBuilder again = read(shown);
  REQUIRE(again.problems().empty());
  for (const Setting& setting : all_settings())
    CHECK(setting.show(again.values()) == setting.show(config_builder.values()));
}

TEST_SUITE_END();
}  // namespace volt::config
