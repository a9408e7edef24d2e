// SPDX-License-Identifier: MIT

#include "http/ops/internal/prometheus_text.h"

#include <doctest/doctest.h>

#include <limits>
#include <string>

#include "tests/http/ops/prometheus_reader.h"

namespace volt::http::ops {

using test::PrometheusReader;

TEST_SUITE_BEGIN("http/ops/internal/prometheus_text");

TEST_CASE("a family is announced before its samples") {
  PrometheusText text;
  text.family("requests_total", "counter", "How many.");
  text.sample({{"method", "GET"}, {"route", "/"}}, 3);
  text.sample({{"method", "GET"}, {"route", ""}}, 4U);
  text.single("load", "gauge", "How much.", 0.25);
  CHECK(std::move(text).take() ==
        "# HELP requests_total How many.\n"
        "# TYPE requests_total counter\n"
        "requests_total{method=\"GET\",route=\"/\"} 3\n"
        "requests_total{method=\"GET\"} 4\n"
        "# HELP load How much.\n"
        "# TYPE load gauge\n"
        "load 0.25\n");
}

TEST_CASE("a label value announces no family") {
  PrometheusText text;
  text.family("a", "gauge", "x");
  text.sample({{"label", "# TYPE b gauge"}}, 1);
  text.sample({{"label", "\n# TYPE b gauge"}}, 1);
  CHECK(text.has_family("a"));
  CHECK(!text.has_family("b"));
}

TEST_CASE("numbers and labels are read back unchanged") {
  const std::string odd = "a\"b\\c\nd,e}f{g=\xc3\xbc";
  PrometheusText text;
  text.family("odd", "gauge", "x");
  text.sample({{"label", odd}}, std::numeric_limits<std::uint64_t>::max());
  text.sample({{"label", "small"}}, 1e-9);
  const PrometheusReader read(std::move(text).take());
  CHECK(read.value("odd", {{"label", odd}}) == static_cast<double>(std::numeric_limits<std::uint64_t>::max()));
  CHECK(read.value("odd", {{"label", "small"}}) == 1e-9);
}

TEST_CASE("numbers that are not finite have the spelling that Prometheus reads") {
  CHECK(number_text(std::numeric_limits<double>::quiet_NaN()) == "NaN");
  CHECK(number_text(-std::numeric_limits<double>::quiet_NaN()) == "NaN");
  CHECK(number_text(std::numeric_limits<double>::infinity()) == "inf");
  CHECK(number_text(-std::numeric_limits<double>::infinity()) == "-inf");
}

TEST_CASE("the tests' reader refuses invalid text") {
  const struct {
    std::string why;
    std::string text;
  } cases[] = {
      {"no line break at the end", "# HELP a b\n# TYPE a gauge\na 1"},
      {"a sample without a family", "a 1\n"},
      {"a sample of another family", "# HELP a b\n# TYPE a gauge\nb 1\n"},
      {"a duplicate sample", "# HELP a b\n# TYPE a gauge\na 1\na 2\n"},
      {"a value that is not a number", "# HELP a b\n# TYPE a gauge\na 1x\n"},
      {"labels without a closing brace", "# HELP a b\n# TYPE a gauge\na{b=\"c\" 1\n"},
      {"an unescaped quote", "# HELP a b\n# TYPE a gauge\na{b=\"c\"d\"} 1\n"},
      {"an unknown type", "# HELP a b\n# TYPE a meter\na 1\n"},
      {"the bucket +Inf is missing", "# HELP a b\n# TYPE a histogram\na_bucket{le=\"1\"} 1\na_sum 1\na_count 1\n"},
      {"buckets shrink",
       "# HELP a b\n# TYPE a histogram\na_bucket{le=\"1\"} 2\na_bucket{le=\"+Inf\"} 1\na_sum 1\na_count 1\n"},
  };
  for (const auto& [why, text] : cases) {
    CAPTURE(why);
    CHECK_THROWS(PrometheusReader(text));
  }
}

}  // namespace volt::http::ops
