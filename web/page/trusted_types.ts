// The page's CSP lets no plain text become the address of a script. This one policy lets through addresses of
// the page's own origin: the worker and the service worker. Older browsers neither need nor know it.

interface PolicyOptions {
  createScriptURL(address: string): string;
}
interface TrustedTypesFactory {
  createPolicy(name: string, options: PolicyOptions): unknown;
}

const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypesFactory };

trustedTypes?.createPolicy("default", {
  createScriptURL(address) {
    const url = new URL(address, document.baseURI);
    if (url.origin !== location.origin) throw new TypeError(`not a script of this site: ${url.origin}`);
    return url.href;
  },
});

export {};
