// SPDX-License-Identifier: MIT

// TimelineJson: a recording (runtime/sched/timeline.h) in the trace event format, which Perfetto and chrome://tracing
// read. Each worker is a track of slices inside each other:
//
//   awake or parked  >  a turn of a task, searching, the kernel, a theft, a rescue  >  the route that the task serves
//
// Arrows (flow events) lead from a wake to the turn of the task or to the worker that it woke, and from the victim to
// the worker that stole, rescued or took a stream. An arrow is written only if both of its ends were recorded.
//
// The events of all workers are merged by time once. The text is then composed piece by piece, because it is several
// times as large as the recording.
//
// Threads: a value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "runtime/sched/timeline.h"

namespace volt {

class TimelineJson {
 public:
  // Throws std::bad_alloc. The first recording of a process reads the names of functions from the program's file.
  explicit TimelineJson(sched::Timeline::Recording recording);

  // Returns the next piece of the text, of some 64 KiB; empty when all of it has been returned. Throws std::bad_alloc.
  [[nodiscard]] std::string next_piece();

 private:
  using Event = sched::TimelineEvent;
  using Kind = Event::Kind;

  enum class Slice : std::uint8_t { parked, awake, turn, route, kernel, searching, theft };
  struct Track {
    std::uint32_t worker = 0;
    bool is_spare = false;
    Slice first = Slice::awake;  // what the worker did when the track began
    std::uint16_t first_class = 0;
    TaskId first_task = 0;
    std::int64_t began_ns = 0;
    std::uint64_t lost = 0;
    std::vector<Slice> open = {};  // the innermost last
  };
  struct Entry {
    Event event;
    std::uint16_t track = 0;
    bool begins_theft = false;  // the event is the end of a theft or a rescue, and this entry its begin
    bool begins_track = false;
    std::uint32_t number = 0;  // events of a worker at the same time keep their order
    std::uint32_t flow = 0;    // the arrow that begins or ends here; 0: none
  };

  void add_track(sched::Timeline::Track track);
  static void begin_with(Track& added, const sched::Timeline::Track& track);
  void add_entries(std::uint16_t number, std::vector<Event> events, std::int64_t began_ns);
  void find_arrows();
  void find_names();
  [[nodiscard]] Track* track_of(std::uint32_t worker) noexcept;

  void write_head();
  void write_tail();
  void write(const Entry& entry);
  void write_turn(Track& track, const Entry& entry);
  void write_theft(Track& track, const Entry& entry);
  void begin_track(Track& track);
  void begin_route(Track& track, std::int64_t at_ns, std::uint16_t work_class);
  void begin(Track& track, Slice slice, std::int64_t at_ns, std::string_view name, std::string_view arguments = {});
  void end_innermost(Track& track, std::int64_t at_ns);
  void end_through(Track& track, Slice slice, std::int64_t at_ns);
  void end_all(Track& track, std::int64_t at_ns);
  void arrow(char phase, std::string_view name, std::uint32_t worker, std::int64_t at_ns, std::uint32_t flow);
  void open_event(char phase, std::uint32_t worker, std::int64_t at_ns);
  void add_time(std::int64_t at_ns);

  const std::int64_t began_ns_;
  std::int64_t ended_ns_;
  std::vector<Track> tracks_;
  std::vector<Entry> entries_;
  std::uint32_t arrows_ = 0;
  std::unordered_map<const void*, std::string> names_;
  bool head_written_ = false;
  bool tail_written_ = false;
  std::size_t next_ = 0;  // the entry to be written next
  std::string text_;
};

}  // namespace volt
