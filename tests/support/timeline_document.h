// SPDX-License-Identifier: MIT

// TimelineDocument: a timeline (runtime/timeline.h) as a viewer reads it.
//
// Threads: a value.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "http/json/json.h"
#include "runtime/timeline.h"

namespace volt::test {

struct TimelineArguments {
  std::string name = "-";  // members with an empty default would be required
  std::uint64_t task = 0;
  std::uint64_t tasks = 0;
  std::uint64_t from_worker = 0;
  std::uint64_t lost = 0;
};

struct TimelineLine {
  std::string ph;
  std::string name = "-";
  std::string cat = "-";
  std::uint64_t tid = 0;
  std::optional<double> ts = {};
  std::uint64_t id = 0;
  TimelineArguments args = {};
};

struct TimelineTotals {
  std::uint64_t lost = 0;
  double seconds = 0;
};

struct TimelineText {
  std::vector<TimelineLine> traceEvents;
  TimelineTotals otherData;
};

// Returns the whole text of a recording that has ended.
inline std::string text_of(TimelineRecording& recording) {
  std::string text;
  for (std::string piece = recording.next_piece(); !piece.empty(); piece = recording.next_piece()) text += piece;
  return text;
}

class TimelineDocument {
 public:
  explicit TimelineDocument(const std::string& text) {
    auto read = http::from_json<TimelineText>(text);
    require(read.has_value(), "the timeline is not JSON of this form");
    if (!read) return;
    text_ = std::move(*read);
    for (const TimelineLine& line : text_.traceEvents) check(line);
    for (const auto& [track, open] : open_) require(open.empty(), "a slice does not end");
    for (const auto& [id, ends] : arrows_) require(ends.starts == 1 && ends.finishes == 1, "an arrow has one end");
  }

  // The first thing for which a viewer would reject or misread the text; empty if there is none.
  [[nodiscard]] const std::string& problem() const noexcept { return problem_; }
  [[nodiscard]] const TimelineTotals& totals() const noexcept { return text_.otherData; }
  [[nodiscard]] const std::vector<TimelineLine>& lines() const noexcept { return text_.traceEvents; }
  [[nodiscard]] std::size_t tracks() const noexcept { return names_.size(); }
  // Returns how many slices, arrows or instants have this phase, and a name that contains `name`.
  [[nodiscard]] std::size_t count(const std::string& phase, const std::string& name) const {
    return static_cast<std::size_t>(std::ranges::count_if(
        lines(), [&](const TimelineLine& line) { return line.ph == phase && line.name.contains(name); }));
  }
  [[nodiscard]] std::size_t slices(const std::string& name) const { return count("B", name); }
  [[nodiscard]] std::size_t arrows(const std::string& name) const { return count("f", name); }

 private:
  struct Ends {
    int starts = 0;
    int finishes = 0;
    std::string name = {};
    double started_at = 0;
  };

  void require(bool fact, const char* otherwise) {
    if (!fact && problem_.empty()) problem_ = otherwise;
  }

  void check(const TimelineLine& line) {
    if (line.ph == "M") {
      if (line.name == "thread_name") names_[line.tid] = line.args.name;
      return;
    }
    require(names_.contains(line.tid) && names_.at(line.tid).contains("worker"), "a track has no name");
    require(line.ts.has_value(), "an event has no time");
    if (!line.ts) return;
    require(*line.ts >= last_[line.tid], "the time of a track runs backwards");
    last_[line.tid] = *line.ts;
    std::vector<std::string>& open = open_[line.tid];
    if (line.ph == "B") {
      require(line.name != "-", "a slice has no name");
      open.push_back(line.name);
    } else if (line.ph == "E") {
      require(!open.empty(), "a slice ends that has not begun");
      if (!open.empty()) open.pop_back();
    } else if (line.ph == "s" || line.ph == "f") {
      check_arrow(line, !open.empty());
    } else {
      require(line.ph == "i", "an event of an unknown kind");
    }
  }

  void check_arrow(const TimelineLine& line, bool in_slice) {
    require(in_slice, "an arrow that touches no slice");
    Ends& ends = arrows_[line.id];
    if (line.ph == "s") {
      ++ends.starts;
      ends.name = line.name;
      ends.started_at = *line.ts;
      return;
    }
    ++ends.finishes;
    require(ends.starts == 1, "an arrow ends before it begins");
    require(ends.name == line.name && ends.started_at <= *line.ts, "the ends of an arrow do not fit");
  }

  std::string problem_;
  TimelineText text_;
  std::map<std::uint64_t, std::string> names_;
  std::map<std::uint64_t, double> last_;
  std::map<std::uint64_t, std::vector<std::string>> open_;
  std::map<std::uint64_t, Ends> arrows_;
};

}  // namespace volt::test
