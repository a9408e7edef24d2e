//go:build libpq && cgo

package main

// #cgo CFLAGS: -I/usr/include/postgresql
// #cgo LDFLAGS: -lpq
// #include <libpq-fe.h>
// #include <stdlib.h>
import "C"

import (
	"fmt"
	"net/http"
	"os"
	"sync"
	"unsafe"
)

// Connections without a query in progress. There are as many in total as there were queries at a time.
type idleConnections struct {
	mutex       sync.Mutex
	connections []*C.PGconn
}

func (idle *idleConnections) take() *C.PGconn {
	idle.mutex.Lock()
	if last := len(idle.connections) - 1; last >= 0 {
		connection := idle.connections[last]
		idle.connections = idle.connections[:last]
		idle.mutex.Unlock()
		return connection
	}
	idle.mutex.Unlock()
	url := C.CString(os.Getenv("LIBPQ_URL"))
	defer C.free(unsafe.Pointer(url))
	return C.PQconnectdb(url)
}

func (idle *idleConnections) giveBack(connection *C.PGconn) {
	idle.mutex.Lock()
	idle.connections = append(idle.connections, connection)
	idle.mutex.Unlock()
}

// Waits for a synchronous query of libpq, on a connection of its own, as the Volt peer does.
func (idle *idleConnections) sleep(us int) error {
	connection := idle.take()
	text := C.CString(fmt.Sprintf("select pg_sleep(%d / 1e6)", us))
	defer C.free(unsafe.Pointer(text))
	result := C.PQexec(connection, text)
	defer C.PQclear(result)
	if C.PQresultStatus(result) != C.PGRES_TUPLES_OK {
		defer C.PQfinish(connection)
		return fmt.Errorf("%s", C.GoString(C.PQerrorMessage(connection)))
	}
	idle.giveBack(connection)
	return nil
}

func addPgSleep(mux *http.ServeMux) {
	if os.Getenv("LIBPQ_URL") == "" {
		return
	}
	idle := &idleConnections{}
	mux.HandleFunc("/pg_sleep", func(w http.ResponseWriter, r *http.Request) {
		if err := idle.sleep(number(r, "us")); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		done(w)
	})
}
