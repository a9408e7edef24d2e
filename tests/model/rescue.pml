/* All states of a rescue while the owner collects, too: runtime/io/reactor.h (rescue, take_back_wake) and
 * runtime/sched/watchdog.h. The owner ends the task in which it was stuck and goes to sleep; the kernel completes an
 * edge; another thread posts a message that only the owner can handle, and wakes the owner if it is parked; a rescuer
 * collects all completions that it finds.
 *
 * Faults, to be found:  -DNO_LOOK_UNDER_LOCK  -DWAKE_NOT_GIVEN_BACK  -DNO_RECHECK
 */
bool stuck = true;
bool parked = false;
bool lock = false;
bool wake_taken = false;
byte edges = 0;     /* edges in the ring */
bool wake = false;  /* a wake-up is in the ring */
bool message = false;
byte edges_handled = 0;
bool message_handled = false;

#define ACQUIRE atomic { !lock -> lock = true }
#define RELEASE lock = false

inline collect() {
  ACQUIRE;
  atomic { edges_handled = edges_handled + edges; edges = 0; wake = false };
  RELEASE
}

active proctype owner() {
  bool back = false;
  stuck = false;
  do
  :: edges_handled == 1 && message_handled -> break
  :: else ->
     if
     :: edges > 0 || wake -> collect()
     :: else
     fi;
     if
     :: message -> message = false; message_handled = true
     :: else
     fi;
     if
     :: edges_handled == 1 && message_handled -> break
     :: else
     fi;
     parked = true;
     if
#ifndef NO_RECHECK
     :: message -> skip
#endif
     :: else ->
#ifndef WAKE_NOT_GIVEN_BACK
        ACQUIRE;
        back = wake_taken;
        wake_taken = false;
        RELEASE;
#endif
        if
        :: back -> skip
        :: else ->
sleep:     (edges > 0 || wake || (edges_handled == 1 && message_handled))
        fi
     fi;
     parked = false;
     back = false
  od
}

active proctype kernel() {
  edges++
}

active proctype poster() {
  message = true;
  if
  :: atomic { parked -> parked = false }; wake = true
  :: else
  fi
}

active proctype rescuer() {
  if
  :: stuck ->
     ACQUIRE;
#ifndef NO_LOOK_UNDER_LOCK
     if
     :: stuck ->
#endif
        atomic {
          edges_handled = edges_handled + edges;
          edges = 0;
          wake_taken = wake_taken || wake;
          wake = false
        };
#ifndef NO_LOOK_UNDER_LOCK
     :: else
     fi;
#endif
     RELEASE
  :: else
  fi
}

ltl all_is_handled { <> (edges_handled == 1 && message_handled) }
