// SPDX-License-Identifier: MIT

// The page: plain HTML and script. Messages of other visitors are inserted as text, never as HTML.
#pragma once

#include <string_view>

namespace chat {

inline constexpr std::string_view kPage = R"html(<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Chat</title>
<style>
  :root { color-scheme: light dark }
  body { max-width: 40rem; margin: 2rem auto; padding: 0 1rem; font: 1rem/1.5 system-ui, sans-serif }
  form:not([hidden]) { display: flex; gap: .5rem; margin: 1rem 0 }
  input, button { padding: .3rem .6rem; font: inherit }
  input { flex: 1; min-width: 0 }
  ::placeholder { color: inherit; opacity: .7 }
  li { overflow-wrap: anywhere }
  ol { list-style: none; padding: 0 }
  #state { opacity: .75 }
</style>

<h1>Chat</h1>
<form id="enter">
  <input name="name" placeholder="Your name" aria-label="Your name" maxlength="20" required autofocus>
  <input name="room" placeholder="Room" aria-label="Room" value="lobby" required>
  <button>Enter</button>
</form>
<form id="say" hidden>
  <input name="text" placeholder="Message" aria-label="Message" maxlength="1000" autocomplete="off" required>
  <button>Say</button>
</form>
<p id="state" role="status"></p>
<ol id="lines" role="log"></ol>

<script>
  const [enter, say, state, lines] = ["enter", "say", "state", "lines"].map(id => document.getElementById(id));
  let socket, last = {room: "", id: ""};

  function hear({id, data, gap, joined, left}) {
    if (id) last.id = id;
    if (data) show(data);
    if (gap !== undefined) show({name: "", text: `${gap ?? "Some"} messages are missing.`});
    if (joined || left) show({name: joined ?? left, text: joined ? "has come" : "has left"});
  }

  function show({name, text}) {
    const line = lines.appendChild(document.createElement("li"));
    line.appendChild(document.createElement("b")).textContent = name;
    line.append(` ${text}`);
    line.scrollIntoView();
  }

  enter.onsubmit = event => {
    event.preventDefault();
    const {name, room} = Object.fromEntries(new FormData(enter));
    if (last.room !== room) last = {room, id: ""};
    const query = new URLSearchParams({name, after: last.id});
    const url = new URL(`/chat/${encodeURIComponent(room)}?${query}`, location);
    url.protocol = url.protocol.replace("http", "ws");
    socket = new WebSocket(url);
    socket.onmessage = message => hear(JSON.parse(message.data));
    socket.onopen = () => {
      [enter.hidden, say.hidden, state.textContent] = [true, false, `In ${room}, as ${name}`];
      say.text.focus();
    };
    socket.onclose = close => {
      [enter.hidden, say.hidden, state.textContent] = [false, true, `Not connected. ${close.reason}`];
    };
  };

  say.onsubmit = event => {
    event.preventDefault();
    socket.send(say.text.value);
    say.reset();
  };
</script>
</html>
)html";

}  // namespace chat
