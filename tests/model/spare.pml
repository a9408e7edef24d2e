/* All states of the spare workers: runtime/sched/spare_workers.h, with SpareLoop (spare_loop.h), Watchdog::sample and
 * Scheduler::stop. Two workers, a watchdog and a spare run the task of a stream, which answers requests; tasks that are
 * blocked until all requests are answered; and a task that ends by itself. So all workers may be stuck while a request
 * arrives. The stream moves to the thread that runs its task if its home is stuck or leaves. In the end the task closes
 * the stream, and the scheduler stops. The spare is new, or serves since earlier.
 *
 * The steps of a thread that tests/model/bodies/ checks one by one (a hand-over, a wake-up after a message) are one
 * step here. A verdict "stuck" may also be given about a task that ends soon, and the watchdog may fall asleep between
 * any two tasks. The search for work is in park_wake.pml.
 *
 * Faults, to be found:  -DKEEPS_TASKS  -DSILENT_HAND_OVER  -DENDS_WITH_STREAM  -DENDS_UNCHECKED
 * Faults, to be found:  -DSLEEPS_WHEN_NONE_SERVES  -DNEVER_ACTIVATES  -DNO_WAKE_AT_STOP  -DNO_WAKE_FOR_RESCUE
 */
#define REQUESTS 1
#define BLOCKED 2
#define WORKERS 2
#define SPARE 2 /* its index: the one after those of the workers */
#define THREADS 3

mtype:duty = { ended, serving, leaving, left };

/* The stream. Its task waits (`waits`), or is in the global queue, or in the queue of a thread, or runs, or has ended. */
byte home = 0;
bool moving = false;    /* the old home has not ended its poll yet */
bool waits = true;
bool edge = false;      /* an edge that found no waiting task */
bool data = false;      /* a request that was not read yet */
bool closed = false;
byte answered = 0;

byte live = BLOCKED + 2;
byte blocked = BLOCKED;      /* blocked tasks in the global queue */
bool brief = true;           /* the task that ends by itself is in the global queue */
bool queued = false;         /* the stream's task is in the global queue */
bool queue[THREADS];         /* the stream's task is in the queue of that thread */
byte queue_blocked[THREADS]; /* blocked tasks in its queue */
bool events[THREADS];        /* its reactor has an event of the stream */
bool leave[THREADS];         /* its inbox: end the poll of a stream that has moved */
bool close[THREADS];         /* its inbox: end the poll of a stream that is closed */
byte home_of[THREADS];       /* number of polls */
bool in_task[THREADS];
bool stuck[THREADS];         /* the verdict about the present task */
bool wake[THREADS];          /* a wake-up that no sleep has consumed */
bool parked[WORKERS];
bool gone[THREADS];          /* it has no thread */

mtype:duty duty = ended;
bool serves = false;         /* as the watchdog sees it */
bool asleep = false;
bool watchdog_stops = false;
bool watchdog_gone = false;
bool stopping = false;
bool finished = false;

#define all_answered (answered == REQUESTS)
#define global_empty (!queued && !brief && blocked == 0)
#define inbox_empty(i) (!leave[i] && !close[i])
#define drained(i) (inbox_empty(i) && home_of[i] == 0)
#define needs_rescue(i) (events[i] || queue[i] || queue_blocked[i] > 0)
#define is_leaving(i) (i == SPARE && duty != serving)
#define can_rescue(i) (stuck[i] && needs_rescue(i))
#define any_to_rescue (can_rescue(0) || can_rescue(1) || can_rescue(2))

/* Part of an atomic step. */
inline notify_one() {
  if
  :: parked[0] -> parked[0] = false; wake[0] = true
  :: !parked[0] && parked[1] -> parked[1] = false; wake[1] = true
  :: else -> skip
  fi
}

/* Source::report, by a thread that has taken the event out of a reactor. Part of an atomic step. */
inline report(me) {
  if
  :: closed -> skip
  :: !closed && waits -> waits = false; queue[me] = true
  :: else -> edge = true
  fi
}

/* Part of an atomic step. */
inline collect(me) {
  if
  :: leave[me] -> leave[me] = false; home_of[me]--; moving = false
  :: else -> skip
  fi;
  if
  :: close[me] -> close[me] = false; home_of[me]--
  :: else -> skip
  fi;
  if
  :: events[me] -> events[me] = false; report(me)
  :: else -> skip
  fi
}

/* Worker::begin_run. Part of an atomic step. */
inline begin(me) {
  in_task[me] = true
}

/* Worker::begin_work: a worker that has taken a task wakes another one if it leaves tasks in the global queue, and wakes
 * the watchdog. A spare that serves may run further tasks without having slept, and then wakes nothing. */
inline begin_work(me) {
  asleep = false;
  begin(me);
  if
  :: !global_empty -> notify_one()
  :: else -> skip
  fi
}
#define end(me) in_task[me] = false; stuck[me] = false

/* The stream's task, which `me` has begun. It moves the stream before it waits again. */
inline run_stream(me) {
  do
  :: atomic { data -> data = false; answered++ }
  :: atomic { !data && all_answered ->
       assert(!waits && !closed);
       closed = true;
       if
       :: home == me -> home_of[me]--
       :: else -> close[home] = true; wake[home] = true
       fi;
       live--; end(me); break }
  :: atomic { !data && !all_answered ->
       if
       :: home != me && !moving && (stuck[home] || is_leaving(home)) ->
          moving = true; leave[home] = true; wake[home] = true;
          home = me; home_of[me]++; events[me] = true
       :: else -> skip
       fi;
       assert(!waits);
       if
       :: edge -> edge = false
       :: else -> waits = true; end(me); break
       fi }
  od
}

inline run_blocked(me) {
  atomic { all_answered -> live--; end(me) }
}

inline run_brief(me) {
  atomic { live--; end(me) }
}

/* WorkerLoop::rescue: takes what it finds at one stuck thread. Part of an atomic step. */
inline rescue_from(me, victim) {
  if
  :: events[victim] -> events[victim] = false; report(me)
  :: else -> skip
  fi;
  if
  :: queue[victim] -> queue[victim] = false; queue[me] = true
  :: else -> skip
  fi;
  queue_blocked[me] = queue_blocked[me] + queue_blocked[victim];
  queue_blocked[victim] = 0
}

inline rescue(me) {
  if
  :: can_rescue(0) -> rescue_from(me, 0)
  :: can_rescue(1) -> rescue_from(me, 1)
  :: can_rescue(2) -> rescue_from(me, 2)
  fi
}

proctype worker(byte me) {
  do
  :: atomic {
       collect(me);
       if
       :: queue[me] -> queue[me] = false; begin_work(me); goto stream
       :: queue_blocked[me] > 0 -> queue_blocked[me]--; begin_work(me); goto blocking
       :: queued -> queued = false; begin_work(me); goto stream
       :: brief -> brief = false; begin_work(me); goto computing
       :: blocked > 0 -> blocked--; begin_work(me); goto blocking
       :: any_to_rescue -> rescue(me); goto next
       :: else -> skip
       fi;
       if
       :: stopping && drained(me) -> gone[me] = true; break
       :: else -> parked[me] = true
       fi
     };
     if
     :: atomic { !inbox_empty(me) || !global_empty || stopping -> parked[me] = false }
     :: else ->
sleep:  atomic { wake[me] || events[me] -> wake[me] = false; parked[me] = false }
     fi;
     goto next;
stream:
     run_stream(me);
     goto next;
blocking:
     run_blocked(me);
     goto next;
computing:
     run_brief(me);
next: skip
  od
}

#ifdef ENDS_WITH_STREAM
#define may_end (!stopping)
#else
#define may_end (!stopping && home_of[SPARE] == 0)
#endif

/* SpareLoop::run_until_service_ends, each time that the spare is given a thread. It looks at its duty between two ticks only; a tick
 * ends after any task, and takes all blocked tasks of the global queue at once, as a batch. */
proctype spare() {
  bool served = false;
  do
  :: finished -> break
  :: !gone[SPARE] ->
turn:
     atomic {
       collect(SPARE);
       if
       :: duty != serving -> goto told_to_leave
       :: duty == serving -> served = true
       fi
     };
tick:
     atomic {
       if
       :: queue[SPARE] -> queue[SPARE] = false; begin(SPARE); goto stream
       :: queue_blocked[SPARE] > 0 -> queue_blocked[SPARE]--; begin(SPARE); goto blocking
       :: queued -> queued = false; begin(SPARE); goto stream
       :: brief -> brief = false; begin(SPARE); goto computing
       :: blocked > 0 -> queue_blocked[SPARE] = queue_blocked[SPARE] + blocked; blocked = 0; goto tick
       :: else -> skip
       fi;
       if
       :: any_to_rescue -> rescue(SPARE); goto turn
       :: else -> goto park
       fi
     };
stream:
     run_stream(SPARE);
     goto ran;
blocking:
     run_blocked(SPARE);
     goto ran;
computing:
     run_brief(SPARE);
ran:
     if
     :: goto tick
     :: goto turn
     fi;
told_to_leave:
     atomic {
       if
       :: served && home == SPARE && waits -> waits = false; queue[SPARE] = true
       :: else -> skip
       fi;
       served = false;
#ifndef KEEPS_TASKS
       if
       :: queue[SPARE] || queue_blocked[SPARE] > 0 ->
          queued = queued || queue[SPARE];
          queue[SPARE] = false;
          blocked = blocked + queue_blocked[SPARE];
          queue_blocked[SPARE] = 0;
#ifndef SILENT_HAND_OVER
          notify_one()
#endif
       :: else -> skip
       fi
#endif
     };
     atomic { if :: duty == leaving -> duty = left :: else -> skip fi };
     if
#ifdef ENDS_UNCHECKED
     :: may_end -> duty = ended; goto end_of_thread
#else
     :: atomic { may_end && duty == left -> duty = ended; goto end_of_thread }
#endif
     :: skip  /* its time is not up yet, or it serves again */
     fi;
park:
     if
     :: stopping && drained(SPARE) -> goto end_of_thread
     :: else -> skip
     fi;
sleep:
     atomic { wake[SPARE] || events[SPARE] -> wake[SPARE] = false; goto turn };
end_of_thread:
     atomic { served = false; gone[SPARE] = true }
  od
}

#ifdef SLEEPS_WHEN_NONE_SERVES
#define at_rest (!serves)
#else
#define at_rest (duty == ended || duty == left)
#endif

#define all_stuck (stuck[0] && stuck[1])

/* The spare is told to leave at the first sample at which not all workers are stuck. */
proctype watchdog() {
  do
  :: atomic { watchdog_stops -> watchdog_gone = true; break }
  :: atomic { !watchdog_stops ->
       stuck[0] = in_task[0];
       stuck[1] = in_task[1];
       stuck[2] = in_task[2];
#ifndef NO_WAKE_FOR_RESCUE
       if
       :: any_to_rescue -> notify_one()
       :: else -> skip
       fi;
#endif
       if
       :: serves && !all_stuck -> serves = false; duty = leaving; wake[SPARE] = true
#ifndef NEVER_ACTIVATES
       :: all_stuck && (any_to_rescue || !global_empty) ->
          if
          :: !serves && duty == ended -> serves = true; duty = serving; goto start
          :: else -> serves = true; duty = serving; wake[SPARE] = true
          fi
#endif
       :: else -> skip
       fi
     };
     goto rest;
start:
     atomic { gone[SPARE] -> gone[SPARE] = false }; /* joins the thread that has ended, and starts another */
rest:
     if
     :: atomic { !in_task[0] && !in_task[1] && !in_task[2] && at_rest -> asleep = true };
        if
        :: parked[0] && parked[1] -> (!asleep || watchdog_stops)
        :: else -> skip
        fi;
        asleep = false
     :: else -> skip
     fi
  od
}

proctype client() {
  byte request = 0;
  do
  :: request == REQUESTS -> break
  :: atomic { request < REQUESTS && answered == request -> data = true; events[home] = true; request++ }
  od
}

proctype stopper() {
  atomic { live == 0 -> watchdog_stops = true };
  atomic { watchdog_gone -> stopping = true; wake[0] = true; wake[1] = true };
  gone[0] && gone[1];
#ifndef NO_WAKE_AT_STOP
  wake[SPARE] = true;
#endif
  atomic {
    gone[SPARE];
    assert(global_empty && !waits && closed);
    assert(home_of[0] == 0 && home_of[1] == 0 && home_of[SPARE] == 0);
    assert(!queue[0] && !queue[1] && !queue[SPARE]);
    finished = true
  }
}

init {
  atomic {
    if
    :: gone[SPARE] = true
    :: home = SPARE; duty = serving; serves = true /* from an earlier activation */
    fi;
    home_of[home] = 1;
    run worker(0);
    run worker(1);
    run spare();
    run watchdog();
    run client();
    run stopper()
  }
}

ltl all_is_done { <> finished }
