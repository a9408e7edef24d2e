package main

import (
	"sync"
	"time"
)

// The rows of fork-join, in the shapes of rows/fork_rows.cpp.

const (
	forkRounds = 7
	fibOf      = 30
	fibIs      = 832_040
	fibCalls   = 2_692_537
	leafCount  = 1_000_000
	forkPairs  = 1_000_000
)

func forkRow(name string, operations, result uint64, compute func() uint64) {
	ns := medianOfRounds(forkRounds, func() time.Duration {
		began := time.Now()
		if compute() != result {
			panic(name)
		}
		return time.Since(began)
	})
	printRow(name, ns/float64(operations))
}

func fib(n int) uint64 {
	if n < 2 {
		return uint64(n)
	}
	other := make(chan uint64, 1)
	go func() { other <- fib(n - 2) }()
	a := fib(n - 1)
	return a + <-other
}

func skynet(first, leaves uint64) uint64 {
	if leaves == 1 {
		return first
	}
	share := leaves / 10
	children := make(chan uint64, 10)
	for i := uint64(0); i < 10; i++ {
		child := first + i*share
		go func() { children <- skynet(child, share) }()
	}
	sum := uint64(0)
	for i := 0; i < 10; i++ {
		sum += <-children
	}
	return sum
}

//go:noinline
func same(value uint64) uint64 { return value }

func forkInPairs() uint64 {
	sum := uint64(0)
	for i := uint64(0); i < forkPairs; i++ {
		var b uint64
		var other sync.WaitGroup
		other.Add(1)
		go func() {
			b = same(i)
			other.Done()
		}()
		a := same(i)
		other.Wait()
		sum += a + b
	}
	return sum
}

func forkFib()    { forkRow("fib", fibCalls, fibIs, func() uint64 { return fib(fibOf) }) }
func forkSkynet() {
	forkRow("skynet", leafCount, leafCount*(leafCount-1)/2, func() uint64 { return skynet(0, leafCount) })
}
func forkPair() { forkRow("fork_pair", forkPairs, forkPairs*(forkPairs-1), forkInPairs) }
