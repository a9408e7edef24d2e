/* The idle protocol, all states: runtime/sched/idle_state.h and Worker's way of using it (worker.cpp: park,
 * end_search_with_work). Two producers push a job each to the global queue, two workers search, park and wake. Operations
 * are atomic and seen at once: this checks the protocol, tests/model/bodies/idle_body.h its memory orderings.
 *
 * Each job runs until the other has begun, so neither may be left in the queue while a worker sleeps.
 *
 * Faults, to be found:  -DNO_RECHECK  -DRECHECK_FIRST  -DSILENT_SEARCHER  -DDUTY_DROPPED
 */
#define WORKERS 2

byte queued = 0;        /* in the global queue */
bool parked[WORKERS];
bool searching[WORKERS];
bool signalled[WORKERS];  /* the kernel's: a wake-up that has not been slept for */
byte pushed = 0;
byte begun = 0;
byte ended = 0;

#define anybody_searches (searching[0] || searching[1])

/* claim_one: the look and the claim are two steps, as the exchange may fail */
inline notify_one() {
  if
  :: anybody_searches -> skip
  :: else ->
     if
     :: atomic { !anybody_searches && parked[0] -> parked[0] = false; searching[0] = true }; signalled[0] = true
     :: atomic { !anybody_searches && !parked[0] && parked[1] -> parked[1] = false; searching[1] = true };
        signalled[1] = true
     :: anybody_searches || (!parked[0] && !parked[1]) -> skip
     fi
  fi
}

proctype producer() {
  atomic { queued++; pushed++ };
  notify_one()
}

proctype worker(byte me) {
  bool found = false;
  bool was_searching = false;
  do
  :: ended == 2 -> break
  :: else ->
     if
     :: atomic { queued > 0 -> queued-- };
        if
        :: searching[me] ->
           searching[me] = false;
#ifndef SILENT_SEARCHER
           if
           :: !anybody_searches && queued > 0 -> notify_one()
           :: else
           fi
#endif
        :: else
        fi;
        begun++;
meet:   begun == 2;
        ended++
     :: else ->
        if
        :: !searching[me] && !searching[1 - me] -> searching[me] = true
        :: else
        fi;
        if
        :: queued > 0 -> skip
        :: else ->
           was_searching = searching[me];
#ifdef RECHECK_FIRST
           found = (queued > 0 || ended == 2);
#endif
           atomic { searching[me] = false; parked[me] = true };
#if !defined(RECHECK_FIRST) && !defined(NO_RECHECK)
           found = (queued > 0 || ended == 2);
#endif
           if
           :: found -> skip
           :: else ->
sleep:        atomic { signalled[me] || ended == 2 -> signalled[me] = false }
           fi;
           parked[me] = false;
#ifndef DUTY_DROPPED
           if
           :: found && was_searching && !searching[1 - me] -> searching[me] = true
           :: else
           fi;
#endif
           found = false
        fi
     fi
  od
}

init {
  atomic { run worker(0); run worker(1); run producer(); run producer() }
}

ltl jobs_are_run { [] (pushed == 2 -> <> (ended == 2)) }
