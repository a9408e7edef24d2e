//go:build websocket

package main

import (
	"net/http"

	"github.com/gorilla/websocket"
)

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

func addWebSocket(mux *http.ServeMux) { mux.HandleFunc("/websocket", echo) }
