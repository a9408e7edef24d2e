// SPDX-License-Identifier: MIT

// The environment variables of OpenTelemetry, as options of http/tracing/otlp.h.
#include <doctest/doctest.h>

#include <chrono>
#include <cstdlib>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "http/tracing/otlp.h"

namespace volt::http {
namespace {

using namespace std::chrono_literals;

// Sets variables, and no other one of OpenTelemetry, while it exists.
class Environment {
 public:
  Environment(std::initializer_list<std::pair<const char*, const char*>> variables) {
    clear();
    for (const auto& [name, value] : variables) ::setenv(name, value, 1);
  }
  ~Environment() { clear(); }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  static void clear() {
    for (const char* name : {"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT",
                             "OTEL_EXPORTER_OTLP_HEADERS", "OTEL_EXPORTER_OTLP_TIMEOUT", "OTEL_SERVICE_NAME",
                             "OTEL_RESOURCE_ATTRIBUTES", "OTEL_TRACES_SAMPLER", "OTEL_TRACES_SAMPLER_ARG"}) {
      ::unsetenv(name);
    }
  }
};

}  // namespace

TEST_SUITE_BEGIN("http/tracing/environment");

TEST_CASE("without variables the options stay") {
  const Environment environment({{"OTEL_SERVICE_NAME", ""}, {"OTEL_EXPORTER_OTLP_ENDPOINT", ""}});
  const auto tracer = tracer_options_from_environment({.service_name = "shop", .sampling = {.ratio = 0.5}});
  CHECK(tracer.service_name == "shop");
  CHECK(tracer.sampling.ratio == 0.5);
  CHECK(tracer.sampling.parent_based);
  CHECK(otlp_options_from_environment().endpoint == "http://localhost:4318/v1/traces");
  CHECK(otlp_options_from_environment({.endpoint = "http://a/b"}).endpoint == "http://a/b");
}

TEST_CASE("the endpoint for traces goes before the one for all signals") {
  {
    const Environment environment({{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://collector:4318"}});
    CHECK(otlp_options_from_environment().endpoint == "http://collector:4318/v1/traces");
  }
  {
    const Environment environment({{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://collector:4318/otlp/"}});
    CHECK(otlp_options_from_environment().endpoint == "http://collector:4318/otlp/v1/traces");
  }
  const Environment environment({{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://collector:4318"},
                                 {"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://traces/spans"}});
  CHECK(otlp_options_from_environment().endpoint == "http://traces/spans");
}

TEST_CASE("header fields, timeout and resource are read") {
  const Environment environment({{"OTEL_EXPORTER_OTLP_HEADERS", "api-key=a%20b, X-Scope-OrgID = 7"},
                                 {"OTEL_EXPORTER_OTLP_TIMEOUT", "2500"},
                                 {"OTEL_RESOURCE_ATTRIBUTES", "service.name=other,service.version=1.2,host.name=a%2Cb"},
                                 {"OTEL_SERVICE_NAME", "shop"}});
  const OtlpOptions options = otlp_options_from_environment();
  using Pairs = std::vector<std::pair<std::string, std::string>>;
  CHECK(options.headers == Pairs{{"api-key", "a b"}, {"X-Scope-OrgID", "7"}});
  CHECK(options.timeout == 2500ms);
  const tracing::TracerOptions tracer = tracer_options_from_environment();
  CHECK(tracer.service_name == "shop");
  CHECK(tracer.resource == Pairs{{"service.version", "1.2"}, {"host.name", "a,b"}});
}

TEST_CASE("each sampler is a ratio, based on the parent or not") {
  struct Case {
    const char* name;
    const char* argument;
    double ratio;
    bool parent_based;
  };
  const Case cases[] = {
      {"always_on", "0.5", 1, false},
      {"always_off", "", 0, false},
      {"traceidratio", "0.25", 0.25, false},
      {"traceidratio", "", 1, false},
      {"parentbased_always_on", "", 1, true},
      {"parentbased_always_off", "", 0, true},
      {"parentbased_traceidratio", "0.01", 0.01, true},
  };
  for (const Case& it : cases) {
    CAPTURE(it.name);
    const Environment environment({{"OTEL_TRACES_SAMPLER", it.name}, {"OTEL_TRACES_SAMPLER_ARG", it.argument}});
    const auto sampling = tracer_options_from_environment().sampling;
    CHECK(sampling.ratio == it.ratio);
    CHECK(sampling.parent_based == it.parent_based);
  }
}

TEST_CASE("malformed values are refused by name") {
  struct Case {
    const char* name;
    const char* value;
  };
  const Case cases[] = {{"OTEL_TRACES_SAMPLER", "sometimes"},
                        {"OTEL_TRACES_SAMPLER", "parentbased_"},
                        {"OTEL_RESOURCE_ATTRIBUTES", "a=b,c"},
                        {"OTEL_RESOURCE_ATTRIBUTES", "=b"}};
  for (const Case& it : cases) {
    CAPTURE(it.value);
    const Environment environment({{it.name, it.value}});
    CHECK_THROWS_WITH_AS(static_cast<void>(tracer_options_from_environment()), doctest::Contains(it.name),
                         std::invalid_argument);
  }
  for (const char* ratio : {"1.5", "-1", "half", "0.5x"}) {
    CAPTURE(ratio);
    const Environment environment({{"OTEL_TRACES_SAMPLER", "traceidratio"}, {"OTEL_TRACES_SAMPLER_ARG", ratio}});
    CHECK_THROWS_WITH_AS(static_cast<void>(tracer_options_from_environment()),
                         "OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1", std::invalid_argument);
  }
  for (const char* timeout : {"0", "soon", "100000000"}) {
    CAPTURE(timeout);
    const Environment environment({{"OTEL_EXPORTER_OTLP_TIMEOUT", timeout}});
    CHECK_THROWS_WITH_AS(static_cast<void>(otlp_options_from_environment()),
                         doctest::Contains("OTEL_EXPORTER_OTLP_TIMEOUT"), std::invalid_argument);
  }
}

TEST_SUITE_END();

}  // namespace volt::http
