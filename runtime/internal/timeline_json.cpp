// SPDX-License-Identifier: MIT

#include "runtime/internal/timeline_json.h"

#include <errno.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <utility>

#include "runtime/base/function_name.h"
#include "runtime/internal/short_function_name.h"
#include "runtime/sched/work_class.h"

namespace volt {
namespace {

constexpr std::size_t kPieceBytes = 64 * 1024;

// Appends a JSON string. Bytes that are not ASCII, which no name of a function has, become question marks.
void append_quoted(std::string& text, std::string_view value) {
  text += '"';
  for (const char c : value) {
    if (c == '"' || c == '\\') text += '\\';
    text += c >= ' ' && c < '\x7f' ? c : '?';
  }
  text += '"';
}

std::string number_argument(std::string_view name, std::uint64_t value) {
  return "\"" + std::string(name) + "\":" + std::to_string(value);
}

}  // namespace

TimelineJson::TimelineJson(sched::Timeline::Recording recording)
    : began_ns_(recording.began_ns), ended_ns_(recording.ended_ns) {
  for (auto& track : recording.tracks) {
    const bool unused = track.is_spare && track.events.empty() && !track.turn;
    if (!unused) add_track(std::move(track));
  }
  for (std::size_t i = 0; i != entries_.size(); ++i) entries_[i].number = static_cast<std::uint32_t>(i);
  std::ranges::sort(entries_, {}, [](const Entry& entry) { return std::pair(entry.event.time_ns, entry.number); });
  if (!entries_.empty()) ended_ns_ = std::max(ended_ns_, entries_.back().event.time_ns);
  find_arrows();
  find_names();
}

// ---- the recording ----

void TimelineJson::add_track(sched::Timeline::Track track) {
  Track added{.worker = track.worker, .is_spare = track.is_spare, .began_ns = began_ns_, .lost = track.lost};
  if (track.lost != 0 && !track.events.empty()) added.began_ns = track.events.front().time_ns;
  begin_with(added, track);
  const std::int64_t began_ns = added.began_ns;
  tracks_.push_back(std::move(added));
  add_entries(static_cast<std::uint16_t>(tracks_.size() - 1), std::move(track.events), began_ns);
}

// Finds out what the worker did when the track began: the first event that ends or continues something shows it, or the
// worker's state at the end if there was no such event.
void TimelineJson::begin_with(Track& added, const sched::Timeline::Track& track) {
  const auto first = std::ranges::find_if(track.events, [](const Event& event) { return event.kind <= Kind::search; });
  const auto end = std::ranges::find(track.events, Kind::turn_end, &Event::kind);
  if (first == track.events.end() ? track.turn.has_value() : first->kind <= Kind::work) {
    added.first = Slice::turn;
    if (end != track.events.end()) {
      added.first_task = end->task;
      if (first == end) added.first_class = end->about;
    } else if (track.turn) {
      added.first_task = track.turn->task;
      if (first == track.events.end()) added.first_class = track.turn->work_class.index();
    }
  } else if (first == track.events.end() ? track.is_parked : first->kind == Kind::park_end) {
    added.first = Slice::parked;
  }
}

// A theft is recorded when it has ended, and becomes two entries.
void TimelineJson::add_entries(std::uint16_t number, std::vector<Event> events, std::int64_t began_ns) {
  Entry start{.event = {.time_ns = began_ns}, .track = number};
  start.begins_track = true;
  entries_.push_back(start);
  for (const Event& event : events) {
    Entry entry{.event = event, .track = number};
    if (event.kind == Kind::theft_end || event.kind == Kind::rescue_end) {
      Entry begin = entry;
      begin.begins_theft = true;
      begin.event.time_ns = std::clamp(event.since_ns, began_ns, event.time_ns);
      entries_.push_back(begin);
    }
    entries_.push_back(entry);
  }
}

// Numbers the arrows that have two ends: a wake and the turn, or the end of sleep, that it caused.
void TimelineJson::find_arrows() {
  std::unordered_map<std::uint32_t, Entry*> woken_tasks;
  std::unordered_map<std::uint32_t, Entry*> woken_workers;
  const auto has_begun = [this](const Event& event) {
    const Track* const victim = track_of(event.about);
    return victim != nullptr && victim->began_ns <= event.time_ns;
  };
  const auto end_at = [this](auto& woken, std::uint32_t key, Entry& entry) {
    const auto found = woken.find(key);
    if (found == woken.end()) return;
    found->second->flow = entry.flow = ++arrows_;
    woken.erase(found);
  };
  for (Entry& entry : entries_) {
    if (entry.begins_track) continue;
    const Event& event = entry.event;
    switch (event.kind) {
      case Kind::woke_task:
        woken_tasks[event.number] = &entry;
        break;
      case Kind::woke_worker:
        woken_workers[event.about] = &entry;
        break;
      case Kind::turn_begin:
        end_at(woken_tasks, event.number, entry);
        break;
      case Kind::park_end:
        end_at(woken_workers, tracks_[entry.track].worker, entry);
        break;
      case Kind::theft_end:
      case Kind::rescue_end:
        if (entry.begins_theft && has_begun(event)) entry.flow = ++arrows_;
        break;
      case Kind::fork:
      case Kind::moved_stream:
        if (has_begun(event)) entry.flow = ++arrows_;
        break;
      case Kind::turn_end:
      case Kind::work:
      case Kind::park_begin:
      case Kind::poll_begin:
      case Kind::poll_end:
      case Kind::search:
        break;
    }
  }
}

void TimelineJson::find_names() {
  for (const Entry& entry : entries_) {
    if (entry.event.code != nullptr) names_.try_emplace(entry.event.code);
  }
  for (auto& [code, name] : names_) name = short_function_name(base::function_name(code));
}

TimelineJson::Track* TimelineJson::track_of(std::uint32_t worker) noexcept {
  const auto found = std::ranges::find(tracks_, worker, &Track::worker);
  return found != tracks_.end() ? &*found : nullptr;
}

// ---- the text ----

std::string TimelineJson::next_piece() {
  text_.clear();
  if (!head_written_) write_head();
  while (next_ != entries_.size() && text_.size() < kPieceBytes) write(entries_[next_++]);
  if (next_ == entries_.size() && !tail_written_) write_tail();
  return text_;
}

void TimelineJson::write_head() {
  head_written_ = true;
  text_ += R"({"displayTimeUnit":"ns","traceEvents":[)"
           "\n"
           R"({"ph":"M","pid":1,"tid":0,"name":"process_name","args":{"name":)";
  append_quoted(text_, std::string(::program_invocation_short_name) + " (" + std::to_string(::getpid()) + ")");
  text_ += "}}";
  for (const Track& track : tracks_) {
    const std::string tid = std::to_string(track.worker);
    const std::string name = (track.is_spare ? "spare worker " : "worker ") + tid;
    text_ += ",\n{\"ph\":\"M\",\"pid\":1,\"tid\":" + tid + R"(,"name":"thread_name","args":{"name":")" + name + "\"}}";
    text_ += ",\n{\"ph\":\"M\",\"pid\":1,\"tid\":" + tid + R"(,"name":"thread_sort_index","args":{"sort_index":)" +
             tid + "}}";
  }
}

// `lost` is the number of events that newer ones have overwritten, of all workers together.
void TimelineJson::write_tail() {
  tail_written_ = true;
  std::uint64_t lost = 0;
  for (Track& track : tracks_) {
    lost += track.lost;
    end_all(track, ended_ns_);
  }
  const double seconds = std::chrono::duration<double>(std::chrono::nanoseconds(ended_ns_ - began_ns_)).count();
  text_ += "\n],\"otherData\":{" + number_argument("lost", lost) + ",\"seconds\":" + std::to_string(seconds) + "}}\n";
}

void TimelineJson::write(const Entry& entry) {
  Track& track = tracks_[entry.track];
  const Event& event = entry.event;
  const std::int64_t at_ns = event.time_ns;
  if (entry.begins_track) return begin_track(track);
  switch (event.kind) {
    case Kind::turn_begin:
    case Kind::turn_end:
      return write_turn(track, entry);
    case Kind::work:
      if (track.open.back() == Slice::route) end_innermost(track, at_ns);
      if (track.open.back() == Slice::turn) begin_route(track, at_ns, event.about);
      return;
    case Kind::park_begin:
      end_all(track, at_ns);
      return begin(track, Slice::parked, at_ns, "parked");
    case Kind::park_end:
      end_all(track, at_ns);
      begin(track, Slice::awake, at_ns, "awake");
      if (entry.flow != 0) arrow('f', "wake", track.worker, at_ns, entry.flow);
      return;
    case Kind::poll_begin:
      return begin(track, Slice::kernel, at_ns, "kernel");
    case Kind::poll_end:
      return end_through(track, Slice::kernel, at_ns);
    case Kind::search:
      if (track.open.back() == Slice::awake) begin(track, Slice::searching, at_ns, "searching");
      return;
    case Kind::theft_end:
    case Kind::rescue_end:
    case Kind::fork:
    case Kind::moved_stream:
      return write_theft(track, entry);
    case Kind::woke_task:
    case Kind::woke_worker:
      if (entry.flow != 0) arrow('s', "wake", track.worker, at_ns, entry.flow);
      return;
  }
}

void TimelineJson::write_turn(Track& track, const Entry& entry) {
  const Event& event = entry.event;
  if (event.kind == Kind::turn_end) return end_through(track, Slice::turn, event.time_ns);
  end_through(track, Slice::turn, event.time_ns);  // only if its end is missing
  end_through(track, Slice::searching, event.time_ns);
  const std::string& name = names_[event.code];
  const std::string task = std::to_string(event.task);
  begin(track, Slice::turn, event.time_ns, name.empty() ? "task " + task : name, "\"task\":" + task);
  if (entry.flow != 0) arrow('f', "wake", track.worker, event.time_ns, entry.flow);
  begin_route(track, event.time_ns, event.about);
}

void TimelineJson::write_theft(Track& track, const Entry& entry) {
  const Event& event = entry.event;
  const std::int64_t at_ns = event.time_ns;
  const bool is_theft = event.kind == Kind::theft_end || event.kind == Kind::rescue_end;
  if (is_theft && !entry.begins_theft) return end_through(track, Slice::theft, at_ns);
  const std::string_view name = event.kind == Kind::theft_end    ? "steal"
                                : event.kind == Kind::rescue_end ? "rescue"
                                : event.kind == Kind::fork       ? "steal fork"
                                                                 : "move stream";
  const std::string from = number_argument("from_worker", event.about);
  if (is_theft) {
    begin(track, Slice::theft, at_ns, name, from + "," + number_argument("tasks", event.number));
  } else {
    open_event('i', track.worker, at_ns);
    text_.append(R"(,"s":"t","name":")").append(name).append("\",\"args\":{").append(from).append("}}");
  }
  if (entry.flow == 0) return;
  arrow('s', name, event.about, at_ns, entry.flow);
  arrow('f', name, track.worker, at_ns, entry.flow);
}

// A slice of which only the end was recorded begins where its track begins.
void TimelineJson::begin_track(Track& track) {
  if (track.lost != 0) {
    open_event('i', track.worker, track.began_ns);
    text_ += R"(,"s":"t","name":"earlier events are lost","args":{)" + number_argument("lost", track.lost) + "}}";
  }
  if (track.first == Slice::parked) return begin(track, Slice::parked, track.began_ns, "parked");
  begin(track, Slice::awake, track.began_ns, "awake");
  if (track.first != Slice::turn) return;
  const std::string task = std::to_string(track.first_task);
  begin(track, Slice::turn, track.began_ns, track.first_task == 0 ? "task" : "task " + task,
        track.first_task == 0 ? "" : "\"task\":" + task);
  begin_route(track, track.began_ns, track.first_class);
}

void TimelineJson::begin_route(Track& track, std::int64_t at_ns, std::uint16_t work_class) {
  const std::string_view name = sched::WorkClass::at(work_class).name();
  if (!name.empty()) begin(track, Slice::route, at_ns, name);
}

void TimelineJson::begin(Track& track, Slice slice, std::int64_t at_ns, std::string_view name,
                         std::string_view arguments) {
  static constexpr std::array<std::string_view, 7> kCategories = {"worker", "worker", "task",  "route",
                                                                  "worker", "worker", "worker"};
  track.open.push_back(slice);
  open_event('B', track.worker, at_ns);
  text_.append(",\"cat\":\"").append(kCategories[static_cast<std::size_t>(slice)]).append("\",\"name\":");
  append_quoted(text_, name);
  if (!arguments.empty()) text_.append(",\"args\":{").append(arguments).append("}");
  text_ += '}';
}

void TimelineJson::end_innermost(Track& track, std::int64_t at_ns) {
  track.open.pop_back();
  open_event('E', track.worker, at_ns);
  text_ += '}';
}

// Ends the innermost slice of this kind and all inside it. Does nothing if there is none.
void TimelineJson::end_through(Track& track, Slice slice, std::int64_t at_ns) {
  const auto last = std::ranges::find(track.open.rbegin(), track.open.rend(), slice);
  if (last == track.open.rend()) return;
  for (auto left = last - track.open.rbegin() + 1; left != 0; --left) end_innermost(track, at_ns);
}

void TimelineJson::end_all(Track& track, std::int64_t at_ns) {
  while (!track.open.empty()) end_innermost(track, at_ns);
}

void TimelineJson::arrow(char phase, std::string_view name, std::uint32_t worker, std::int64_t at_ns,
                         std::uint32_t flow) {
  open_event(phase, worker, at_ns);
  if (phase == 'f') text_ += R"(,"bp":"e")";
  text_.append(",\"cat\":\"flow\",\"name\":\"").append(name).append("\",\"id\":").append(std::to_string(flow));
  text_ += '}';
}

void TimelineJson::open_event(char phase, std::uint32_t worker, std::int64_t at_ns) {
  text_ += ",\n{\"ph\":\"";
  text_ += phase;
  text_.append("\",\"pid\":1,\"tid\":").append(std::to_string(worker)).append(",\"ts\":");
  add_time(at_ns);
}

// Adds microseconds with three decimals, from the begin of the recording on.
void TimelineJson::add_time(std::int64_t at_ns) {
  const std::int64_t ns = std::max<std::int64_t>(0, at_ns - began_ns_);
  std::array<char, 32> buffer;
  const int size = std::snprintf(buffer.data(), buffer.size(), "%lld.%03d", static_cast<long long>(ns / 1000),
                                 static_cast<int>(ns % 1000));
  text_.append(buffer.data(), static_cast<std::size_t>(size));
}

}  // namespace volt
