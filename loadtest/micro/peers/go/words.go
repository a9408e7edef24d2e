// The rows of channels and locks, in the shapes of rows/channel_rows.cpp and rows/lock_rows.cpp. Go has no broadcast, watch
// or barrier; its semaphore is a channel of permits, and so is its notification.
package main

import (
	"sync"
	"time"
)

const (
	wordRounds    = 31
	capacity      = 1_000
	messages      = 40_000
	roundTrips    = 5_000
	oneshots      = 20_000
	lockers       = 8
	turns         = 5_000
	readsPerWrite = 15
	permits       = 4
	notifications = 5_000
	cells         = 20_000
)

func wordRow(name string, operations int, body func()) {
	ns := medianOfRounds(wordRounds, func() time.Duration {
		began := time.Now()
		body()
		return time.Since(began)
	})
	printRow(name, ns/float64(operations))
}

func stream(producers, consumers int) {
	values := make(chan int, capacity)
	var consuming, producing sync.WaitGroup
	consuming.Add(consumers)
	for i := 0; i < consumers; i++ {
		go func() {
			for range values {
			}
			consuming.Done()
		}()
	}
	producing.Add(producers)
	for i := 0; i < producers; i++ {
		go func() {
			for i := 0; i < messages/producers; i++ {
				values <- i
			}
			producing.Done()
		}()
	}
	producing.Wait()
	close(values)
	consuming.Wait()
}

func mpsc1p1c() { wordRow("mpsc_1p1c", messages, func() { stream(1, 1) }) }
func mpsc4p1c() { wordRow("mpsc_4p1c", messages, func() { stream(4, 1) }) }
func mpmc4p4c() { wordRow("mpmc_4p4c", messages, func() { stream(4, 4) }) }

func roundTrip() {
	wordRow("round_trip", roundTrips, func() {
		there, back := make(chan int, 1), make(chan int, 1)
		var all sync.WaitGroup
		all.Add(2)
		go func() {
			for value := range there {
				back <- value
			}
			all.Done()
		}()
		go func() {
			for i := 0; i < roundTrips; i++ {
				there <- i
				<-back
			}
			close(there)
			all.Done()
		}()
		all.Wait()
	})
}

func oneshotValue() {
	wordRow("oneshot", oneshots, func() {
		for i := 0; i < oneshots; i++ {
			oneshot := make(chan int, 1)
			oneshot <- i
			sink += <-oneshot
		}
	})
}

// Keeps reads from being optimized away.
var sink int

func meet(body func()) {
	var all sync.WaitGroup
	all.Add(lockers)
	for i := 0; i < lockers; i++ {
		go func() {
			body()
			all.Done()
		}()
	}
	all.Wait()
}

func mutex8() {
	var mutex sync.Mutex
	value := 0
	wordRow("mutex_8", lockers*turns, func() {
		meet(func() {
			for i := 0; i < turns; i++ {
				mutex.Lock()
				value++
				mutex.Unlock()
			}
		})
	})
}

func rwlock8() {
	var lock sync.RWMutex
	value := 0
	wordRow("rwlock_8", lockers*turns, func() {
		meet(func() {
			sum := 0
			for i := 0; i < turns; i++ {
				if i%(readsPerWrite+1) == 0 {
					lock.Lock()
					value++
					lock.Unlock()
				} else {
					lock.RLock()
					sum += value
					lock.RUnlock()
				}
			}
			lock.Lock()
			sink += sum
			lock.Unlock()
		})
	})
}

func semaphore8() {
	free := make(chan struct{}, permits)
	wordRow("semaphore_8", lockers*turns, func() {
		meet(func() {
			for i := 0; i < turns; i++ {
				free <- struct{}{}
				<-free
			}
		})
	})
}

func notifyBothWays() {
	wordRow("notify", notifications, func() {
		there, back := make(chan struct{}, 1), make(chan struct{}, 1)
		var all sync.WaitGroup
		all.Add(2)
		go func() {
			for i := 0; i < notifications; i++ {
				there <- struct{}{}
				<-back
			}
			all.Done()
		}()
		go func() {
			for i := 0; i < notifications; i++ {
				<-there
				back <- struct{}{}
			}
			all.Done()
		}()
		all.Wait()
	})
}

func onceValue() {
	wordRow("once", cells, func() {
		for i := 0; i < cells; i++ {
			var once sync.Once
			value := 0
			once.Do(func() { value = i })
			once.Do(func() { value = i })
			sink += value
		}
	})
}
