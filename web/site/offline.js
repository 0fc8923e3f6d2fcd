// Keeps the page's files after the first visit, so that it opens without a network. The tool that builds the page writes in the list
// of files and a number of their contents.
const KEPT = "lavoxel-NUMBER";
const ALL = ["./", "FILES"];

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
