// What crosses between a page and a worker in the place of what cannot be sent.
import { Owned } from "../api/scope.ts";
import type { Tensor } from "../api/tensor.ts";

/** The members of an object, by name: whether they are methods. */
export type Members = Readonly<Record<string, boolean>>;

/** Stands for an object in the worker, with its members where the page does not know them yet. */
export interface ObjectMark {
  readonly "sqrtdk:object": number;
  readonly members?: Members;
}

/** Stands for a function of the page, by its place among those of a call. */
export interface CallbackMark {
  readonly "sqrtdk:callback": number;
}

export const isObjectMark = (value: object): value is ObjectMark => "sqrtdk:object" in value;
export const isCallbackMark = (value: object): value is CallbackMark => "sqrtdk:callback" in value;

/** What crosses of a tensor. */
export const valuesOf = (tensor: Tensor) => ({ data: tensor.toArray(), shape: tensor.shape });

/** Of an object, or of the prototype of such objects: what its classes declare. */
export function membersOf(object: object): Members {
  const members: Record<string, boolean> = {};
  for (
    let level = object;
    level !== Owned.prototype && level !== Object.prototype && level !== null;
    level = Object.getPrototypeOf(level) as object
  ) {
    for (const [name, { value, get }] of Object.entries(Object.getOwnPropertyDescriptors(level))) {
      if (name !== "constructor" && (typeof value === "function" || get)) members[name] ??= !get;
    }
  }
  return members;
}

/**
 * `value`, in which what `replace` gives another for is replaced: itself, or in arrays, objects and maps. Arrays of numbers
 * are not looked into.
 */
export function replaced(value: unknown, replace: (part: object) => unknown): unknown {
  if (value === null || (typeof value !== "object" && typeof value !== "function")) return value;
  const other = replace(value);
  if (other !== undefined) return other;
  const each = (part: unknown): unknown => replaced(part, replace);
  if (Array.isArray(value)) return typeof value[0] === "number" ? value : value.map(each);
  if (value instanceof Map) return new Map([...value].map(([key, part]) => [key, each(part)]));
  if (!isPlain(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, each(part)]));
}

/** Whether it is what braces make. */
export function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype || isForeignPlain(prototype);
}

/** The prototype of another realm's objects. */
const isForeignPlain = (prototype: unknown): boolean =>
  Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype as object, "hasOwnProperty");

/** The buffers of the arrays in `value`, each once: what can be moved instead of copied. */
export function buffersIn(value: unknown): ArrayBuffer[] {
  const buffers = new Set<ArrayBuffer>();
  replaced(value, (part) => {
    const buffer = ArrayBuffer.isView(part) ? part.buffer : part;
    if (buffer instanceof ArrayBuffer) buffers.add(buffer);
    return undefined;
  });
  return [...buffers];
}
