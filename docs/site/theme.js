// SPDX-License-Identifier: MIT
// Runs before the first paint, so that a page does not flash in the other colors.
"use strict";

try {
  const chosen = localStorage.getItem("volt-theme");
  if (chosen) document.documentElement.dataset.theme = chosen;
} catch {
  // Without storage, the theme is the system's.
}
