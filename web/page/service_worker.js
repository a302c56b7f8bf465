// Keeps the whole site for offline readers. The build fills in the version and the list of files.
const site = self.registration.scope; // two copies of the site may share an origin
const cacheName = `${site} VERSION`;
const files = [];

self.addEventListener("install", (event) => {
  const requests = files.map((file) => new Request(file, { cache: "no-cache" }));
  event.waitUntil(caches.open(cacheName).then((cache) => cache.addAll(requests)));
});

self.addEventListener("activate", (event) => {
  const isOld = (name) => name.startsWith(`${site} `) && name !== cacheName;
  const remove = (names) => Promise.all(names.filter(isOld).map((name) => caches.delete(name)));
  event.waitUntil(caches.keys().then(remove));
});

self.addEventListener("fetch", (event) => {
  const { method, url } = event.request;
  if (method !== "GET" || !url.startsWith(site)) return;
  const page = url.replace(/index\.html(?=$|[?#])/, "");
  const kept = caches.match(page, { cacheName, ignoreSearch: true, ignoreVary: true });
  event.respondWith(kept.then((response) => response ?? fetch(event.request)));
});
