/** A name of C++'s as TypeScript spells it: `n_kv_heads` is `nKvHeads`. */
export const camelCase = (name) => name.replace(/_([a-z0-9])/g, (_, first) => first.toUpperCase());
