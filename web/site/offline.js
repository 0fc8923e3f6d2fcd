// Keeps the page's files after the first visit, so that it opens without a network. The tool that builds the page writes in the list
// of files and a number of their contents. Of both modules the one that the page uses is kept (`on`: cpu, gpu).
const on = new URL(location).searchParams.get("on");
const KEPT = `lavoxel-NUMBER-${on}`;
const other = on === "gpu" ? /^lavoxel(_bg\.wasm|\.js)$/ : /^lavoxel_gpu/;
const ALL = ["./", "FILES"].filter((name) => !other.test(name));

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(KEPT).then((kept) => kept.addAll(ALL)).then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
  const drop = (names) => Promise.all(names.filter((name) => name.startsWith("lavoxel-") && name !== KEPT).map((name) => caches.delete(name)));
  event.waitUntil(caches.keys().then(drop).then(() => self.clients.claim()));
});

self.addEventListener("fetch", (event) => {
  if (event.request.method !== "GET" || new URL(event.request.url).origin !== location.origin) return;
  event.respondWith(caches.match(event.request, { ignoreSearch: true, cacheName: KEPT }).then((kept) => kept ?? fetch(event.request)));
});
