// SPDX-License-Identifier: MIT

// PrometheusText: composes metrics in Prometheus' text exposition format 0.0.4.
//
//   text.family("volt_worker_parks_total", "counter", "Times that the worker parked.");
//   text.sample({{"worker", "0"}}, 12);
//
// Threads: a value.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace volt::http::ops {

class PrometheusText {
 public:
  static constexpr std::string_view kContentType = "text/plain; version=0.0.4; charset=utf-8";

  using Label = std::pair<std::string_view, std::string_view>;
  using Labels = std::initializer_list<Label>;

  // Begins a family of samples.
  void family(std::string_view name, std::string_view type, std::string_view help);
  // Adds a sample to the family. Labels with an empty value are omitted, which is equivalent in Prometheus. `suffix`:
  // "_bucket", "_sum" or "_count" for a histogram.
  template <class Number>
    requires std::integral<Number> || std::floating_point<Number>
  void sample(Labels labels, Number value, std::string_view suffix = {}) {
    sample(std::span(labels.begin(), labels.size()), value, suffix);
  }
  template <class Number>
    requires std::integral<Number> || std::floating_point<Number>
  void sample(std::span<const Label> labels, Number value, std::string_view suffix = {}) {
    begin_sample(labels, suffix);
    end_sample(value);
  }
  // Adds a family with one sample.
  template <class Number>
  void single(std::string_view name, std::string_view type, std::string_view help, Number value) {
    family(name, type, help);
    sample({}, value);
  }

  [[nodiscard]] bool has_family(std::string_view name) const {
    return text_.contains("\n# TYPE " + std::string(name) + " ");  // the values of labels have no line breaks
  }
  [[nodiscard]] std::string take() && noexcept { return std::move(text_); }

 private:
  void begin_sample(std::span<const Label> labels, std::string_view suffix);
  void end_sample(std::uint64_t value);
  void end_sample(double value);
  template <std::integral Number>
  void end_sample(Number value) {
    end_sample(static_cast<std::uint64_t>(value));
  }

  std::string text_;
  std::string name_;
};

// Returns the number as it is written in labels and samples.
[[nodiscard]] std::string number_text(double number);

}  // namespace volt::http::ops
