// SPDX-License-Identifier: MIT

// The page: plain HTML and script. Messages of other visitors are inserted as text, never as HTML.
#pragma once

#include <string_view>

namespace sse {

inline constexpr std::string_view kPage = R"html(<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Events</title>
<style>
  :root { color-scheme: light dark }
  body { max-width: 40rem; margin: 2rem auto; padding: 0 1rem; font: 1rem/1.5 system-ui, sans-serif }
  form { display: flex; gap: .5rem; margin: 1rem 0 }
  input, button { padding: .3rem .6rem; font: inherit }
  input { flex: 1; min-width: 0 }
  ::placeholder { color: inherit; opacity: .7 }
  li { overflow-wrap: anywhere }
  #count { font-size: 4rem; font-variant-numeric: tabular-nums }
  #state { opacity: .75 }
</style>

<h1>Events</h1>
<output id="count">0</output>
<p id="state" role="status">connecting</p>
<form id="say">
  <input name="text" placeholder="Message" aria-label="Message" maxlength="1000" autocomplete="off" required autofocus>
  <button>Say</button>
</form>
<ol id="said" role="log"></ol>

<script>
  const [count, state, say, said] = ["count", "state", "say", "said"].map(id => document.getElementById(id));
  const source = new EventSource("/events");  // reconnects by itself, and sends the id of the last event

  source.onopen = () => state.textContent = "connected";
  source.onerror = () => state.textContent = "connecting";
  source.addEventListener("count", event => count.textContent = event.data);

  const news = new EventSource("/news");
  const show = text => said.appendChild(document.createElement("li")).textContent = text;
  news.onmessage = event => show(JSON.parse(event.data).text);
  news.addEventListener("gap", event => show(`${JSON.parse(event.data).lost ?? "Some"} messages are missing.`));

  say.onsubmit = async event => {
    event.preventDefault();
    const body = JSON.stringify({text: say.text.value});
    say.reset();
    await fetch("/say", {method: "POST", headers: {"content-type": "application/json"}, body});
  };
</script>
</html>
)html";

}  // namespace sse
