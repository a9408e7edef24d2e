// SPDX-License-Identifier: MIT

// A worker runs turns while the watchdog asks which turn runs: the task and the class that it gets must both belong to
// the turn of the progress word that it has read. The record is the runtime's.
#pragma once

#include <optional>

#include "runtime/sched/turn_record.h"
#include "tests/model/body.h"

namespace volt::model {

class TurnRecordBody final : public Body {
 public:
  static constexpr unsigned kThreads = 2;

  void thread(unsigned index) override {
    if (index == 0) {
      work();
    } else {
      watch();
    }
  }

 private:
  using WorkClass = sched::WorkClass;

  void work() {
    record_.begin(1, WorkClass::at(1));
    record_.end();
    record_.begin(2, WorkClass::at(2));
    record_.renew();  // the task has blocked
    record_.end();
    record_.begin(3, WorkClass::at(3));
    record_.end();
  }

  void watch() {
    for (int sample = 0; sample != 2; ++sample) {
      const std::uint64_t progress = record_.progress();
      if (!sched::TurnRecord::in_turn(progress)) continue;
      const std::optional<sched::TurnRecord::Turn> turn = record_.turn(progress);
      if (!turn) continue;
      const std::uint64_t running = progress == 1 ? 1 : (progress <= 5 ? 2 : 3);
      require(turn->task == running, "the task is that of the turn");
      require(turn->work_class.index() == running, "the class is that of the turn");
    }
  }

  sched::TurnRecord record_;
};

}  // namespace volt::model
