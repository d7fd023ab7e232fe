// Verdicts on readings by one key: that of the button, on the reading that has the focus or else on the first one.
"use strict";

const readings = [...document.querySelectorAll(".reading")];

function current() {
  return document.activeElement?.closest(".reading") ?? readings[0];
}

function move(step) {
  const at = readings.indexOf(document.activeElement?.closest(".reading"));
  readings[Math.min(Math.max(at + step, 0), readings.length - 1)]?.focus();
}

document.addEventListener("keydown", (event) => {
  const typing = event.target.closest("input, select, textarea");
  if (typing || event.ctrlKey || event.metaKey || event.altKey) {
    return;
  }
  if (event.key === "j" || event.key === "k") {
    move(event.key === "j" ? 1 : -1);
    return;
  }
  const button = [...(current()?.querySelectorAll("button[data-key]") ?? [])].find((each) => each.dataset.key === event.key);
  button?.click();
});

// After a verdict the page comes anew: the next reading is the first one again.
readings[0]?.focus({ preventScroll: true });
