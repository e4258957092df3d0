// Keeps the page up to date: the server says when something changed, and the conversations are fetched anew.

const conversations = document.getElementById("conversations");
const live = document.getElementById("live");
const form = document.getElementById("compose");
const sent = document.getElementById("sent");

const news = new EventSource("/changes");

news.addEventListener("open", () => {
  live.textContent = "live";
  live.classList.add("on");
});

news.addEventListener("error", () => {
  live.textContent = "not connected";
  live.classList.remove("on");
});

news.addEventListener("changed", async () => {
  const answer = await fetch("/conversations");
  if (answer.ok) conversations.innerHTML = await answer.text();
});

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  sent.textContent = "sending…";
  const answer = await fetch(form.action, { method: "POST", body: new URLSearchParams(new FormData(form)) });
  sent.textContent = await answer.text();
});
