// Tests of the page in a headless Chromium: node web/tests/page.mjs [FOLDER OF THE PAGE [FOLDER FOR SCREENSHOTS]]
// ONLY=word runs the tests with this word in their name, MINUTES=10 watches the memory for so long.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { mkdir, readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync } from "node:zlib";
import { chromium } from "playwright-core";

const here = fileURLToPath(new URL(".", import.meta.url));
const [folder = join(here, "../target/page"), pictures = join(here, "../target/screenshots")] = process.argv.slice(2);
const terrains = join(here, "../../terrains");
await mkdir(pictures, { recursive: true });

// ---- a server, as slow as a phone's network where a test asks for it ----

const kinds = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".wasm": "application/wasm", ".svg": "image/svg+xml", ".webp": "image/webp", ".webmanifest": "application/json" };
let bytesPerSecond = Infinity;
const server = createServer(async (request, response) => {
  const name = new URL(request.url, "http://page").pathname.replace(/^\/$/, "/index.html");
  const bytes = await readFile(join(folder, name)).catch(() => null);
  if (!bytes) return response.writeHead(404).end();
  const packed = extname(name) === ".wasm" && packedModule ? packedModule : null;
  response.writeHead(200, { "content-type": kinds[extname(name)] ?? "application/octet-stream", ...(packed && { "content-encoding": "br" }) });
  const body = packed ?? bytes;
  for (let at = 0; at < body.length; at += 65536) {
    const part = body.subarray(at, at + 65536);
    response.write(part);
    if (bytesPerSecond < Infinity) await new Promise((done) => setTimeout(done, (1000 * part.length) / bytesPerSecond));
  }
  response.end();
});
// MBITS=12: a network of 12 Mbit/s, the module packed as a host would send it.
let packedModule = null;
if (process.env.MBITS) {
  bytesPerSecond = 125_000 * Number(process.env.MBITS);
  packedModule = brotliCompressSync(await readFile(join(folder, "lavoxel_bg.wasm")));
}
await new Promise((done) => server.listen(0, "127.0.0.1", done));
const home = `http://127.0.0.1:${server.address().port}/`;

// ---- browser ----

const launch = (args = []) => chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", ...args] });
const browser = await launch();

// A browser with WebGPU, by a card that is a program on the processor.
const CARD = ["--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--enable-unsafe-webgpu", "--ignore-gpu-blocklist", "--enable-gpu", "--enable-features=Vulkan", "--use-vulkan=swiftshader", "--use-webgpu-adapter=swiftshader", "--disable-gpu-watchdog"];

async function visit({ address = home, size = [1280, 800], touch = false, offline = false, by = browser, card = null } = {}) {
  const context = await by.newContext({ viewport: { width: size[0], height: size[1] }, hasTouch: touch, isMobile: touch, serviceWorkers: offline ? "allow" : "block" });
  const page = await context.newPage();
  if (card) await page.addInitScript(card);
  page.errors = [];
  page.on("pageerror", (error) => page.errors.push(String(error)));
  page.on("console", (message) => message.type() === "error" && page.errors.push(message.text()));
  await page.goto(address);
  await page.waitForFunction(() => window.lavoxel?.state?.report && lavoxel.pictures > 0, null, { timeout: 120_000 });
  return page;
}

const ask = (page, what) => page.evaluate((what) => lavoxel.ask(what), what);
const open = async (page, name) => {
  await page.evaluate((name) => (location.hash = `#scene=${name}`), name);
  await page.waitForFunction((name) => lavoxel.state.path === `shipped:/${name}.toml`, name);
  await ask(page, { do: "play", on: false });
  if ((await page.evaluate(() => lavoxel.state.report.step)) > 0) await ask(page, { do: "go", way: "start" });
  await page.waitForFunction(() => !lavoxel.state.report.travels);
};
const seen = (page, name) => page.screenshot({ path: join(pictures, `${name}.png`) });

// Share of the picture's pixels that glow as lava does.
const glowing = (page) =>
  page.evaluate(() => {
    const canvas = document.getElementById("picture");
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    let count = 0;
    for (let k = 0; k < data.length; k += 4) count += data[k] > 200 && data[k] > 1.5 * data[k + 2] && data[k + 1] > 60;
    return (4 * count) / data.length;
  });

// Levels of the picture in blocks of a fortieth of its height.
const shrunk = () => {
  const from = document.getElementById("picture");
  const canvas = new OffscreenCanvas(60, 40);
  const context = canvas.getContext("2d");
  context.imageSmoothingQuality = "high";
  context.drawImage(from, 0, 0, 60, 40);
  return [...context.getImageData(0, 0, 60, 40).data].filter((_, k) => k % 4 < 3);
};

const notice = (page) => page.locator("#notices p").last().textContent({ timeout: 20_000 });
const settled = (page, seconds = 60) => page.waitForFunction(() => lavoxel.frame?.settled, null, { timeout: 1000 * seconds });

// Parts of the page that reach past its sides; lists that scroll may.
const cutOff = () =>
  ["header", "#stage", "#hint", "aside", "footer", "nav", ".time", ".tools"].filter((part) => {
    const { left, right, width } = document.querySelector(part).getBoundingClientRect();
    return width > 0 && (left < 0 || right > innerWidth + 0.5);
  });

// ---- tests ----

const tests = {
  async "lava pours without a click"() {
    const page = await visit();
    await page.waitForFunction(() => lavoxel.frame?.step > 1000, null, { timeout: 60_000 });
    assert.ok((await glowing(page)) > 0.002, "no lava is seen");
    await seen(page, "first");
    const { firstPicture, firstLava, frame } = await page.evaluate(() => ({ ...lavoxel, state: null, ask: null }));
    console.log(`  first picture ${firstPicture.toFixed(0)} ms, first lava ${firstLava.toFixed(0)} ms, then ${JSON.stringify(frame)}`);
    assert.deepEqual(page.errors, []);
    await page.context().close();
  },

  async "states have the bits of the program"() {
    const page = await visit();
    for (const [name, steps, hash] of JSON.parse(await readFile(join(here, "hashes.json"), "utf8"))) {
      await open(page, name);
      assert.equal(await ask(page, { do: "run", to: steps }), hash, `${name} after ${steps} steps`);
    }
    await page.context().close();
  },

  async "a graphics card draws the same pictures"() {
    const card = await launch(CARD);
    const pages = [await visit({ size: [480, 360] }), await visit({ address: `${home}?on=gpu`, size: [480, 360], by: card })];
    assert.deepEqual(await Promise.all(pages.map((page) => page.evaluate(() => lavoxel.state.on))), ["cpu", "gpu"]);
    const seen = [];
    for (const page of pages) {
      await open(page, "volcano");
      const hash = await ask(page, { do: "run", to: 700 });
      await settled(page, 400); // a card that is a program
      seen.push({ hash, small: await page.evaluate(shrunk) });
      await page.screenshot({ path: join(pictures, `on-${seen.length > 1 ? "gpu" : "cpu"}.png`) });
    }
    assert.equal(seen[0].hash, seen[1].hash);
    const apart = seen[0].small.map((level, k) => Math.abs(level - seen[1].small[k]));
    const mean = apart.reduce((sum, level) => sum + level) / apart.length;
    console.log(`  ${JSON.stringify(await pages[1].evaluate(() => lavoxel.frame))}`);
    console.log(`  ${mean.toFixed(2)} levels apart in the mean, ${Math.max(...apart)} at most`);
    assert.ok(mean < 3, "both pictures are nearly equal");
    // A card that does not open leaves the page on the processor.
    const without = await visit({ card: () => Object.defineProperty(navigator, "gpu", { value: { requestAdapter: async () => ({}) } }) });
    assert.equal(await without.evaluate(() => lavoxel.state.on), "cpu");
    for (const page of pages) assert.deepEqual(page.errors, []);
    await card.close();
    for (const page of [pages[0], without]) await page.context().close();
  },

  async "a source, water, a dig, a dam, undo and the time line"() {
    const page = await visit();
    await open(page, "volcano");
    const canvas = page.locator("#picture");
    const box = await canvas.boundingBox();
    const at = (x, y) => [box.x + x * box.width, box.y + y * box.height];
    await page.locator("#tools").getByText("source").click();
    await page.mouse.click(...at(0.42, 0.5));
    await page.waitForFunction(() => lavoxel.state.report.sources.length === 2);
    await page.locator("#tools").getByText("dig").click();
    await page.mouse.move(...at(0.45, 0.55));
    await page.mouse.down();
    await page.mouse.move(...at(0.58, 0.57), { steps: 8 });
    await page.mouse.up();
    await page.locator("#tools").getByText("dam").click();
    await page.mouse.click(...at(0.38, 0.6));
    await page.mouse.click(...at(0.64, 0.62));
    await page.waitForFunction(() => lavoxel.state.report.undo === "dam");
    await settled(page);
    await seen(page, "dam");
    const acts = await page.evaluate(() => lavoxel.state.report.acts.map(({ words }) => words));
    assert.deepEqual(acts, ["new vent", "digging", "dam"]);
    const built = await ask(page, { do: "hash" });
    await page.keyboard.press("z");
    await page.waitForFunction(() => lavoxel.state.report.undo === "digging" && lavoxel.state.report.redo === "dam" && !lavoxel.state.report.travels);
    assert.notEqual(await ask(page, { do: "hash" }), built);
    await page.keyboard.press("y");
    await page.waitForFunction(() => lavoxel.state.report.undo === "dam" && !lavoxel.state.report.travels);
    assert.equal(await ask(page, { do: "hash" }), built);
    const later = await ask(page, { do: "run", to: 150 });
    await ask(page, { do: "go", way: "step", number: 40 });
    await page.waitForFunction(() => lavoxel.state.report.step === 40 && !lavoxel.state.report.travels);
    await ask(page, { do: "go", way: "step", number: 150 });
    await page.waitForFunction(() => lavoxel.state.report.step === 150 && !lavoxel.state.report.travels);
    assert.equal(await ask(page, { do: "hash" }), later, "the same step has the same bits");
    assert.deepEqual(page.errors, []);
    await page.context().close();
  },

  async "styles and slices"() {
    const page = await visit();
    await open(page, "island");
    await ask(page, { do: "run", to: 120 });
    await page.evaluate(() => (document.querySelectorAll("aside details").forEach((part) => (part.open = true))));
    const slider = page.locator("#cut-2");
    await slider.evaluate((slider) => ((slider.value = 50), slider.dispatchEvent(new Event("input"))));
    await page.waitForFunction(() => lavoxel.state.report.slices[2] === 0.5);
    await settled(page);
    await seen(page, "slice");
    for (const style of ["scientific", "surface", "maximum", "cinematic"]) {
      await page.locator("#style").selectOption(style);
      await page.waitForFunction((style) => lavoxel.state.report.style === style, style);
    }
    assert.deepEqual(page.errors, []);
    await page.context().close();
  },

  async "a challenge says its task, and its end"() {
    const page = await visit();
    await page.evaluate(() => (location.hash = "#scene=village"));
    await page.waitForSelector("#card[open]");
    const task = await page.locator("#card").textContent();
    assert.match(task, /Challenge: village/);
    await seen(page, "challenge");
    await page.getByRole("button", { name: "Run", exact: true }).last().click();
    await page.locator("#speed").selectOption("1e9");
    await page.waitForFunction(() => lavoxel.state.report.outcome !== "", null, { timeout: 120_000 });
    await page.waitForSelector("#card[open]");
    assert.match(await page.locator("#card-title").textContent(), /^(Won|Lost)$/);
    await seen(page, "challenge-end");
    await page.context().close();
  },

  async "a link holds the session"() {
    const page = await visit();
    await open(page, "volcano");
    await ask(page, { do: "run", to: 30 });
    await ask(page, { do: "source", material: "lava", at: [0.4, 0.5] });
    await ask(page, { do: "turn", by: [40, 5] });
    const hash = await ask(page, { do: "run", to: 90 });
    await page.locator("#share").click();
    await page.waitForSelector("#link[open]");
    const link = await page.locator("#link-text").inputValue();
    console.log(`  ${link.length} letters`);
    assert.ok(link.length < 4000);
    const other = await visit({ address: link });
    await other.waitForFunction(() => lavoxel.state.report.step === 90 && !lavoxel.state.report.travels, null, { timeout: 60_000 });
    assert.equal(await ask(other, { do: "hash" }), hash);
    const cameras = await Promise.all([page, other].map((page) => ask(page, { do: "link" })));
    assert.deepEqual(cameras[0].camera, cameras[1].camera);
    const broken = await visit({ address: `${home}#AAAAAAAAAAAA` });
    assert.match(await notice(broken), /the link cannot be read/);
    for (const page of [other, broken]) await page.context().close();
    await page.context().close();
  },

  async "files: a heightmap, a saved session, a broken file"() {
    const page = await visit();
    await page.locator("#file").setInputFiles([join(terrains, "maunga_whau.asc"), join(terrains, "maunga_whau.prj")]);
    await page.waitForFunction(() => lavoxel.state.path === "memory:/maunga_whau.asc");
    await page.waitForFunction(() => lavoxel.frame?.step > 60, null, { timeout: 60_000 });
    await ask(page, { do: "play", on: false });
    await settled(page);
    await seen(page, "heightmap");
    const [download] = await Promise.all([page.waitForEvent("download"), page.locator("#save").click()]);
    assert.equal(download.suggestedFilename(), "maunga_whau.lavoxel");
    const saved = join(pictures, "maunga_whau.lavoxel");
    await download.saveAs(saved);
    const [hash, step] = [await ask(page, { do: "hash" }), await page.evaluate(() => lavoxel.state.report.step)];
    await page.locator("#file").setInputFiles([saved]);
    await page.waitForFunction((step) => lavoxel.state.path === "memory:/maunga_whau.lavoxel" && lavoxel.state.report.step === step && !lavoxel.state.report.travels, step, { timeout: 60_000 });
    assert.equal(await ask(page, { do: "hash" }), hash);
    for (const [name, bytes] of [["hill.tif", "II*\0no picture"], ["scene.toml", "[grid]\nsize = [0, 4"], ["trip.lavoxel", "PK no archive"], ["hill.asc", "ncols 9"]]) {
      await page.locator("#file").setInputFiles([{ name, mimeType: "", buffer: Buffer.from(bytes) }]);
      await page.waitForFunction((name) => [...document.querySelectorAll("#notices p.wrong")].some((note) => note.textContent.includes(name)), name);
    }
    assert.equal(await ask(page, { do: "hash" }), hash, "the session before goes on");
    await page.context().close();
  },

  async "a phone: fingers turn, pinch and pour, nothing is cut off"() {
    const page = await visit({ size: [390, 844], touch: true });
    await page.waitForFunction(() => lavoxel.frame?.step > 60, null, { timeout: 60_000 });
    await seen(page, "phone");
    assert.deepEqual(await page.evaluate(cutOff), []);
    const camera = await ask(page, { do: "link" });
    const box = await page.locator("#picture").boundingBox();
    const touch = await page.context().newCDPSession(page);
    const fingers = (type, points) => touch.send("Input.dispatchTouchEvent", { type, touchPoints: points.map(([x, y], id) => ({ x: box.x + x * box.width, y: box.y + y * box.height, id })) });
    await fingers("touchStart", [[0.3, 0.5]]);
    for (let k = 1; k < 6; k++) await fingers("touchMove", [[0.3 + 0.05 * k, 0.5]]);
    await fingers("touchEnd", []);
    const turned = await ask(page, { do: "link" });
    assert.notEqual(turned.camera[0], camera.camera[0], "one finger turns");
    await fingers("touchStart", [[0.4, 0.5], [0.6, 0.5]]);
    for (let k = 1; k < 6; k++) await fingers("touchMove", [[0.4 - 0.03 * k, 0.5], [0.6 + 0.03 * k, 0.5]]);
    await fingers("touchEnd", []);
    assert.ok((await ask(page, { do: "link" })).camera[2] > turned.camera[2], "two fingers come nearer");
    await page.locator("#tools").getByText("source").tap();
    await page.touchscreen.tap(box.x + 0.5 * box.width, box.y + 0.6 * box.height);
    await page.waitForFunction(() => lavoxel.state.report.sources.length > 1);
    assert.deepEqual(page.errors, []);
    await page.context().close();
    const narrow = await visit({ size: [360, 640], touch: true });
    assert.deepEqual(await narrow.evaluate(cutOff), []);
    await narrow.context().close();
  },

  async "the page answers while it runs"() {
    const page = await visit();
    const waits = await page.evaluate(async () => {
      const waits = [];
      for (let k = 0; k < 40; k++) {
        const start = performance.now();
        await lavoxel.ask({ do: "memory" });
        waits.push(performance.now() - start);
        await new Promise((done) => setTimeout(done, 30));
      }
      return waits.sort((a, b) => a - b);
    });
    console.log(`  the worker answers after ${waits[20].toFixed(0)} ms (median), ${waits[38].toFixed(0)} ms (95 %)`);
    await page.context().close();
  },

  async "memory stays flat while it runs"() {
    const page = await visit();
    const sizes = [];
    for (let k = 0; k < Number(process.env.MINUTES ?? 0.4) * 6; k++) {
      await new Promise((done) => setTimeout(done, 10_000));
      sizes.push(Math.round((await ask(page, { do: "memory" })) / 2 ** 20));
    }
    console.log(`  MiB of the module every ten seconds: ${sizes.join(" ")}`);
    assert.ok(sizes.at(-1) <= 250);
    await page.context().close();
  },

  async "it opens without a network once it was opened"() {
    const page = await visit({ address: home.replace("127.0.0.1", "localhost"), offline: true });
    await page.waitForFunction(() => navigator.serviceWorker.controller || navigator.serviceWorker.ready.then(() => true));
    await page.waitForFunction(async () => (await caches.keys()).length > 0 && (await (await caches.open((await caches.keys())[0])).keys()).length > 8, null, { timeout: 60_000 });
    await page.context().setOffline(true);
    await page.reload();
    await page.waitForFunction(() => window.lavoxel?.frame?.step > 0, null, { timeout: 60_000 });
    await page.context().close();
  },
};

const only = process.env.ONLY;
let failed = 0;
for (const [name, test] of Object.entries(tests)) {
  if (only && !name.includes(only)) continue;
  const start = performance.now();
  try {
    await test();
    console.log(`ok   ${name} (${((performance.now() - start) / 1000).toFixed(1)} s)`);
  } catch (error) {
    failed += 1;
    console.log(`FAIL ${name}: ${error.stack}`);
  }
}
await browser.close();
server.close();
process.exitCode = failed ? 1 : 0;
