// go_rows: the rows of loadtest/micro/scheduler_rows.cpp in the same shapes, on goroutines and channels.
//
//	go_rows [--workers N] [--only ROW]      prints "name<tab>value" a line, medians of the rounds
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"sort"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

const (
	rounds      = 31
	tasks       = 10_000
	yielders    = 200
	yields      = 1_000
	pairs       = 1_000
	chainLength = 1_000
	wakes       = 1_000
	idleSpawns  = 400
	untilParked = 300 * time.Microsecond
	idleNs      = 2_000_000
	setTimers   = 100_000
	timers      = 10_000
	idleNaps    = 300
	nappers     = 100
	naps        = 50
	busyTasks   = 8
	busy        = 50 * time.Microsecond
	lead        = 300 * time.Millisecond
	quiet       = 100 * time.Millisecond
	parkedCount = 1_000_000
)

func percentile(values []float64, share float64) float64 {
	sort.Float64s(values)
	rank := int(float64(len(values)) * share)
	if rank >= len(values) {
		rank = len(values) - 1
	}
	return values[rank]
}

func medianOfRounds(rounds int, measure func() time.Duration) float64 {
	measure()
	values := make([]float64, rounds)
	for i := range values {
		values[i] = float64(measure().Nanoseconds())
	}
	return percentile(values, 0.5)
}

func printRow(name string, value float64) { fmt.Printf("%s\t%.3f\n", name, value) }

func printLatencies(name string, valuesNs []float64) {
	printRow(name+".p50", percentile(valuesNs, 0.50)/1e3)
	printRow(name+".p99", percentile(valuesNs, 0.99)/1e3)
}

func residentBytes() float64 {
	statm, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		panic(err)
	}
	var total, resident float64
	fmt.Sscan(string(statm), &total, &resident)
	return resident * float64(os.Getpagesize())
}

// User and system time of the whole process.
func processCPUNs() float64 {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		panic(err)
	}
	return float64(used.Utime.Nano() + used.Stime.Nano())
}

func spawnMany() time.Duration {
	var all sync.WaitGroup
	began := time.Now()
	all.Add(tasks)
	for i := 0; i < tasks; i++ {
		go all.Done()
	}
	all.Wait()
	return time.Since(began)
}

func spawnLocalMany() {
	printRow("spawn_local_many", medianOfRounds(rounds, spawnMany)/tasks)
}

// Go has no foreign threads; a goroutine that is locked to its thread is the closest equivalent.
func spawnRemoteMany() {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	printRow("spawn_remote_many", medianOfRounds(rounds, spawnMany)/tasks)
}

func yieldMany() {
	ns := medianOfRounds(rounds/3, func() time.Duration {
		var all sync.WaitGroup
		began := time.Now()
		all.Add(yielders)
		for i := 0; i < yielders; i++ {
			go func() {
				for n := 0; n < yields; n++ {
					runtime.Gosched()
				}
				all.Done()
			}()
		}
		all.Wait()
		return time.Since(began)
	})
	printRow("yield_many", ns/(yielders*yields))
}

func pingPong() {
	ns := medianOfRounds(rounds, func() time.Duration {
		var all sync.WaitGroup
		began := time.Now()
		all.Add(pairs)
		for i := 0; i < pairs; i++ {
			go func() {
				ping := make(chan struct{}, 1)
				pong := make(chan struct{}, 1)
				go func() {
					<-ping
					pong <- struct{}{}
				}()
				ping <- struct{}{}
				<-pong
				all.Done()
			}()
		}
		all.Wait()
		return time.Since(began)
	})
	printRow("ping_pong", ns/pairs)
}

func chainLink(done chan struct{}, left int) {
	if left == 0 {
		done <- struct{}{}
	} else {
		go chainLink(done, left-1)
	}
}

func chainedSpawn() {
	ns := medianOfRounds(rounds, func() time.Duration {
		began := time.Now()
		done := make(chan struct{}, 1)
		go chainLink(done, chainLength)
		<-done
		return time.Since(began)
	})
	printRow("chained_spawn", ns/chainLength)
}

// Waits until the goroutine has stored the time at which it ran, in ns since `epoch`.
func waitFor(moment *int64) int64 {
	for {
		if ns := atomic.LoadInt64(moment); ns != 0 {
			return ns
		}
	}
}

func oneshotWake() {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	epoch := time.Now()
	latenciesNs := make([]float64, 0, wakes)
	for i := 0; i < wakes; i++ {
		woken := new(int64)
		oneshot := make(chan struct{}, 1)
		go func() {
			<-oneshot
			atomic.StoreInt64(woken, time.Since(epoch).Nanoseconds())
		}()
		for parked := time.Now(); time.Since(parked) < untilParked; {
		}
		sentNs := time.Since(epoch).Nanoseconds()
		oneshot <- struct{}{}
		latenciesNs = append(latenciesNs, float64(waitFor(woken)-sentNs))
	}
	printLatencies("oneshot_wake", latenciesNs)
}

func idleToRun() {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	epoch := time.Now()
	latenciesNs := make([]float64, 0, idleSpawns)
	idle := syscall.Timespec{Nsec: idleNs}
	for i := 0; i < idleSpawns; i++ {
		ran := new(int64)
		syscall.Nanosleep(&idle, nil)
		spawnedNs := time.Since(epoch).Nanoseconds()
		go func() { atomic.StoreInt64(ran, time.Since(epoch).Nanoseconds()) }()
		syscall.Nanosleep(&idle, nil)
		latenciesNs = append(latenciesNs, float64(waitFor(ran)-spawnedNs))
	}
	printLatencies("idle_to_run", latenciesNs)
}

func timerCreateCancel() {
	ns := medianOfRounds(rounds, func() time.Duration {
		all := make([]*time.Timer, 0, setTimers)
		began := time.Now()
		for i := 0; i < setTimers; i++ {
			all = append(all, time.NewTimer(30*time.Second+time.Duration(i)*30*time.Second/setTimers))
		}
		for _, timer := range all {
			timer.Stop()
		}
		return time.Since(began)
	})
	printRow("timer_create_cancel", ns/setTimers)
}

func timerFire() {
	latenessNs := make([]float64, timers)
	var all sync.WaitGroup
	all.Add(timers)
	first := time.Now().Add(lead)
	for i := 0; i < timers; i++ {
		go func(i int) {
			deadline := first.Add(time.Duration(i) * time.Second / timers)
			time.Sleep(time.Until(deadline))
			latenessNs[i] = float64(time.Since(deadline).Nanoseconds())
			all.Done()
		}(i)
	}
	time.Sleep(time.Until(first.Add(-quiet)))
	cpuBeforeNs := processCPUNs()
	all.Wait()
	printRow("timer_fire", (processCPUNs()-cpuBeforeNs)/timers)
	printLatencies("timer_lateness", latenessNs)
}

// Sleeps for 3 to 7 ms; the durations vary, so that they coincide with no tick.
func nap(latenessNs []float64, seed int) {
	for i := range latenessNs {
		length := time.Duration(3_000+(seed+i)*7_919%4_001) * time.Microsecond
		deadline := time.Now().Add(length)
		time.Sleep(length)
		latenessNs[i] = float64(time.Since(deadline).Nanoseconds())
	}
}

func timerIdle() {
	latenessNs := make([]float64, idleNaps)
	nap(latenessNs, 0)
	printLatencies("timer_idle", latenessNs)
}

func timerLoad() {
	latenessNs := make([]float64, nappers*naps)
	var over int32
	var working, napping sync.WaitGroup
	working.Add(busyTasks)
	for i := 0; i < busyTasks; i++ {
		go func() {
			for atomic.LoadInt32(&over) == 0 {
				for began := time.Now(); time.Since(began) < busy; {
				}
				runtime.Gosched()
			}
			working.Done()
		}()
	}
	napping.Add(nappers)
	for i := 0; i < nappers; i++ {
		go func(i int) {
			nap(latenessNs[i*naps:(i+1)*naps], i)
			napping.Done()
		}(i)
	}
	napping.Wait()
	atomic.StoreInt32(&over, 1)
	working.Wait()
	printLatencies("timer_load", latenessNs)
}

func parked() {
	var started int64
	var woken sync.WaitGroup
	woken.Add(parkedCount)
	oneshots := make([]chan struct{}, parkedCount)
	for i := range oneshots {
		oneshots[i] = nil // touched before memory is measured
	}

	bytesBefore := residentBytes()
	spawnBegan := time.Now()
	for i := range oneshots {
		oneshot := make(chan struct{}, 1)
		oneshots[i] = oneshot
		go func() {
			atomic.AddInt64(&started, 1)
			<-oneshot
			woken.Done()
		}()
	}
	for atomic.LoadInt64(&started) != parkedCount {
		runtime.Gosched()
	}
	spawnNs := float64(time.Since(spawnBegan).Nanoseconds())
	printRow("parked_bytes", (residentBytes()-bytesBefore)/parkedCount)
	printRow("parked_spawn", spawnNs/parkedCount)

	wakeBegan := time.Now()
	for _, oneshot := range oneshots {
		oneshot <- struct{}{}
	}
	woken.Wait()
	printRow("parked_wake", float64(time.Since(wakeBegan).Nanoseconds())/parkedCount)
}

// All goroutines wait for one channel to be closed, which is how Go notifies many.
func parkedNotify() {
	var started int64
	var woken sync.WaitGroup
	woken.Add(parkedCount)
	notify := make(chan struct{})

	bytesBefore := residentBytes()
	spawnBegan := time.Now()
	for i := 0; i < parkedCount; i++ {
		go func() {
			atomic.AddInt64(&started, 1)
			<-notify
			woken.Done()
		}()
	}
	for atomic.LoadInt64(&started) != parkedCount {
		runtime.Gosched()
	}
	spawnNs := float64(time.Since(spawnBegan).Nanoseconds())
	printRow("parked_notify_bytes", (residentBytes()-bytesBefore)/parkedCount)
	printRow("parked_notify_spawn", spawnNs/parkedCount)

	wakeBegan := time.Now()
	close(notify)
	woken.Wait()
	printRow("parked_notify_wake", float64(time.Since(wakeBegan).Nanoseconds())/parkedCount)
}

func main() {
	workers := flag.Int("workers", 2, "threads that run goroutines")
	only := flag.String("only", "", "a row's name; empty: all")
	flag.Parse()
	runtime.GOMAXPROCS(*workers)

	// "parked" is last: the memory of goroutines is never freed, and a million dead ones make every collection slow.
	rows := []struct {
		name    string
		measure func()
	}{
		{"spawn_local_many", spawnLocalMany},
		{"spawn_remote_many", spawnRemoteMany},
		{"yield_many", yieldMany},
		{"ping_pong", pingPong},
		{"chained_spawn", chainedSpawn},
		{"oneshot_wake", oneshotWake},
		{"idle_to_run", idleToRun},
		{"timer_create_cancel", timerCreateCancel},
		{"timer_fire", timerFire},
		{"timer_idle", timerIdle},
		{"timer_load", timerLoad},
		{"mpsc_1p1c", mpsc1p1c},
		{"mpsc_4p1c", mpsc4p1c},
		{"mpmc_4p4c", mpmc4p4c},
		{"round_trip", roundTrip},
		{"oneshot", oneshotValue},
		{"mutex_8", mutex8},
		{"rwlock_8", rwlock8},
		{"semaphore_8", semaphore8},
		{"notify", notifyBothWays},
		{"once", onceValue},
		{"spawn_fib", spawnFib},
		{"parked", parked},
		{"parked_notify", parkedNotify},
	}
	const alone = "parked_notify" // runs alone: free memory of other rows would hide the growth
	for _, row := range rows {
		if *only == row.name || *only == "" && row.name != alone {
			debug.FreeOSMemory()
			row.measure()
		}
	}
}
