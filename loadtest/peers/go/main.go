// The Go peer: net/http with its defaults.
package main

import (
	"crypto/tls"
	"encoding/json"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
)

type message struct {
	Message string `json:"message"`
}

func plaintext(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain")
	io.WriteString(w, "Hello, World!")
}

func sendJSON(w http.ResponseWriter, value any, err error) {
	if err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	body, _ := json.Marshal(value)
	w.Write(body)
}

func jsonMessage(w http.ResponseWriter, _ *http.Request) {
	sendJSON(w, message{"Hello, World!"}, nil)
}

func db(w http.ResponseWriter, _ *http.Request) {
	row, err := selectWorld()
	sendJSON(w, row, err)
}

func queries(w http.ResponseWriter, r *http.Request) {
	count, _ := strconv.Atoi(r.URL.Query().Get("queries"))
	rows, err := selectWorlds(count)
	sendJSON(w, rows, err)
}

func upload(w http.ResponseWriter, r *http.Request) {
	count, err := io.Copy(io.Discard, r.Body)
	if err != nil {
		return
	}
	w.Header().Set("Content-Type", "text/plain")
	io.WriteString(w, strconv.FormatInt(count, 10))
}

func main() {
	openDatabase()
	mux := http.NewServeMux()
	mux.HandleFunc("/plaintext", plaintext)
	mux.HandleFunc("/json", jsonMessage)
	mux.HandleFunc("/db", db)
	mux.HandleFunc("/queries", queries)
	mux.HandleFunc("/upload", upload)
	mux.Handle("/static/", http.StripPrefix("/static/", http.FileServer(http.Dir(os.Getenv("FILES")))))
	addHeavy(mux)
	addWebSocket(mux)
	server := http.Server{
		Addr:         "127.0.0.1:" + os.Getenv("PORT"),
		Handler:      mux,
		TLSNextProto: map[string]func(*http.Server, *tls.Conn, http.Handler){}, // HTTP/1.1 only
	}
	if os.Getenv("TLS") != "" {
		log.Fatal(server.ListenAndServeTLS(os.Getenv("CERTIFICATE"), os.Getenv("KEY")))
	}
	log.Fatal(server.ListenAndServe())
}
