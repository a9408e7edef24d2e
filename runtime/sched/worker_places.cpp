// SPDX-License-Identifier: MIT

#include "runtime/sched/worker_places.h"

#include <sched.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <utility>

namespace volt::sched {
namespace {

constexpr WorkerPlaces::Place kUnknown = 0;

// Returns the processors that share the last-level cache of the one with this folder, "0-7,64-71". Empty if the system
// does not tell.
std::string shared_by(const std::string& processor) {
  int last_level = 0;
  std::string processors;
  for (int index = 0;; ++index) {
    const std::string cache = processor + "/cache/index" + std::to_string(index);
    int level = 0;
    if (!(std::ifstream(cache + "/level") >> level)) return processors;
    std::string shared;
    if (level <= last_level || !(std::ifstream(cache + "/shared_cpu_list") >> shared)) continue;
    last_level = level;
    processors = shared;
  }
}

// Sets the place of the processors in a list such as "0-7,64-71". Those beyond the end of `places` are left out.
void set_place(std::vector<WorkerPlaces::Place>& places, const std::string& processors, WorkerPlaces::Place place) {
  const char* at = processors.c_str();
  while (*at >= '0' && *at <= '9') {
    char* end = nullptr;
    const unsigned long first = std::strtoul(at, &end, 10);
    const unsigned long last = *end == '-' ? std::strtoul(end + 1, &end, 10) : first;
    for (unsigned long i = first; i <= last && i < places.size(); ++i) places[i] = place;
    at = *end == ',' ? end + 1 : end;
  }
}

// Empty if there are more than a cpu_set_t holds.
std::vector<std::uint32_t> allowed_processors() {
  std::vector<std::uint32_t> processors;
  cpu_set_t allowed;
  if (::sched_getaffinity(0, sizeof allowed, &allowed) != 0) return processors;
  for (std::uint32_t i = 0; i != CPU_SETSIZE; ++i) {
    if (CPU_ISSET(i, &allowed)) processors.push_back(i);
  }
  return processors;
}

}  // namespace

WorkerPlaces::WorkerPlaces(std::uint32_t workers)
    : WorkerPlaces(workers, allowed_processors(), "/sys/devices/system/cpu") {}

WorkerPlaces::WorkerPlaces(std::uint32_t workers, const std::vector<std::uint32_t>& processors,
                           const std::string& folder)
    : lines_(std::make_unique<Line[]>(workers / std::size(Line().places) + 1)) {
  if (workers < 2 || processors.empty()) return;
  std::vector<Place> places(std::ranges::max(processors) + 1, kUnknown);
  Place count = 0;
  for (const std::uint32_t processor : processors) {
    if (places[processor] != kUnknown) continue;
    const std::string shared = shared_by(folder + "/cpu" + std::to_string(processor));
    if (shared.empty() || ++count > processors.size() / 2) return;
    set_place(places, shared, count);
  }
  if (count > 1) place_of_processor_ = std::move(places);
}

void WorkerPlaces::note(std::uint32_t worker, int processor) noexcept {
  const auto index = static_cast<std::size_t>(processor);  // negative, which is unknown, becomes too great
  const Place here = index < place_of_processor_.size() ? place_of_processor_[index] : kUnknown;
  if (here != of(worker)) place(worker).store(here, base::relaxed);  // relaxed: a hint
}

void WorkerPlaces::note(std::uint32_t worker) noexcept {
  if (several()) note(worker, ::sched_getcpu());
}

}  // namespace volt::sched
