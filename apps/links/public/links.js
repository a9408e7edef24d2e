// The live parts of the page: visits of links while they happen, and the clipboard.
const notes = document.getElementById("notes");

function watchLinks() {
  const changes = new EventSource("/api/changes");
  changes.onmessage = ({data}) => {
    const {name, safety, visits} = JSON.parse(data);
    const row = document.querySelector(`[data-link="${CSS.escape(name)}"]`);
    if (!row) return;
    row.dataset.safety = safety;
    row.querySelector("[data-visits]").textContent = visits;
  };
  changes.addEventListener("gap", () => location.reload());
}

function shareClipboard(form, after = "") {
  const device = navigator.userAgentData?.platform || navigator.platform || "a browser";
  const url = new URL(`/api/clipboard?${new URLSearchParams({device: device.slice(0, 40), after})}`, location);
  url.protocol = url.protocol.replace("http", "ws");
  const socket = new WebSocket(url);
  socket.onmessage = message => {
    const {id, data} = JSON.parse(message.data);
    if (!data) return;
    after = id;
    notes.appendChild(document.createElement("li")).textContent = `${data.device}: ${data.text}`;
  };
  socket.onclose = () => setTimeout(() => shareClipboard(form, after), 2000);
  form.onsubmit = event => {
    event.preventDefault();
    if (socket.readyState !== WebSocket.OPEN) return;
    socket.send(form.elements.text.value);
    form.reset();
  };
}

if (notes) {
  watchLinks();
  shareClipboard(document.getElementById("clipboard"));
}
