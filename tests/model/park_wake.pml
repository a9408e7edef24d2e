/* All states of the idle protocol: runtime/sched/idle_state.h and its use by Worker (worker.cpp: park,
 * end_search_with_work). Two producers push one job each to the global queue; two workers search, park and wake. All
 * operations are atomic and visible at once: this model checks the protocol, and tests/model/bodies/idle_body.h checks
 * its memory orderings.
 *
 * Each job lasts until the other has begun, so neither may be left in the queue while a worker sleeps.
 *
 * Faults, to be found:  -DNO_RECHECK  -DRECHECK_FIRST  -DSILENT_SEARCHER  -DDUTY_DROPPED
 */
#define WORKERS 2

byte queued = 0;        /* jobs in the global queue */
bool parked[WORKERS];
bool searching[WORKERS];
bool signalled[WORKERS];  /* set by the kernel: a wake-up that no sleep has consumed */
byte pushed = 0;
byte begun = 0;
byte ended = 0;

#define any_searcher (searching[0] || searching[1])

/* claim_one: the check and the claim are two steps, because the exchange may fail */
inline notify_one() {
  if
  :: any_searcher -> skip
  :: else ->
     if
     :: atomic { !any_searcher && parked[0] -> parked[0] = false; searching[0] = true }; signalled[0] = true
     :: atomic { !any_searcher && !parked[0] && parked[1] -> parked[1] = false; searching[1] = true };
        signalled[1] = true
     :: any_searcher || (!parked[0] && !parked[1]) -> skip
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
           :: !any_searcher && queued > 0 -> notify_one()
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
