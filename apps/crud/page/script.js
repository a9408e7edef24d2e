"use strict";
// Text from the service is inserted as text, never as HTML.
const find = id => document.getElementById(id);
const [access, add, look, items, none, first, next, change, message] =
  ["access", "add", "look", "items", "none", "first", "next", "change", "message"].map(find);
const edit = change.querySelector("form");
const ITEMS = "api/v1/items";
let nextPage = null;  // URL of the next page; null if there is none
let changing = null;  // item in the dialog

access.token.value = sessionStorage.getItem("token") ?? "t";

class Refused extends Error {
  constructor(status, problem) {
    super(problem.detail ?? problem.title ?? `The service responded with status ${status}.`);
    this.status = status;
    this.errors = problem.errors ?? [];
  }
}

async function ask(method, address, value, version) {
  const headers = {authorization: `Bearer ${access.token.value}`};
  if (value) headers["content-type"] = "application/json";
  if (version) headers["if-match"] = `"${version}"`;
  let response;
  try {
    response = await fetch(address, {method, headers, body: value && JSON.stringify(value)});
  } catch {
    throw new Refused(0, {detail: "The service cannot be reached."});
  }
  if (!response.ok) throw new Refused(response.status, await response.json().catch(() => ({})));
  return response;
}

function say(text, bad = false) {
  message.textContent = text;
  message.className = bad ? "bad" : "";
}

// Shows each error below its field. `rest` is shown if there are no such errors: in the form if it has a place for it,
// else at the top of the page.
function showErrors(form, errors, rest) {
  for (const place of form.querySelectorAll(".error")) {
    const mine = errors.filter(error => error.field === place.dataset.field);
    place.textContent = mine.map(error => error.detail).join(", ");
    const input = form.querySelector(`[aria-describedby="${place.id}"]`);
    if (!input) continue;
    if (mine.length) place.textContent = `${input.labels[0].firstChild.textContent.trim()} ${place.textContent}`;
    input.setAttribute("aria-invalid", mine.length > 0);
  }
  form.querySelector("[aria-invalid=true]")?.focus();
  if (errors.length || !rest) return;
  const place = form.querySelector("[data-field='']");
  if (place) place.textContent = rest;
  else say(rest, true);
}

// Runs `action`, and shows the errors of a refused request.
async function attempt(form, action) {
  say("");
  showErrors(form, [], "");
  try {
    await action();
  } catch (refused) {
    if (!(refused instanceof Refused)) throw refused;
    showErrors(form, refused.errors, refused.message);
  }
}

// An empty price is left out: the service reports that it is missing.
const entered = form => ({
  name: form.name.value,
  ...(form.price.value === "" ? {} : {price: Number(form.price.value)}),
});

function button(text, name, onclick) {
  const made = document.createElement("button");
  made.append(text);
  made.setAttribute("aria-label", `${text} ${name}`);
  made.onclick = onclick;
  return made;
}

function row(item) {
  const line = document.createElement("tr");
  line.insertCell().textContent = item.name;
  const price = line.insertCell();
  price.textContent = (item.price / 100).toFixed(2);
  price.className = "number";
  line.insertCell().append(button("Change", item.name, () => open(item)), " ",
                           button("Delete", item.name, () => erase(item)));
  return line;
}

async function show(address) {
  const response = await ask("GET", address);
  const found = await response.json();
  items.replaceChildren(...found.map(row));
  none.hidden = found.length > 0;
  nextPage = response.headers.get("link")?.match(/<([^>]*)>; rel="next"/)?.[1] ?? null;
  next.disabled = !nextPage;
  first.disabled = !address.includes("after=");
}

function reload() {
  const query = new URLSearchParams({limit: 10, sort: look.sort.value, order: look.order.value});
  if (look.name.value) query.set("name", look.name.value);
  return show(`${ITEMS}?${query}`);
}

function open(item) {
  changing = item;
  showErrors(edit, [], "");
  edit.querySelector("[data-field='']").textContent = "";
  edit.name.value = item.name;
  edit.price.value = item.price;
  change.showModal();
}

function erase(item) {
  return attempt(look, async () => {
    await ask("DELETE", `${ITEMS}/${item.id}`, null, item.version);
    await reload();
    say(`${item.name} was deleted.`);
  });
}

add.onsubmit = event => {
  event.preventDefault();
  attempt(add, async () => {
    const made = await (await ask("POST", ITEMS, entered(add))).json();
    add.reset();
    add.name.focus();
    await reload();
    say(`${made.name} was added.`);
  });
};

edit.onsubmit = event => {
  event.preventDefault();
  attempt(edit, async () => {
    await ask("PUT", `${ITEMS}/${changing.id}`, entered(edit), changing.version);
    change.close();
    await reload();
    say(`${edit.name.value} was changed.`);
  });
};

find("cancel").onclick = () => change.close();
access.onsubmit = event => {
  event.preventDefault();
  sessionStorage.setItem("token", access.token.value);
  attempt(access, async () => {
    await reload();
    say("");
  });
};
look.onsubmit = event => event.preventDefault();
look.oninput = () => attempt(look, reload);
first.onclick = () => attempt(look, reload);
next.onclick = () => attempt(look, () => show(nextPage));
attempt(look, reload);
