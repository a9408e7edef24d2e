package main

import "time"

// The row of tasks that wait for their children, in the shape of rows/children_rows.cpp: a goroutine and a call at every
// level. Go has neither fork-join nor children that run in their parent.

const (
	fibRounds = 31
	fibOf     = 20
	fibIs     = 6_765
	fibCalls  = 21_891
)

func fib(n int) uint64 {
	if n < 2 {
		return uint64(n)
	}
	other := make(chan uint64, 1)
	go func() { other <- fib(n - 2) }()
	a := fib(n - 1)
	return a + <-other
}

func spawnFib() {
	ns := medianOfRounds(fibRounds, func() time.Duration {
		began := time.Now()
		if fib(fibOf) != fibIs {
			panic("spawn_fib")
		}
		return time.Since(began)
	})
	printRow("spawn_fib", ns/fibCalls)
}
