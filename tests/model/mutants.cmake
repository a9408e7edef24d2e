# SPDX-License-Identifier: MIT
# Faulty copies of the runtime's loop and of StuckWorkers, in each of which one step is left out or changed. The explorer
# must find each of them in some body (loop_test.cpp, body_test.cpp). So the tests fail if they would not notice that
# such a step is missing.
#
# volt_mutant(HEADER CLASS NAME BEFORE AFTER) copies HEADER.h of runtime/sched with AFTER in place of BEFORE, which must
# occur exactly once, and with the class named CLASS + NAME. A change of that line must be made here, too.
set(VOLT_MUTANTS ${CMAKE_CURRENT_BINARY_DIR}/mutants)
set(mutant_includes "")

function(volt_mutant header class name before after)
  set(source ${PROJECT_SOURCE_DIR}/runtime/sched/${header}.h)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
  file(READ ${source} text)
  string(FIND "${text}" "${before}" first)
  string(FIND "${text}" "${before}" last REVERSE)
  if(first EQUAL -1 OR NOT first EQUAL last)
    message(FATAL_ERROR "tests/model/mutants.cmake: ${class}${name}: ${source} does not contain this once: ${before}")
  endif()
  string(REPLACE "${before}" "${after}" text "${text}")
  string(REPLACE "${class}" "${class}${name}" text "${text}")
  file(CONFIGURE OUTPUT ${VOLT_MUTANTS}/${class}${name}.h CONTENT "${text}" @ONLY)
  set(mutant_includes "${mutant_includes}#include \"${class}${name}.h\"\n" PARENT_SCOPE)
endfunction()

# ---- the idle protocol ----
volt_mutant(worker_loop WorkerLoop WithoutRecheck [[if (may_not_sleep(was_searching))]] [[if (false)]])
volt_mutant(worker_loop WorkerLoop RecheckBeforePark
            [[    idle.park(host().index_);
    if (may_not_sleep(was_searching))]]
            [[    const bool found = may_not_sleep(was_searching);
    idle.park(host().index_);
    if (found)]])
volt_mutant(worker_loop WorkerLoop SearcherSaysNothing
            [[(shared_work || host().limits_.worth_a_wake(host().queue_.size()))) notify_one();]]
            [[(shared_work || host().limits_.worth_a_wake(host().queue_.size()))) return;]])
volt_mutant(worker_loop WorkerLoop DutyDropped
            [[if (was_searching && !searching_) searching_ = idle.try_start_search(host().index_);]] "")
volt_mutant(worker_loop WorkerLoop SearchNotEnded [[if (searching_) end_search_with_work();]] "")
volt_mutant(worker_loop WorkerLoop StaysParked
            [[searching_ = woken_to_search_ = idle.unpark(host().index_);]] [[searching_ = woken_to_search_ = false;]])
volt_mutant(worker_loop WorkerLoop HeavyNotRechecked
            [[!shared().global().empty() || !shared().heavy().empty()) return true;]]
            [[!shared().global().empty()) return true;]])
volt_mutant(worker_loop WorkerLoop HeavyNotTold
            [[!shared().global().empty() || !shared().heavy().empty();]] [[!shared().global().empty();]])
volt_mutant(worker_loop WorkerLoop InboxNotRechecked [[if (!host().inbox_.empty() || ]] [[if (]])
volt_mutant(worker_loop WorkerLoop SleepsUnparked
            [[if (!host().before_park()) return host().poll_without_sleep();]]
            [[if (!host().before_park()) return host().sleep();]])

# ---- fairness ----
volt_mutant(worker_loop WorkerLoop WithoutGlobalInterval
            [[if (++polls_since_global_ >= polls_between_global_)]] [[if (false)]])
volt_mutant(worker_loop WorkerLoop WithoutLifoBound [[if (++lifo_polls_ <= kLifoPollsMax)]] [[if (++lifo_polls_ != 0)]])
volt_mutant(worker_loop WorkerLoop PinnedLast
            [[took_pinned_ = !took_pinned_ && !host().pinned_.empty();]] [[took_pinned_ = false;]])
volt_mutant(worker_loop WorkerLoop PinnedFirst
            [[took_pinned_ = !took_pinned_ && !host().pinned_.empty();]] [[took_pinned_ = !host().pinned_.empty();]])
volt_mutant(worker_loop WorkerLoop UrgentLast [[    if (urgent_due_) {]] [[    if (false) {]])
volt_mutant(worker_loop WorkerLoop WithoutIoTurn [[++polls_since_io_ < io_turn]] [[io_turn != 0]])
volt_mutant(worker_loop WorkerLoop HeavyNeverDue
            [[Task* due = host().heavy_is_due() ? pop_heavy() : nullptr;]] [[Task* due = nullptr;]])
volt_mutant(worker_loop WorkerLoop HeavyDueInNoTick [[if (host().heavy_is_due()) break;]] "")
volt_mutant(worker_loop WorkerLoop DueTurnNotNoted [[if (is_due) host().note_due_turn();]] "")
volt_mutant(worker_loop WorkerLoop HeavyBeforeThefts
            [[!host().is_spare_ && steal()]] [[host().is_spare_ && steal()]])
volt_mutant(worker_loop WorkerLoop BacklogNotShown
            [[shared().backlogs().add(host().index_)]] [[shared().backlogs().remove(host().index_)]])
volt_mutant(worker_loop WorkerLoop HeavyBeforeEvents
            [[if (Task* task = next_light_task()) return task;
    Task* task = !host()]]
            [[if (Task* task = pop_heavy()) return task;
    Task* task = !host()]])

# ---- queues ----
volt_mutant(worker_loop WorkerLoop DisplacedDropped
            [[if (Task* previous = host().lifo_.put(task)) push_back(*previous);]]
            [[static_cast<void>(host().lifo_.put(task));]])
volt_mutant(worker_loop WorkerLoop BatchDropped
            [[for (std::uint32_t i = 1; i != count; ++i) push_to_queue(*batch[i]);]] "")

# ---- rescue ----
volt_mutant(worker_loop WorkerLoop StuckNotRescued
            [[if (is_stuck(victim)) return rescue(victim);]] "")
volt_mutant(worker_loop WorkerLoop LifoNotRescued [[Task* task = victim.lifo_.take()]] [[Task* task = nullptr]])
volt_mutant(worker_loop WorkerLoop UrgentNotRescued [[Task* task = victim.urgent_.pop()]] [[Task* task = nullptr]])
volt_mutant(worker_loop WorkerLoop InboxNotRescued
            [[base::Chain<Task> posted = victim.inbox_.take_tasks();]] [[base::Chain<Task> posted;]])
volt_mutant(worker_loop WorkerLoop QueueNotRescued [[tasks += steal_half(victim);]] "")

volt_mutant(stuck_workers StuckWorkers LooksOnce [[if (blocks()) workers_.add(worker);]] [[static_cast<void>(blocks);]])

# ---- spares ----
volt_mutant(spare_loop SpareLoop WithoutNotify
            [[    shared().notify_one();
]] "")
volt_mutant(spare_loop SpareLoop NotifyFirst
            [[    shared().global().push(std::move(tasks));
    shared().notify_one();]]
            [[    shared().notify_one();
    shared().global().push(std::move(tasks));]])
volt_mutant(spare_loop SpareLoop HandsOverOnce
            [[        hand_tasks_over();
]]
            [[        if (left_at_ns++ == 0) hand_tasks_over();
]])
volt_mutant(spare_loop SpareLoop SendsHomeOnce
            [[send_home_at_ns = sent_all ? TimerNode::kNever : host().tick_time_ns() + kSendHomeAgainNs;]]
            [[send_home_at_ns = sent_all ? TimerNode::kNever : TimerNode::kNever;]])

file(CONFIGURE OUTPUT ${VOLT_MUTANTS}/mutants.h CONTENT "#pragma once\n${mutant_includes}" @ONLY)
