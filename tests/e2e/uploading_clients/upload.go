// SPDX-License-Identifier: MIT

// upload URL TRIES KIND HEADER_BYTES: what refusal_test.py asks of a client (uploading_clients.py).
package main

import (
	"bytes"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

const pieceBytes = 100000

// stalling pauses after the first piece. A reader that is no bytes.Reader makes the body chunked.
type stalling struct {
	rest   io.Reader
	pieces int
	pause  time.Duration
}

func (s *stalling) Read(to []byte) (int, error) {
	if s.pieces++; s.pieces == 2 {
		time.Sleep(s.pause)
	}
	if len(to) > pieceBytes {
		to = to[:pieceBytes]
	}
	return s.rest.Read(to)
}

func body(kind string) io.Reader {
	whole := bytes.NewReader(bytes.Repeat([]byte("x"), 200*pieceBytes))
	switch kind {
	case "sized":
		return whole
	case "stalled":
		return &stalling{rest: whole, pause: 4 * time.Second}
	}
	return &stalling{rest: whole}
}

func try(client *http.Client, url, kind string, headerBytes int) string {
	request, err := http.NewRequest("POST", url, body(kind))
	if err != nil {
		return err.Error()
	}
	if headerBytes > 0 {
		request.Header.Set("X-Large", strings.Repeat("x", headerBytes))
	}
	response, err := client.Do(request)
	if err != nil {
		return err.Error()
	}
	defer response.Body.Close()
	io.Copy(io.Discard, response.Body)
	return strconv.Itoa(response.StatusCode)
}

func main() {
	tries, _ := strconv.Atoi(os.Args[2])
	headerBytes, _ := strconv.Atoi(os.Args[4])
	// Each try has a connection of its own: nginx may announce that it keeps a connection alive, and close it because the
	// rest of the body is late. If the next try began on it, its response would be lost (1 of 1,000 beside other load).
	client := &http.Client{Timeout: time.Minute, Transport: &http.Transport{
		DisableKeepAlives: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	for i := 0; i < tries; i++ {
		fmt.Println(try(client, os.Args[1], os.Args[3], headerBytes))
	}
}
