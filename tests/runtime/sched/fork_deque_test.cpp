// SPDX-License-Identifier: MIT

#include "runtime/sched/fork_deque.h"

#include <doctest/doctest.h>

#include <array>
#include <thread>
#include <vector>

#include "tests/support/sanitizers.h"

namespace volt::sched {
namespace {

struct Job {
  base::Atomic<int> taken{0};
};

using Deque = ForkDeque<Job, 8>;
using enum Deque::Push;

}  // namespace

TEST_SUITE_BEGIN("runtime/sched/fork_deque");

TEST_CASE("the owner takes back the youngest job, thieves take the oldest") {
  std::array<Job, 4> jobs;
  Deque deque(4);
  CHECK(deque.push(jobs[0]) == offered);
  for (std::size_t i = 1; i != jobs.size(); ++i) CHECK(deque.push(jobs[i]) == pushed);
  CHECK(deque.steal() == &jobs[0]);
  CHECK(deque.pop());
  CHECK(deque.steal() == &jobs[1]);
  CHECK(deque.steal() == &jobs[2]);
  CHECK(deque.steal() == nullptr);
  for (int i = 0; i != 3; ++i) CHECK_FALSE(deque.pop());
  CHECK_FALSE(deque.on_offer());
}

TEST_CASE("only the chosen number of jobs is on offer, and the next push replaces those that were stolen") {
  std::array<Job, 6> jobs;
  Deque deque(2);
  CHECK(deque.push(jobs[0]) == offered);
  for (std::size_t i = 1; i != 5; ++i) CHECK(deque.push(jobs[i]) == pushed);
  CHECK(deque.steal() == &jobs[0]);
  CHECK(deque.steal() == &jobs[1]);
  CHECK(deque.steal() == nullptr);
  CHECK(deque.push(jobs[5]) == offered);
  CHECK(deque.steal() == &jobs[2]);
  CHECK(deque.steal() == &jobs[3]);
  CHECK(deque.steal() == nullptr);
  CHECK(deque.pop());
  CHECK(deque.pop());
  for (int i = 0; i != 4; ++i) CHECK_FALSE(deque.pop());
}

TEST_CASE("a full deque refuses a job, and accepts one again after a job was taken at either end") {
  std::array<Job, 8> jobs;
  Job late;
  Deque deque(1);
  for (Job& job : jobs) CHECK(deque.push(job) != full);
  CHECK(deque.push(late) == full);
  CHECK(deque.steal() == &jobs[0]);
  CHECK(deque.push(late) != full);
  CHECK(deque.push(late) == full);
  CHECK(deque.pop());
  CHECK(deque.push(late) != full);
  for (std::size_t i = 1; i != 9; ++i) CHECK(deque.pop());
  CHECK_FALSE(deque.pop());
  CHECK(deque.steal() == nullptr);
}

TEST_CASE("positions continue correctly after the ring has been filled and emptied often") {
  std::array<Job, 3> jobs;
  Deque deque(2);
  for (int round = 0; round != 100; ++round) {
    CHECK(deque.push(jobs[0]) == offered);
    CHECK(deque.push(jobs[1]) == pushed);
    CHECK(deque.push(jobs[2]) == pushed);
    CHECK(deque.steal() == &jobs[0]);
    CHECK(deque.pop());
    CHECK(deque.pop());
    CHECK_FALSE(deque.pop());
  }
}

TEST_CASE("with concurrent thieves every job is taken exactly once") {
  constexpr std::size_t kNested = 6;
  constexpr int kThieves = 3;
  Deque deque(2);
  base::Atomic<bool> stop{false};
  std::vector<std::thread> thieves;
  for (int i = 0; i != kThieves; ++i) {
    thieves.emplace_back([&] {
      while (!stop.load(base::relaxed)) {  // a flag
        if (Job* job = deque.steal()) job->taken.fetch_add(1, base::release);
      }
    });
  }
  std::uint64_t stolen = 0;
  for (test::TimedRounds rounds(test::stress_rounds(40'000)); rounds.next();) {
    const std::uint64_t round = rounds.begun() - 1;
    std::array<Job, kNested> jobs;  // destroyed when all jobs have been taken, as a forker's frame is
    const std::size_t count = 1 + round % kNested;
    for (std::size_t i = 0; i != count; ++i) REQUIRE(deque.push(jobs[i]) != full);
    if (round % 16 == 0) std::this_thread::yield();
    for (std::size_t i = count; i-- != 0;) {
      if (deque.pop()) {
        jobs[i].taken.fetch_add(1, base::relaxed);  // relaxed: its own
      } else {
        ++stolen;
        while (jobs[i].taken.load(base::acquire) == 0) std::this_thread::yield();
      }
      REQUIRE(jobs[i].taken.load(base::relaxed) == 1);
    }
  }
  stop.store(true, base::relaxed);  // relaxed: a flag
  for (auto& thief : thieves) thief.join();
  MESSAGE(stolen << " stolen");
}

TEST_SUITE_END();

}  // namespace volt::sched
