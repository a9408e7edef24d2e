package main

// The routes that heavy.py and the scenario `skew` request.

import (
	"io"
	"net/http"
	"os"
	"strconv"
	"sync"
	"syscall"
	"time"
)

func done(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/plain")
	io.WriteString(w, "done")
}

func number(r *http.Request, name string) int {
	value, _ := strconv.Atoi(r.URL.Query().Get(name))
	return value
}

func healthz(w http.ResponseWriter, _ *http.Request) { done(w) }

func work(w http.ResponseWriter, r *http.Request) {
	us := number(r, "us")
	for began := time.Now(); time.Since(began) < time.Duration(us)*time.Microsecond; {
	}
	done(w)
}

// Computes a fixed number of steps, as many as the handlers of the other servers.
func computeSteps(w http.ResponseWriter, r *http.Request) {
	bits := uint64(1)
	for left := number(r, "count"); left > 0; left-- {
		bits ^= bits << 13
		bits ^= bits >> 7
		bits ^= bits << 17
	}
	w.Header().Set("Content-Type", "text/plain")
	io.WriteString(w, strconv.FormatUint(bits, 10))
}

// The handlers below block their thread, except that a goroutine which waits for `mutex` frees its thread: Go has no
// mutex that blocks threads.

func sleepInKernel(r *http.Request) {
	duration := syscall.NsecToTimespec(int64(number(r, "us")) * 1000)
	syscall.Nanosleep(&duration, nil)
}

func block(w http.ResponseWriter, r *http.Request) {
	sleepInKernel(r)
	done(w)
}

var mutex sync.Mutex

func blockInMutex(w http.ResponseWriter, r *http.Request) {
	mutex.Lock()
	sleepInKernel(r)
	mutex.Unlock()
	done(w)
}

// Reads the file COLD_FILE, which the kernel has been asked to forget.
func readColdFile(w http.ResponseWriter, _ *http.Request) {
	file, err := os.Open(os.Getenv("COLD_FILE"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	defer file.Close()
	const dontNeed = 4
	syscall.Syscall6(syscall.SYS_FADVISE64, file.Fd(), 0, 0, dontNeed, 0, 0)
	bytes := make([]byte, 1<<20)
	for {
		if count, err := syscall.Read(int(file.Fd()), bytes); count <= 0 || err != nil {
			break
		}
	}
	done(w)
}

func addHeavy(mux *http.ServeMux) {
	mux.HandleFunc("/healthz", healthz)
	mux.HandleFunc("/work", work)
	mux.HandleFunc("/steps", computeSteps)
	mux.HandleFunc("/block", block)
	mux.HandleFunc("/mutex", blockInMutex)
	mux.HandleFunc("/cold", readColdFile)
	addPgSleep(mux)
}
