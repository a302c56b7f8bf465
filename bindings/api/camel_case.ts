// Names as C++ spells them, and as TypeScript does: `n_kv_heads` and `nKvHeads`.

export function camelCase(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, first: string) => first.toUpperCase());
}

/** The other way: for names in which no digit follows `_`. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
