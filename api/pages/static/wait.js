// Loads the page anew once nothing on it is under way any more.
"use strict";

const PAUSE = 2000;

async function look() {
  try {
    const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
    const later = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (answer.ok && !later.querySelector("[data-waiting]")) {
      location.reload();
      return;
    }
  } catch {
    // The service may come back.
  }
  setTimeout(look, PAUSE);
}

setTimeout(look, PAUSE);
