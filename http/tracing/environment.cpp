// SPDX-License-Identifier: MIT

#include <charconv>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/message/ascii.h"
#include "http/message/percent.h"
#include "http/tracing/otlp.h"

namespace volt::http {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

// Returns the value of an environment variable; an empty one counts as unset, as OpenTelemetry prescribes.
std::optional<std::string_view> variable(const char* name) noexcept {
  const char* const value = std::getenv(name);
  if (value == nullptr || *value == '\0') return std::nullopt;
  return value;
}

[[noreturn]] void throw_malformed(const char* name, const char* expected) {
  throw std::invalid_argument(std::string(name) + " must be " + expected);
}

// Parses `key=value,key=value`, in which the values are percent-encoded.
Pairs parse_pairs(const char* name, std::string_view text) {
  Pairs pairs;
  while (!text.empty()) {
    const std::string_view member = message::take_list_element(text);
    if (member.empty()) continue;
    const std::size_t equals = member.find('=');
    const std::string_view key = message::trim_ows(member.substr(0, equals));
    if (equals == std::string_view::npos || key.empty()) throw_malformed(name, "a list like key=value,key=value");
    pairs.emplace_back(key, message::percent_decode(message::trim_ows(member.substr(equals + 1))));
  }
  return pairs;
}

template <class Number>
Number parse_number(const char* name, std::string_view text, Number least, Number most, const char* expected) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end || !(number >= least && number <= most)) throw_malformed(name, expected);
  return number;
}

tracing::Sampling parse_sampler(const char* name, std::string_view text) {
  constexpr std::string_view kParentBased = "parentbased_";
  tracing::Sampling sampling{.ratio = 1, .parent_based = text.starts_with(kParentBased)};
  if (sampling.parent_based) text.remove_prefix(kParentBased.size());
  if (text == "always_off") {
    sampling.ratio = 0;
  } else if (text == "traceidratio") {
    constexpr const char* kArgument = "OTEL_TRACES_SAMPLER_ARG";
    const auto argument = variable(kArgument);
    if (argument) sampling.ratio = parse_number(kArgument, *argument, 0.0, 1.0, "a number from 0 to 1");
  } else if (text != "always_on") {
    throw_malformed(name,
                    "always_on, always_off or traceidratio, or parentbased_ followed by one of these three words");
  }
  return sampling;
}

}  // namespace

OtlpOptions otlp_options_from_environment(OtlpOptions options) {
  if (const auto whole = variable("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")) {
    options.endpoint = *whole;
  } else if (const auto base = variable("OTEL_EXPORTER_OTLP_ENDPOINT")) {
    options.endpoint = std::string(*base) + (base->ends_with('/') ? "v1/traces" : "/v1/traces");
  }
  constexpr const char* kHeaders = "OTEL_EXPORTER_OTLP_HEADERS";
  if (const auto headers = variable(kHeaders)) options.headers = parse_pairs(kHeaders, *headers);
  constexpr const char* kTimeout = "OTEL_EXPORTER_OTLP_TIMEOUT";
  if (const auto timeout = variable(kTimeout)) {
    constexpr std::uint32_t kLongest = 24 * 60 * 60 * 1000;
    options.timeout = std::chrono::milliseconds(
        parse_number<std::uint32_t>(kTimeout, *timeout, 1, kLongest, "a number of milliseconds, at most a day"));
  }
  return options;
}

tracing::TracerOptions tracer_options_from_environment(tracing::TracerOptions options) {
  constexpr const char* kResource = "OTEL_RESOURCE_ATTRIBUTES";
  if (const auto resource = variable(kResource)) {
    for (auto& [key, value] : parse_pairs(kResource, *resource)) {
      if (key == "service.name") {
        options.service_name = std::move(value);
      } else {
        options.resource.emplace_back(key, std::move(value));
      }
    }
  }
  if (const auto name = variable("OTEL_SERVICE_NAME")) options.service_name = *name;
  constexpr const char* kSampler = "OTEL_TRACES_SAMPLER";
  if (const auto sampler = variable(kSampler)) options.sampling = parse_sampler(kSampler, *sampler);
  return options;
}

}  // namespace volt::http
