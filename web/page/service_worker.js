// Keeps what a reader has visited for when there is no network, and the whole site where a page asks for it. The build fills
// in the list of files. What is in assets/ is named by its content and never changes; pages are asked for anew while there
// is a network.
const site = self.registration.scope; // two copies of the site may share an origin
const cacheName = `${site} kept`;
const whole = new URL("whole", site).href; // an entry of the cache: everything is to be kept
const files = [];
const addresses = files.map((file) => new URL(file, site).href);

const opened = () => caches.open(cacheName);
const plain = (url) => url.replace(/[?#].*$/, "").replace(/index\.html$/, "");
const isAsset = (url) => url.startsWith(`${site}assets/`);

async function keep(cache, url, options) {
  if (await cache.match(url)) return;
  const response = await fetch(url, options);
  if (!response.ok) throw new Error(`${response.status} ${url}`);
  await cache.put(url, response);
}

/** All files, a few at a time; a file that is there already is not asked for again. */
async function keepAll(cache, progress) {
  let next = 0;
  const one = async () => {
    while (next < addresses.length) {
      await keep(cache, addresses[next++]);
      progress(Math.min(next / addresses.length, 0.99));
    }
  };
  await Promise.all([one(), one(), one(), one()]);
  await cache.put(whole, new Response(""));
}

self.addEventListener("install", () => self.skipWaiting());

/** Of an earlier version stays what this one has, too. */
async function activate() {
  const cache = await opened();
  const all = await cache.match(whole);
  for (const { url } of await cache.keys()) {
    if (url !== whole && !(isAsset(url) && addresses.includes(url))) await cache.delete(url);
  }
  await self.clients.claim();
  if (all) await keepAll(cache, () => undefined).catch(() => cache.delete(whole));
}
self.addEventListener("activate", (event) => event.waitUntil(activate()));

self.addEventListener("message", (event) => {
  const {
    data,
    ports: [port],
  } = event;
  const done = opened().then(async (cache) => {
    if (data.all) {
      const tell = (share) => port.postMessage({ share });
      await keepAll(cache, tell).then(
        () => tell(1),
        () => port.postMessage({ share: 0, failed: true }),
      );
    } else {
      const known = data.visited.map(plain).filter((url) => addresses.includes(url));
      await Promise.allSettled(known.map((url) => keep(cache, url, { cache: "force-cache" })));
    }
  });
  event.waitUntil(done);
});

async function answer(request, url) {
  const cache = await opened();
  const kept = await cache.match(url, { ignoreVary: true });
  if (kept && isAsset(url)) return kept;
  try {
    const response = await fetch(request);
    if (response.ok) await cache.put(url, response.clone());
    return response;
  } catch (error) {
    if (kept) return kept;
    throw error;
  }
}

self.addEventListener("fetch", (event) => {
  const url = plain(event.request.url);
  if (event.request.method === "GET" && addresses.includes(url))
    event.respondWith(answer(event.request, url));
});
