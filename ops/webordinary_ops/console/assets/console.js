// Replaces the parts of the page that have changed, and keeps focus, open details and half-written forms.

const root = document.documentElement;
const state = document.getElementById("live-state");
const notice = document.getElementById("notice");
const mark = document.getElementById("live-mark");

function show(kind, text) {
  state.textContent = text;
  mark.className = `mark ${kind}${kind === "ok" ? " busy" : ""}`;
}

function showNotice(text) {
  notice.textContent = text;
  notice.hidden = !text;
}

function replace(id, html) {
  const old = document.getElementById(id);
  const template = document.createElement("template");
  template.innerHTML = html;
  const next = template.content.firstElementChild;
  if (next && !old) {  // a mail that has just come
    document.getElementById("newer-mails")?.before(next);
    arrange(next);
  }
  if (!next || !old || next.dataset.live === old.dataset.live) return;
  const active = old.contains(document.activeElement) ? document.activeElement : null;
  const path = active && (active.id ? `#${CSS.escape(active.id)}` : active.getAttribute("href") ? `[href="${CSS.escape(active.getAttribute("href"))}"]` : null);
  for (const details of old.querySelectorAll("details[id]")) {
    const same = next.querySelector(`#${CSS.escape(details.id)}`);
    if (same) same.open = details.open;
  }
  // A half-written text is kept in the new form.
  for (const field of old.querySelectorAll("textarea, input:not([type=hidden]), select")) {
    const same = field.name && next.querySelector(`${field.localName}[name="${CSS.escape(field.name)}"]`);
    if (same && field.files?.length) same.files = field.files;
    else if (same && field.type !== "file" && field.value !== field.defaultValue) same.value = field.value;
  }
  // A frame that shows the same page is kept, so that it does not load again.
  for (const frame of old.querySelectorAll("iframe[id]")) {
    const same = next.querySelector(`#${CSS.escape(frame.id)}`);
    if (same && same.getAttribute("src") === frame.getAttribute("src") && same.dataset.version === frame.dataset.version) {
      same.replaceWith(frame);
    }
  }
  old.replaceWith(next);
  if (path) next.querySelector(path)?.focus({ preventScroll: true });
  arrange(next);
}

function seconds(count) {
  if (count < 60) return `${Math.round(count)} s`;
  const minutes = Math.floor(count / 60), rest = Math.round(count % 60);
  if (minutes < 60) return rest && minutes < 10 ? `${minutes} min ${rest} s` : `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} days`;
}

setInterval(() => {
  for (const time of document.querySelectorAll("time[data-since]")) {
    time.textContent = seconds(Math.max(0, (Date.now() - Date.parse(time.dataset.since)) / 1000));
  }
}, 1000);

let stream = null;

function listen() {
  if (stream || !document.querySelector("[data-live]")) return;
  stream = new EventSource(`/events?path=${encodeURIComponent(location.pathname + location.search)}`);
  stream.addEventListener("changed", (event) => {
    const { at, nodes } = JSON.parse(event.data);
    for (const [id, html] of Object.entries(nodes)) replace(id, html);
    showNotice("");
    show("ok", `Live, as of ${at} UTC`);
  });
  stream.addEventListener("moved", (event) => {
    stream.close();
    location.replace(JSON.parse(event.data).to);
  });
  stream.addEventListener("unknown", (event) => {
    show("bad", `Not current: last read at ${JSON.parse(event.data).since} UTC`);
  });
  stream.addEventListener("stopped", (event) => {
    const { text, nodes } = JSON.parse(event.data);
    for (const [id, html] of Object.entries(nodes)) replace(id, html);
    showNotice(text);
    show("bad", "Stopped");
  });
  stream.addEventListener("error", () => show("bad", "Not connected; this page is not current"));
}

document.addEventListener("visibilitychange", () => {
  if (document.hidden) {
    stream?.close();
    stream = null;
    show("off", "Paused in the background");
  } else listen();
});

// Frames of mails have no scripts; the page gives each one the height of its content.
function arrange(within) {
  for (const frame of within.querySelectorAll("iframe.as-mail")) {
    const fit = () => {
      const body = frame.contentDocument?.documentElement;
      if (body) frame.setAttribute("height", String(body.scrollHeight + 8));
    };
    frame.addEventListener("load", fit);
    frame.closest("details")?.addEventListener("toggle", fit);
  }
  for (const form of within.querySelectorAll("form[method=post]")) {
    form.addEventListener("submit", (event) => {
      if (form.dataset.sent) return event.preventDefault();
      form.dataset.sent = "yes";
    });
  }
  for (const area of within.querySelectorAll("form[data-drop]")) {
    const files = area.querySelector("input[type=file]");
    area.addEventListener("dragover", (event) => { event.preventDefault(); area.classList.add("dropping"); });
    area.addEventListener("dragleave", () => area.classList.remove("dropping"));
    area.addEventListener("drop", (event) => {
      event.preventDefault();
      area.classList.remove("dropping");
      const all = new DataTransfer();
      for (const file of [...files.files, ...event.dataTransfer.files]) all.items.add(file);
      files.files = all.files;
    });
  }
}

const theme = document.querySelector(".theme");
const dark = () => (root.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
const label = () => { theme.textContent = dark() ? "Light colours" : "Dark colours"; };
try { if (localStorage.theme) root.dataset.theme = localStorage.theme; } catch { /* storage is turned off */ }
theme.hidden = false;
theme.addEventListener("click", () => {
  root.dataset.theme = dark() ? "light" : "dark";
  try { localStorage.theme = root.dataset.theme; } catch { /* storage is turned off */ }
  label();
});
label();
arrange(document);
listen();
window.addEventListener("pageshow", (event) => {
  if (event.persisted) for (const form of document.querySelectorAll("form")) delete form.dataset.sent;
});
