//go:build websocket

package main

import (
	"net/http"
	"sync"

	"github.com/gorilla/websocket"
)

const queueMax = 256 // messages that wait for one subscriber, as in Volt

var upgrader = websocket.Upgrader{}

func echo(w http.ResponseWriter, r *http.Request) {
	connection, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		return
	}
	defer connection.Close()
	for {
		kind, message, err := connection.ReadMessage()
		if err != nil {
			return
		}
		if connection.WriteMessage(kind, message) != nil {
			return
		}
	}
}

// The clients of /topic, with the queue of each.
var (
	topicLock   sync.RWMutex
	subscribers = map[*websocket.Conn]chan *websocket.PreparedMessage{}
)

// publish sends what a client says to all clients, which a goroutine for each writes.
func publish(w http.ResponseWriter, r *http.Request) {
	connection, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		return
	}
	defer connection.Close()
	queue := make(chan *websocket.PreparedMessage, queueMax)
	topicLock.Lock()
	subscribers[connection] = queue
	topicLock.Unlock()
	defer func() {
		topicLock.Lock()
		delete(subscribers, connection)
		topicLock.Unlock()
		close(queue)
	}()
	go func() {
		for message := range queue {
			connection.WritePreparedMessage(message)
		}
	}()
	for {
		kind, said, err := connection.ReadMessage()
		if err != nil {
			return
		}
		message, err := websocket.NewPreparedMessage(kind, said)
		if err != nil {
			return
		}
		topicLock.RLock()
		for _, queue := range subscribers {
			queue <- message
		}
		topicLock.RUnlock()
	}
}

func addWebSocket(mux *http.ServeMux) {
	mux.HandleFunc("/websocket", echo)
	mux.HandleFunc("/topic", publish)
}
