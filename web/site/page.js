// The page: controls, pointer and keys. The session runs in a worker; nothing here waits for it.
import { Film, save } from "./files.js";
import { read, write } from "./link.js";

const $ = (id) => document.getElementById(id);
const picture = $("picture");
const context = picture.getContext("2d", { alpha: false });
// The first visit begins where the crater has filled, so that lava runs at once; the time line goes back to the start.
const FIRST = { path: "shipped:/volcano.toml", ahead: 900 };
const MOST_PIXELS = { cpu: 1.05e6, gpu: 4.2e6 }; // of the picture; more take longer than they show
const still = matchMedia("(prefers-reduced-motion: reduce)").matches;

const state = { report: null, playing: false, tool: "orbit", material: "lava", lists: null, path: FIRST.path, text: null, challenge: "", dam: null, opening: null, on: "cpu" };
// Numbers for tests and curious people: times in ms since the page was asked for.
window.lavoxel = { pictures: 0, firstPicture: 0, firstLava: 0, frame: null, ask, state };

// ---- worker ----

let worker, module, asked = 0;
const answers = new Map();

function begin(open) {
  worker?.terminate();
  worker = new Worker("worker.js", { type: "module" });
  worker.onmessage = ({ data }) => hear(data);
  worker.onerror = (event) => broken(event.message);
  state.opening = open;
  module.then((module) => worker.postMessage({ do: "start", module, on: state.on }), (error) => say(`the page cannot be loaded: ${error}`, true));
}

function tell(what, transfer = []) {
  worker.postMessage(what, transfer);
}

function ask(what) {
  const id = ++asked;
  return new Promise((resolve, reject) => {
    answers.set(id, { resolve, reject });
    tell({ ...what, id });
  });
}

function hear(data) {
  if (data.frame) return show(data);
  if (data.answer) {
    const { resolve, reject } = answers.get(data.answer);
    answers.delete(data.answer);
    return data.error ? reject(new Error(data.error)) : resolve(data.value);
  }
  if (data.lists) {
    state.lists = data.lists;
    makeLists();
    return open(state.opening);
  }
  if (data.opened) return opened(data);
  if (data.report) return report(data);
  if (data.error && state.on === "gpu" && (data.of === "start" || data.gone)) return onProcessor();
  if (data.error) return data.broken ? broken(data.error, data.of) : failed(data.error, data.of);
}

// The card does not open, or is gone: the page goes on without it, from the start of the scene.
function onProcessor() {
  load("cpu");
  begin({ ...state.opening, ...(state.report && { ...FIRST, ahead: 0, path: state.path.startsWith("shipped:") ? state.path : FIRST.path }), run: !still });
}

// The module ended by a mistake, or by a file that its reader could not stand.
function broken(error, of) {
  say(of === "open" ? "the file cannot be read: it is damaged, or too large for a page" : `Lavoxel broke off, by a mistake of its own, and begins again (${error})`, true);
  begin({ ...FIRST, ...(of !== "open" && state.path.startsWith("shipped:") && { path: state.path }), run: false });
}

function failed(error, of) {
  say(error, true);
  if (of === "open") {
    $("loading").hidden = true;
    if (!state.report) open({ ...FIRST, run: !still });
  }
}

// ---- scenes ----

function open(what) {
  $("loading").hidden = false;
  state.pending = what;
  tell({ do: "size", size: fitted() });
  tell({ do: "speed", speed: Number($("speed").value) });
  tell({ do: "open", ...what }, (what.files ?? []).map((file) => file.bytes));
}

function opened({ opened: path, report: now, playing }) {
  const what = state.pending ?? {};
  Object.assign(state, { path, text: what.text ?? null, challenge: "", dam: null });
  $("loading").hidden = true;
  $("begin").hidden = playing || now.goals.length > 0 || Boolean(what.history) || !still;
  choose("orbit");
  report({ report: now, playing });
  if (now.goals.length && now.step === 0) task();
}

function scene(name, run = true) {
  history.replaceState(null, "", `#scene=${name}`);
  open({ path: `shipped:/${name}.toml`, run: run && !still });
}

async function files(list) {
  const kept = await Promise.all([...list].map(async (file) => ({ name: file.name, bytes: await file.arrayBuffer() })));
  if (!kept.length) return;
  const text = kept.length === 1 && /\.toml$/i.test(kept[0].name) ? new TextDecoder().decode(kept[0].bytes) : null;
  open({ files: kept, text, run: !still });
}

// The link of the address, if there is one.
async function linked() {
  const name = /^#scene=([a-z0-9_]+)$/.exec(location.hash)?.[1];
  if (name) return { path: `shipped:/${name}.toml`, run: !still };
  if (location.hash.length < 8) return { ...FIRST, run: !still };
  try {
    const link = await read(location.hash.slice(1));
    const bytes = link.text && new TextEncoder().encode(link.text).buffer;
    return { path: link.scene && `shipped:/${link.scene}.toml`, files: bytes && [{ name: "linked.toml", bytes }], text: link.text, camera: link.camera, style: link.style, history: link.history, run: false };
  } catch (error) {
    say(`the link cannot be read: ${error.message}`, true);
    return { ...FIRST, run: !still };
  }
}

// ---- pictures ----

function fitted() {
  const { clientWidth: width, clientHeight: height } = $("stage");
  // A card draws the pixels of a fine screen too.
  const fine = state.on === "gpu" ? devicePixelRatio : 1;
  const scale = Math.min(fine, Math.sqrt(MOST_PIXELS[state.on] / Math.max(1, width * height)));
  return [Math.max(16, Math.round(width * scale)), Math.max(16, Math.round(height * scale))];
}

function show({ frame, width, height, ms, share, step, settled }) {
  if (picture.width !== width || picture.height !== height) [picture.width, picture.height] = [width, height];
  if (frame instanceof ImageBitmap) {
    context.drawImage(frame, 0, 0);
    frame.close();
  } else {
    context.putImageData(new ImageData(new Uint8ClampedArray(frame), width, height), 0, 0);
  }
  tell({ do: "shown" });
  const seen = window.lavoxel;
  seen.pictures += 1;
  seen.firstPicture ||= performance.now();
  if (step > 0) seen.firstLava ||= performance.now();
  seen.frame = { width, height, ms, share, step, settled };
  $("first").classList.add("gone");
  $("clock").value = `step ${step}`;
}

new ResizeObserver(() => worker && tell({ do: "size", size: fitted() })).observe($("stage"));

// ---- report ----

function report({ report: now, playing }) {
  const before = state.report;
  Object.assign(state, { report: now, playing });
  $("title").textContent = now.name.replaceAll("_", " ");
  document.title = `Lavoxel: ${now.name.replaceAll("_", " ")}`;
  $("play").textContent = playing ? "Pause" : "Run";
  $("play").setAttribute("aria-pressed", playing);
  if (playing) $("begin").hidden = true;
  offer("undo", now.undo);
  offer("redo", now.redo);
  const line = $("line");
  line.max = Math.max(now.end, now.step, 1);
  if (document.activeElement !== line || !line.matches(":active")) line.value = now.travels ? now.goal : now.step;
  $("clock").value = `step ${now.step}${now.time ? `, ${now.time}` : ""}`;
  marks(now);
  if (!before || JSON.stringify(before.materials) !== JSON.stringify(now.materials)) materials(now.materials);
  fill($("style"), now.styles, now.style);
  if (!before || before.quantities.length !== now.quantities.length) fill($("quantity"), now.quantities, $("quantity").value);
  now.slices.forEach((share, axis) => {
    const slider = $(`cut-${axis}`);
    if (document.activeElement !== slider) slider.value = share === null ? -1 : 100 * share;
  });
  rows("sources", now.sources, (source) => [`${source.name} ${source.number + 1}`, "Remove", () => tell({ do: "close", number: source.number })]);
  rows("branches", now.branches, (branch) => [`${branch.name}, to step ${branch.end}`, branch.is_present ? "" : "Go there", () => tell({ do: "go", way: "branch", number: branch.number })]);
  $("numbers").textContent = `${now.grid.join(" × ")} cells of ${now.cell_m} m. In full cells: ${now.account || "nothing"}.`;
  goals(now);
  now.notices.forEach((notice) => say(notice.text, notice.wrong));
}

function offer(id, words) {
  const button = $(id);
  button.disabled = words === null;
  button.title = words ?? "";
}

function fill(select, names, value) {
  if (select.children.length !== names.length || [...select.options].some((option, k) => option.value !== names[k].name)) {
    select.replaceChildren(...names.map(({ name, words }) => new Option(select.id === "style" ? name : words, name)));
  }
  if (document.activeElement !== select && names.some(({ name }) => name === value)) select.value = value;
}

function rows(id, items, make) {
  const list = $(id), made = JSON.stringify(items);
  if (list.dataset.made === made) return;
  list.dataset.made = made;
  list.replaceChildren(...items.map((item) => {
    const [words, does, act] = make(item), row = document.createElement("li");
    row.append(words);
    if (does) {
      const button = document.createElement("button");
      button.textContent = does;
      button.setAttribute("aria-label", `${does}: ${words}`);
      button.onclick = act;
      row.append(button);
    }
    return row;
  }));
}

function marks(now) {
  const made = JSON.stringify([now.acts, now.kept, now.end]);
  if ($("marks").dataset.made === made) return;
  $("marks").dataset.made = made;
  const mark = (step, words, kind) => {
    const dot = document.createElement("i");
    dot.style.left = `${(100 * step) / Math.max(now.end, 1)}%`;
    dot.title = words;
    dot.className = kind;
    return dot;
  };
  $("marks").replaceChildren(...now.acts.map(({ step, words }) => mark(step, words, "")), ...now.kept.map((step) => mark(step, "kept", "kept")));
}

// ---- challenges ----

function goals(now) {
  const box = $("goals");
  box.hidden = now.goals.length === 0;
  if (box.hidden) return;
  const title = document.createElement("h2");
  title.textContent = "Goals";
  box.replaceChildren(title, ...now.goals.map((goal) => {
    const row = document.createElement("p"), small = document.createElement("small");
    row.className = goal.verdict;
    row.textContent = `${goal.verdict === "won" ? "✔" : goal.verdict === "lost" ? "✖" : "○"} ${goal.name}`;
    small.textContent = goal.words;
    const bar = document.createElement("progress");
    bar.value = goal.share;
    bar.setAttribute("aria-label", goal.name);
    if (!goal.verdict) row.append(bar);
    row.append(small);
    return row;
  }));
  if (now.outcome && now.outcome !== state.challenge) end(now.outcome);
  state.challenge = now.outcome;
}

function card(kind, title, words, [main, onMain], [other, onOther]) {
  const dialog = $("card");
  dialog.className = kind;
  $("card-title").textContent = title;
  $("card-words").textContent = words;
  const put = (button, words, act) => {
    button.textContent = words;
    button.onclick = () => (dialog.close(), act());
  };
  put($("card-main"), main, onMain);
  put($("card-other"), other, onOther);
  if (!dialog.open) dialog.showModal();
}

function task() {
  const usual = "Bring about what the goals ask for: build, dig or pour before the first step or at any other.";
  card("", `Challenge: ${state.report.name.replaceAll("_", " ")}`, state.report.task || usual, ["Build first", () => choose("dam")], ["Run", () => play(true)]);
}

function end(outcome) {
  play(false);
  const won = outcome === "won";
  const words = won ? "All goals are reached." : "A goal was missed. Undo and the time line go back to any moment; or begin again.";
  card(outcome, won ? "Won" : "Lost", words, ["Again", () => tell({ do: "go", way: "start" })], ["Go on looking", () => {}]);
}

// ---- tools ----

function makeLists() {
  const { tools, scenes } = state.lists;
  choices("tools", tools.map(({ name, what }) => ({ name, title: what, words: name === "orbit" ? "turn" : name })), state.tool, choose);
  $("gallery").replaceChildren(...scenes.map(({ name, about, is_challenge }) => {
    const button = document.createElement("button"), image = new Image(192, 128), title = document.createElement("b"), words = document.createElement("small");
    image.loading = "lazy";
    image.alt = "";
    image.src = `pictures/${name}.webp`;
    title.textContent = name.replaceAll("_", " ");
    if (is_challenge) {
      const mark = document.createElement("em");
      mark.textContent = " challenge";
      title.append(mark);
    }
    words.textContent = about;
    button.append(image, title, words);
    button.onclick = () => ($("scenes").close(), scene(name));
    return button;
  }));
}

function choices(id, items, value, act) {
  $(id).replaceChildren(...items.map(({ name, title, words, color }) => {
    const label = document.createElement("label"), input = document.createElement("input"), span = document.createElement("span");
    label.className = "choice";
    label.title = title ?? "";
    Object.assign(input, { type: "radio", name: id, value: name, checked: name === value, onchange: () => act(name) });
    if (color) {
      const dot = document.createElement("i");
      dot.style.background = color;
      span.append(dot);
    }
    span.append(words);
    label.append(input, span);
    return label;
  }));
}

function materials(list) {
  if (!list.some(({ name }) => name === state.material)) state.material = list[0]?.name ?? "lava";
  choices("materials", list.map(({ name, color }) => ({ name, words: name, color })), state.material, (name) => (state.material = name));
}

function tool() {
  return state.lists?.tools.find(({ name }) => name === state.tool) ?? {};
}

function choose(name) {
  [state.tool, state.dam] = [name, null];
  const input = document.querySelector(`#tools input[value="${name}"]`);
  if (input) input.checked = true;
  picture.classList.toggle("tool", name !== "orbit");
  const { brush, pours } = tool();
  $("pours").dataset.kind = brush && pours ? "both" : brush ? "brush" : pours ? "source" : "none";
  $("hint").hidden ||= name !== "orbit";
  if (name === "dam") say("Click one end of the dam, then the other.");
}

// Uses the tool at a place of the picture.
function use(at, begins) {
  $("hint").hidden = true;
  if (state.tool === "source") return begins && tell({ do: "source", material: state.material, at });
  if (state.tool === "dam") {
    if (!begins) return;
    if (state.dam) tell({ do: "dam", ends: [...state.dam, ...at], height: NaN });
    else say("Now the other end.");
    state.dam = state.dam ? null : at;
    return;
  }
  stroke([...at], begins);
}

function stroke(points, begins) {
  tell({ do: "stroke", tool: state.tool, material: state.material, radius: Number($("radius").value), points, begins });
}

// ---- pointer ----

const down = new Map();
let drawing = false, repeat = 0, moved = 0;
// A place of the picture in shares of its width and height: pictures change their size.
const place = (event) => [event.offsetX / picture.clientWidth, event.offsetY / picture.clientHeight];
const spread = () => {
  const [a, b] = [...down.values()];
  return { apart: Math.hypot(a.x - b.x, a.y - b.y), middle: [(a.x + b.x) / 2, (a.y + b.y) / 2] };
};

picture.onpointerdown = (event) => {
  picture.focus({ preventScroll: true });
  picture.setPointerCapture(event.pointerId);
  down.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
  moved = 0;
  $("readout").hidden = true;
  if (down.size > 1) return lift();
  if (state.tool === "orbit" || event.button > 0 || event.shiftKey) return;
  drawing = true;
  use(place(event), true);
  // Held still, some tools go on at one place.
  if (tool().brush && state.tool !== "bucket") repeat = setInterval(() => state.playing && stroke([], false), 60);
};

picture.onpointermove = (event) => {
  const from = down.get(event.pointerId);
  if (!from) return look(event);
  const before = down.size === 2 ? spread() : null;
  const [dx, dy] = [event.offsetX - from.x, event.offsetY - from.y];
  down.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
  moved += Math.abs(dx) + Math.abs(dy);
  if (moved > 6) $("hint").hidden = true;
  if (before) {
    const now = spread();
    tell({ do: "zoom", by: now.apart / Math.max(before.apart, 1) });
    return turn(now.middle[0] - before.middle[0], now.middle[1] - before.middle[1]);
  }
  if (drawing) {
    const path = (event.getCoalescedEvents?.() ?? []).flatMap(place);
    return tool().brush && state.tool !== "bucket" && stroke(path.length ? path : place(event), false);
  }
  if (event.shiftKey) return tell({ do: "pan", by: [dx / picture.clientHeight, dy / picture.clientHeight] });
  turn(dx, dy);
};

function turn(dx, dy) {
  tell({ do: "turn", by: [-0.35 * dx, 0.3 * dy] });
}

function lift() {
  drawing = false;
  clearInterval(repeat);
}

picture.onpointerup = picture.onpointercancel = (event) => {
  down.delete(event.pointerId);
  lift();
};
picture.oncontextmenu = (event) => event.preventDefault();
picture.addEventListener("wheel", (event) => {
  event.preventDefault();
  tell({ do: "zoom", by: Math.exp(-event.deltaY / 600) });
}, { passive: false });
picture.onpointerleave = () => ($("readout").hidden = true);

// The cell under a pointer that rests.
let looking = 0;
function look(event) {
  clearTimeout(looking);
  $("readout").hidden = true;
  if (event.pointerType === "touch" || state.tool !== "orbit") return;
  const [x, y] = [event.offsetX, event.offsetY], at = place(event);
  looking = setTimeout(async () => {
    const words = await ask({ do: "probe", at }).catch(() => "");
    const box = $("readout");
    box.textContent = words;
    box.hidden = !words;
    box.style.transform = `translate(${Math.min(x + 14, picture.clientWidth - box.offsetWidth - 8)}px, ${Math.min(y + 14, picture.clientHeight - box.offsetHeight - 8)}px)`;
  }, 250);
}

// ---- controls ----

function play(on) {
  tell({ do: "play", on });
}

$("play").onclick = () => play(!state.playing);
$("begin").onclick = () => play(true);
$("step").onclick = () => tell({ do: "step" });
$("speed").onchange = () => tell({ do: "speed", speed: Number($("speed").value) });
$("undo").onclick = () => tell({ do: "go", way: "undo" });
$("redo").onclick = () => tell({ do: "go", way: "redo" });
$("mark").onclick = () => tell({ do: "mark" });
$("back").onclick = () => tell({ do: "go", way: "back" });
$("ahead").onclick = () => tell({ do: "go", way: "ahead" });
$("line").oninput = () => tell({ do: "go", way: "step", number: Number($("line").value) });
$("home").onclick = () => tell({ do: "home" });
$("style").onchange = () => tell({ do: "style", name: $("style").value });
for (const axis of [0, 1, 2]) $(`cut-${axis}`).oninput = () => cut(axis);
$("quantity").onchange = () => [0, 1, 2].forEach(cut);
$("scenes-open").onclick = () => $("scenes").showModal();
$("help-open").onclick = () => $("help").showModal();
$("file-open").onclick = () => $("file").click();
$("file").onchange = () => files($("file").files).then(() => ($("file").value = ""));

function cut(axis) {
  tell({ do: "slice", axis, share: Number($(`cut-${axis}`).value) / 100, quantity: $("quantity").value });
}

$("save").onclick = async () => {
  const bytes = await ask({ do: "save" }).catch((error) => say(error.message, true));
  if (bytes) save(new Blob([bytes]), `${state.report.name}.lavoxel`);
};

$("share").onclick = async () => {
  const { path, history: acts, camera } = await ask({ do: "link" });
  const name = /^shipped:\/(.*)\.toml$/.exec(path)?.[1];
  if (!name && !state.text) return say("A session over a file of your own is shared as a file: Save writes it.", true);
  const packed = await write({ scene: name, text: name ? undefined : state.text, history: acts, camera, style: state.report.style });
  const link = `${location.origin}${location.pathname}#${packed}`;
  if (link.length > 30000) return say("This session is too long for a link: Save writes it as a file.", true);
  history.replaceState(null, "", link);
  const copied = await navigator.clipboard?.writeText(link).then(() => true, () => false);
  $("link-words").textContent = `${copied ? "Copied. " : ""}The link holds scene, acts and camera, and plays to the same bits wherever it is opened. Nothing is sent before you send it.`;
  $("link-text").value = link;
  $("link").showModal();
  $("link-text").select();
};

$("photo").onclick = () => picture.toBlob((blob) => save(blob, `${state.report.name}-${state.report.step}.png`));

const film = new Film(picture);
$("film").hidden = !film.can;
$("film").onclick = () => {
  const on = film.toggle(state.report?.name ?? "lavoxel");
  $("film").setAttribute("aria-pressed", on);
  $("film").textContent = on ? "End film" : "Film";
};

const keys = {
  " ": () => play(!state.playing),
  ".": () => tell({ do: "step" }),
  z: () => tell({ do: "go", way: "undo" }),
  y: () => tell({ do: "go", way: "redo" }),
  k: () => tell({ do: "mark" }),
  "[": () => tell({ do: "go", way: "back" }),
  "]": () => tell({ do: "go", way: "ahead" }),
  c: () => {
    const slider = $("cut-2");
    slider.value = Number(slider.value) < 0 ? 50 : -1;
    cut(2);
  },
  "+": () => tell({ do: "zoom", by: 1.15 }),
  "-": () => tell({ do: "zoom", by: 1 / 1.15 }),
  Home: () => tell({ do: "home" }),
};
const turns = { ArrowLeft: [-6, 0], ArrowRight: [6, 0], ArrowUp: [0, 4], ArrowDown: [0, -4] };

addEventListener("keydown", (event) => {
  if (event.altKey || event.metaKey || event.target.closest("dialog, input[type=range], input[type=radio], select")) return;
  if (event.target.closest("button, summary") && [" ", "Enter"].includes(event.key)) return;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (event.ctrlKey && key !== "z" && key !== "y") return;
  const chosen = state.lists?.tools[Number(key) - 1];
  if (turns[key]) tell({ do: "turn", by: turns[key] });
  else if (keys[key]) keys[key]();
  else if (key === "Enter" && state.tool !== "orbit") use([0.5, 0.5], true);
  else if (key === "Escape") choose("orbit");
  else if (chosen) choose(chosen.name);
  else return;
  event.preventDefault();
});

addEventListener("dragover", (event) => {
  event.preventDefault();
  $("drop").hidden = false;
});
addEventListener("dragleave", (event) => {
  if (!event.relatedTarget) $("drop").hidden = true;
});
addEventListener("drop", (event) => {
  event.preventDefault();
  $("drop").hidden = true;
  files(event.dataTransfer.files);
});
addEventListener("hashchange", () => linked().then(open));

function say(words, wrong = false) {
  const note = document.createElement("p");
  note.textContent = words;
  note.className = wrong ? "wrong" : "";
  $("notices").append(note);
  while ($("notices").children.length > 3) $("notices").firstChild.remove();
  setTimeout(() => note.remove(), wrong ? 9000 : 5000);
}

// ---- begin ----

if (matchMedia("(max-width: 720px)").matches) document.querySelectorAll("aside details").forEach((part) => (part.open = false));

// Loads the module that draws on the processor or by the graphics card (`on`: cpu, gpu).
function load(on) {
  state.on = on;
  module = WebAssembly.compileStreaming(fetch(`lavoxel${on === "gpu" ? "_gpu" : ""}_bg.wasm`));
}

// A card that is a program on the processor is slower than our own marcher. `?on=cpu` and `?on=gpu` choose for oneself.
async function chosen() {
  const on = new URLSearchParams(location.search).get("on");
  if (on === "cpu" || !navigator.gpu) return "cpu";
  const adapter = await navigator.gpu.requestAdapter({ powerPreference: "high-performance" }).catch(() => null);
  return adapter && (on === "gpu" || !(adapter.info?.isFallbackAdapter ?? adapter.isFallbackAdapter)) ? "gpu" : "cpu";
}

load(await chosen());
begin(await linked());
if ("serviceWorker" in navigator && (location.protocol === "https:" || location.hostname === "localhost")) navigator.serviceWorker.register(`offline.js?on=${state.on}`);
