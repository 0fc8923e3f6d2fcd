// The session and its pictures, on one thread beside the page. Each piece of work ends within some 50 ms, and messages of the page are
// heard between two pieces.

const STEPS_MS = 14; // of one piece of steps
const BAKE_MS = { running: 16, resting: 40 }; // of one piece of the ground's fine maps
const MOVING_PIXELS = 3.1e5;
const PICTURES = 24; // a second; a picture takes about as long as that allows
const CARD_MS = 1000 / 60; // between two pictures of a graphics card
const REPORT_MS = 200; // between two reports
const REST_MS = 250; // after the last movement of the camera, pictures become finer

// The module that draws on the processor or by the graphics card, its memory, the running scene, and the canvas of the card.
let api, wasm, page, canvas = null;
let size = [640, 400]; // of a picture at rest
let small = [640, 400]; // of a picture while something moves: its pixels cost more than they show
let playing = false;
let speed = 60; // steps a second
let owed = 0, last = 0; // steps that the clock asks for, and when it was asked last
let wanted = 0; // single steps
let dirty = false; // the picture is not that of the present state
let baking = false;
let drawn = [640, 400]; // size of the last picture
let shown = true; // the page has taken the last picture
let reported = 0, stale = false;
let moved = 0; // when the camera moved last
let pictured = 0; // when the last picture was drawn
let pauses = false; // time stands still when a seek arrives

let begun; // called when the module is there, for which other messages wait
const ready = new Promise((done) => (begun = done));

const hear = {
  async start({ module, on }) {
    api = await import(`./lavoxel${on === "gpu" ? "_gpu" : ""}.js`);
    wasm = await api.default({ module_or_path: module });
    if (on === "gpu") {
      canvas = new OffscreenCanvas(...size);
      await api.open_card(canvas);
    }
    begun();
    postMessage({ lists: { scenes: JSON.parse(api.scenes()), tools: JSON.parse(api.tools()) } });
  },
  open({ path, files, camera, history, style, run, ahead = 0 }) {
    if (files) {
      api.forget();
      for (const { name, bytes } of files) path = pick(path, name, api.keep(name, new Uint8Array(bytes)));
    }
    const next = history ? api.Page.replayed(path, history) : new api.Page(path); // throws before the old one is gone
    if (ahead) next.advance(ahead, 1500);
    page?.free();
    page = next;
    if (camera) page.set_camera(new Float32Array(camera));
    if (style) page.set_style(style);
    [playing, owed, wanted, baking, dirty, pauses] = [run && !page.travels(), 0, 0, true, true, false];
    const report = JSON.parse(page.report());
    if (report.goals.length) playing = false; // a player reads the task first
    postMessage({ opened: path, report, playing });
  },
  size({ size: now }) {
    const scale = Math.min(1, Math.sqrt(MOVING_PIXELS / (now[0] * now[1])));
    [size, small, dirty] = [now, now.map((side) => Math.max(16, Math.round(side * scale))), true];
  },
  play({ on }) {
    [playing, owed, last] = [on, 0, performance.now()];
    tell();
  },
  speed({ speed: now }) {
    [speed, owed] = [now, 0];
  },
  step() {
    playing = false;
    wanted += 1;
  },
  turn({ by }) {
    page?.turn(...by);
    [dirty, moved] = [true, performance.now()];
  },
  pan({ by }) {
    page?.pan(...by);
    [dirty, moved] = [true, performance.now()];
  },
  zoom({ by }) {
    page?.zoom(by);
    [dirty, moved] = [true, performance.now()];
  },
  home() {
    page?.set_camera(new Float32Array());
    [dirty, moved] = [true, performance.now()];
  },
  style({ name }) {
    page?.set_style(name);
    tell();
  },
  slice({ axis, share, quantity }) {
    page?.set_slice(axis, share, quantity);
    tell();
  },
  stroke({ tool, material, radius, points, begins }) {
    page?.stroke(tool, material, radius, pixels(points), begins);
    tell();
  },
  source({ material, at }) {
    page?.source(material, ...pixels(at));
    tell();
  },
  close({ number }) {
    page?.close_source(number);
    tell();
  },
  dam({ ends, height }) {
    page?.dam(pixels(ends), height);
    tell();
  },
  go({ way, number = 0 }) {
    if (page?.go(way, number)) pauses = true;
    tell();
  },
  mark() {
    page?.keep_moment();
    tell();
  },
  probe({ at }) {
    return page?.probe(...pixels(at)) ?? "";
  },
  link() {
    return { path: page.path(), history: page.history(), camera: [...page.camera()] };
  },
  save() {
    return page.save();
  },
  hash() {
    return page.hash();
  },
  // For tests: steps up to a number, without pictures.
  run({ to }) {
    playing = false;
    while (page.travels()) page.advance(0, 1000);
    page.advance(Math.max(0, to - page.steps()), 1e9);
    tell();
    return page.hash();
  },
  memory() {
    return wasm.memory.buffer.byteLength;
  },
  shown() {
    shown = true;
  },
};

onmessage = async ({ data }) => {
  try {
    if (data.do !== "start") await ready;
    const answer = await hear[data.do](data);
    if (data.id) postMessage({ answer: data.id, value: answer });
  } catch (error) {
    const broken = error instanceof WebAssembly.RuntimeError;
    if (data.id) postMessage({ answer: data.id, error: String(error) });
    postMessage({ error: String(error), broken, of: data.do });
  }
  wake();
};

// The file of a drop that is opened: a session or a scene before a heightmap, and a heightmap before what lies beside it.
function pick(now, name, path) {
  const rank = (path) => (/\.lavoxel$/i.test(path) ? 3 : /\.toml$/i.test(path) ? 2 : /\.(asc|csv|dem|hgt|npy|png|r16|r32|raw|tiff?|xyz)$/i.test(path) ? 1 : 0);
  return now && rank(now) >= rank(path) ? now : path;
}

// Pixels of the last picture from shares of its width and height, one pair after the other.
function pixels(shares) {
  return Float32Array.from(shares, (share, k) => share * drawn[k % 2]);
}

function tell() {
  [dirty, stale] = [true, true];
}

// A channel has no delay of 4 ms, unlike a timer.
const { port1, port2 } = new MessageChannel();
let awake = false;
function wake() {
  if (!awake) {
    awake = true;
    port2.postMessage(0);
  }
}

port1.onmessage = () => {
  awake = false;
  if (!page) return;
  try {
    if (work()) wake();
  } catch (error) {
    postMessage({ error: String(error), broken: true, gone: String(error).includes("graphics card"), of: "work" });
  }
};

let turn = 0;

// Does one piece of what is to be done; returns false if there is nothing.
function work() {
  const now = performance.now();
  const pieces = [steps, picture, bake];
  let did = false;
  for (let k = 0; k < pieces.length && !did; k++) did = pieces[(turn + k) % pieces.length](now);
  turn += 1;
  if (stale && now - reported > REPORT_MS) {
    [reported, stale] = [now, false];
    postMessage({ report: JSON.parse(page.report()), playing });
  } else if (stale && !did) {
    setTimeout(wake, REPORT_MS);
  }
  if (playing && !did) setTimeout(wake, 1000 / Math.min(speed, 100));
  return did;
}

function steps(now) {
  if (page.travels()) {
    page.advance(0, STEPS_MS);
    if (!page.travels()) [playing, pauses, owed, last] = [playing && !pauses, false, 0, now];
    tell();
    return true;
  }
  if (playing) owed = Math.min(owed + ((now - last) * speed) / 1000, speed * 0.1 + 1);
  last = now;
  const due = playing ? Math.floor(owed) : wanted;
  if (due < 1) return false;
  const made = page.advance(due, STEPS_MS);
  if (playing) owed -= made;
  else wanted -= made;
  tell();
  return true;
}

function picture(now) {
  if (!dirty || !shown) return false;
  const early = canvas ? pictured + CARD_MS - now : 0;
  if (early > 0) {
    setTimeout(wake, early);
    return false;
  }
  pictured = now;
  const rests = !playing && !page.travels() && now - moved > REST_MS;
  // The card chooses the resolution of a moving picture itself.
  const [width, height] = rests || canvas ? size : small;
  drawn = [width, height];
  const better = page.draw(width, height, rests ? 0 : PICTURES);
  const ms = performance.now() - now;
  shown = false;
  dirty = (better || !rests) && !playing;
  // A copy of bytes: memory that grew has another buffer, and the page takes this one.
  const frame = canvas ? canvas.transferToImageBitmap() : new Uint8ClampedArray(wasm.memory.buffer, page.pixels(), 4 * width * height).slice().buffer;
  postMessage({ frame, width, height, ms, share: page.share(), step: page.steps(), settled: rests && !better }, [frame]);
  return true;
}

function bake() {
  if (!baking) return false;
  baking = page.bake(playing ? BAKE_MS.running : BAKE_MS.resting);
  if (!baking) dirty = true;
  return true;
}
