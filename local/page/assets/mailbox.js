// Reloads the conversations whenever the server reports a change.

const conversations = document.getElementById("conversations");
const live = document.getElementById("live");
const form = document.getElementById("compose");
const sent = document.getElementById("sent");

const changes = new EventSource("/changes");

function showState(connected) {
  const works = connected && document.getElementById("problem") === null;
  live.textContent = works ? "live" : connected ? "stopped" : "not connected";
  live.classList.toggle("on", works);
}

changes.addEventListener("open", () => showState(true));

changes.addEventListener("error", () => showState(false));

changes.addEventListener("changed", async () => {
  const response = await fetch("/conversations");
  if (response.ok) conversations.innerHTML = await response.text();
  showState(true);
});

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  sent.textContent = "sending…";
  const response = await fetch(form.action, { method: "POST", body: new URLSearchParams(new FormData(form)) });
  sent.textContent = await response.text();
});
