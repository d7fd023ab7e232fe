// Shows the events of an answer or a run as they come, and loads the page anew at the end.
"use strict";

const list = document.getElementById("progress");
const standing = document.getElementById("standing");
const bar = document.querySelector("progress");
const count = document.getElementById("count");
const words = {
  queued: () => "Queued.",
  running: () => "A worker has it.",
  voted: (data) => `${data.readings} sources read, ${data.selected} answer: ${data.answers.join(" / ") || "no answer"}.`,
  debate_began: (data) => `A debate (${data.strategy}) over ${data.documents} documents began.`,
  turn_ended: (data) => `Round ${data.round}, ${data.agent}: ${data.said || data.status}`,
  forecast: (data) => `About ${data.readings} readings for ${data.queries} queries${data.seconds === null ? "" : `, ${data.seconds} s`}.`,
  progress: (data) => `${data.queries_collected} queries read, ${data.votes_total} votes.`,
  source_turned: (data) => `${data.source_name} turned.`,
};
const source = new EventSource(list.dataset.events);

function show(kind, event) {
  const data = JSON.parse(event.data).data;
  // Progress comes hundreds of times, which the list would have a screen reader read out.
  const shown = kind === "progress" ? count : list.appendChild(document.createElement("li"));
  shown.textContent = words[kind](data);
  if (kind === "running") {
    standing.textContent = standing.dataset.running;
  }
  if (bar && data.queries) {
    bar.max = data.queries;
    bar.hidden = false;
  }
  if (bar && kind === "progress") {
    bar.value = data.queries_collected;
  }
}

for (const kind of Object.keys(words)) {
  source.addEventListener(kind, (event) => show(kind, event));
}
for (const kind of ["succeeded", "failed", "cancelled"]) {
  source.addEventListener(kind, () => {
    source.close();
    location.reload();
  });
}
