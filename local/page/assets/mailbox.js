// Reloads the conversations whenever the server reports a change.

const conversations = document.getElementById("conversations");
const live = document.getElementById("live");
const form = document.getElementById("compose");
const sent = document.getElementById("sent");

const changes = new EventSource("/changes");

changes.addEventListener("open", () => {
  live.textContent = "live";
  live.classList.add("on");
});

changes.addEventListener("error", () => {
  live.textContent = "not connected";
  live.classList.remove("on");
});

changes.addEventListener("changed", async () => {
  const response = await fetch("/conversations");
  if (response.ok) conversations.innerHTML = await response.text();
});

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  sent.textContent = "sending…";
  const response = await fetch(form.action, { method: "POST", body: new URLSearchParams(new FormData(form)) });
  sent.textContent = await response.text();
});
