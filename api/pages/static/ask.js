// Enter asks; Shift and Enter begin a new line.
"use strict";

document.getElementById("question")?.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
    event.preventDefault();
    event.target.form.requestSubmit();
  }
});
