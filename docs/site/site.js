// SPDX-License-Identifier: MIT
// The search box, the switch of the theme, and the menu of narrow screens. Works from file:// too.
"use strict";

const root = document.documentElement.dataset.root;
const box = document.getElementById("query");
const list = document.getElementById("results");
const RESULTS_MAX = 8;

// --- theme ---------------------------------------------------------------------------------------------------------

document.getElementById("theme").addEventListener("click", () => {
  const element = document.documentElement;
  const systemIsDark = matchMedia("(prefers-color-scheme: dark)").matches;
  const isDark = (element.dataset.theme || (systemIsDark ? "dark" : "light")) === "dark";
  element.dataset.theme = isDark ? "light" : "dark";
  try {
    localStorage.setItem("volt-theme", element.dataset.theme);
  } catch {
    // Without storage, the choice lasts as long as the page.
  }
});

// --- menu ----------------------------------------------------------------------------------------------------------

const menu = document.getElementById("menu");
menu.addEventListener("click", () => {
  const open = document.body.classList.toggle("menu-open");
  menu.setAttribute("aria-expanded", String(open));
});
const current = document.querySelector('nav [aria-current="page"]');
if (current) {
  current.closest("details").open = true;
  current.scrollIntoView({ block: "center" });
  scrollTo({ top: 0 });
}

// --- search --------------------------------------------------------------------------------------------------------

// Loads the index at the first use of the box: it is larger than a page.
let loading = null;
function loadIndex() {
  loading ||= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = `${root}search-index.js`;
    script.onload = () => resolve(globalThis.voltSearchIndex);
    script.onerror = () => reject(new Error("search-index.js is missing"));
    document.head.append(script);
  });
  return loading;
}

function element(tag, className, text) {
  const made = document.createElement(tag);
  made.className = className;
  made.textContent = text;
  return made;
}

function item(result, number) {
  const entry = document.createElement("li");
  entry.id = `result-${number}`;
  entry.setAttribute("role", "option");
  const link = element("a", "", "");
  link.href = root + result.url;
  link.tabIndex = -1;
  link.append(element("span", "title", result.title), element("span", "where", result.where),
    element("span", "excerpt", result.excerpt));
  entry.append(link);
  return entry;
}

let chosen = -1;
function choose(number) {
  const entries = list.querySelectorAll("[role=option]");
  if (entries.length === 0) return;
  chosen = (number + entries.length) % entries.length;
  entries.forEach((entry, i) => entry.setAttribute("aria-selected", String(i === chosen)));
  entries[chosen].scrollIntoView({ block: "nearest" });
  box.setAttribute("aria-activedescendant", entries[chosen].id);
}

function close() {
  list.hidden = true;
  chosen = -1;
  box.setAttribute("aria-expanded", "false");
  box.removeAttribute("aria-activedescendant");
}

async function search() {
  const index = await loadIndex();
  const query = box.value.trim();
  if (query === "") return close();
  const results = voltSearch.rank(index, query, RESULTS_MAX);
  list.replaceChildren(...results.map(item));
  if (results.length === 0) list.append(element("li", "none", `Nothing found for "${query}"`));
  list.hidden = false;
  box.setAttribute("aria-expanded", "true");
  chosen = -1;
  if (results.length > 0) choose(0);
}

box.addEventListener("focus", loadIndex);
box.addEventListener("input", search);
box.addEventListener("keydown", (event) => {
  if (event.key === "ArrowDown") choose(chosen + 1);
  else if (event.key === "ArrowUp") choose(chosen - 1);
  else if (event.key === "Escape") close();
  else return;
  event.preventDefault();
});
document.getElementById("search").addEventListener("submit", async (event) => {
  event.preventDefault();
  if (list.hidden) await search();
  const link = list.querySelectorAll("a")[Math.max(chosen, 0)];
  if (link) {
    close();
    location.href = link.href;
  }
});
document.addEventListener("click", (event) => {
  if (!event.target.closest("#search")) close();
});
document.addEventListener("keydown", (event) => {
  const typing = event.target.closest("input, textarea, select");
  if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    box.focus();
  }
});

// --- code ----------------------------------------------------------------------------------------------------------

// Browsers give pages the clipboard only over https, and from the own machine.
for (const block of navigator.clipboard ? document.querySelectorAll(".code:not(.declaration)") : []) {
  const button = element("button", "copy", "copy");
  button.type = "button";
  button.addEventListener("click", async () => {
    const text = block.querySelector("code").textContent;
    // Of a console, the commands without their prompts and outputs.
    const commands = text.split("\n").filter((line) => line.startsWith("$ ")).map((line) => line.slice(2));
    await navigator.clipboard.writeText(block.dataset.language === "console" ? commands.join("\n") : text);
    button.textContent = "copied";
    setTimeout(() => { button.textContent = "copy"; }, 1500);
  });
  block.append(button);
}
