// What the API of this thread becomes in a worker, type by type: nothing is listed twice.
import type { Owned } from "../api/scope.ts";
import type { Values } from "../api/listing.ts";
import type { Tensor } from "../api/tensor.ts";
import type { ShapedData } from "../api/types.ts";

/** What every call in a worker takes, among its options or after its arguments. */
export interface CallOptions {
  /** Aborting rejects at once with its reason; what the worker still makes is dropped. */
  readonly signal?: AbortSignal | undefined;
  /** Arrays that are given move to the worker and are empty afterwards; default false: they are copied. */
  readonly transfer?: boolean | undefined;
}

/** An object in a worker: its methods return promises, its properties are promises. */
export interface RemoteObject {
  /** Rejects where it could not be made, as every call then does. */
  readonly ready: Promise<void>;
  readonly disposed: boolean;
  /** Gives its memory back; later calls reject with `DisposedError`. Twice is harmless. */
  dispose(): void;
  readonly [Symbol.dispose]: () => void;
}

/** As a `T` of this thread, but in a worker. */
export type Remote<T> = T extends Owned
  ? Omit<RemoteMembers<T>, keyof Owned | "kind"> & RemoteObject
  : RemoteMembers<T>;

type RemoteMembers<T> = {
  readonly [K in keyof T]: T[K] extends abstract new (...given: infer Given) => infer Made
    ? new (...given: Given) => Remote<Made>
    : T[K] extends (...given: never[]) => unknown
      ? RemoteCall<T[K]>
      : Promise<Received<T[K]>>;
};

/** A function's signatures with promises; one of fewer than four is there more than once, which is harmless. */
export type RemoteCall<F> = F extends {
  (...given: infer A1): infer R1;
  (...given: infer A2): infer R2;
  (...given: infer A3): infer R3;
  (...given: infer A4): infer R4;
}
  ? Call<A1, R1> & Call<A2, R2> & Call<A3, R3> & Call<A4, R4>
  : never;

type Call<Given extends unknown[], Result> = (...given: SentAll<Given>) => Promise<Received<Result>>;

/** Crosses as it is; named before objects, because `string & {}` counts as one. */
type Primitive = string | number | bigint | boolean | symbol | null | undefined;

/** What comes: the values of tensors, objects as such of the worker; options, which a forward pass keeps, as they are. */
export type Received<T> = T extends Primitive | Opaque
  ? T
  : T extends Tensor
    ? Values
    : T extends Owned
      ? Remote<T>
      : T extends object
        ? { [K in keyof T]: K extends "options" ? T[K] : Received<T[K]> }
        : T;

/** What goes: objects of the worker; of a tensor, also one of this thread, its values. */
type Sent<T> = T extends Primitive
  ? T
  : T extends Tensor
    ? Tensor | ShapedData
    : T extends Owned
      ? Remote<T>
      : T extends Opaque | ArrayLike<unknown> | ShapedData
        ? T
        : T extends object
          ? { [K in keyof T]: K extends "options" ? T[K] : Sent<T[K]> }
          : T;

/** Arguments, with the call's own options among the last where that is options, or else behind it. */
type SentAll<Given extends unknown[]> =
  IsOptions<NonNullable<Last<Given>>> extends true
    ? { [K in keyof Given]: K extends LastKey<Given> ? Options<NonNullable<Given[K]>> : Sent<Given[K]> }
    : [...{ [K in keyof Given]: Sent<Given[K]> }, options?: CallOptions];

/** A result cannot be written into a tensor of this thread. */
type Options<T> = T extends unknown ? Omit<T, "out" | "signal"> & CallOptions : never;

type Last<Given extends unknown[]> = Required<Given> extends [...unknown[], infer L] ? L : never;
type LastKey<Given extends unknown[]> =
  Required<Given> extends [unknown, ...infer Rest] ? `${Rest["length"] & number}` : never;

/** Neither numbers in some form, nor bytes, nor things by name, nor an object of the library. */
type IsOptions<T> = [T] extends [never]
  ? false
  : [T] extends [object]
    ? [Extract<T, Opaque | readonly unknown[] | ShapedData | Owned>] extends [never]
      ? string extends keyof T
        ? false
        : true
      : false
    : false;

type Opaque = ArrayBufferView | ArrayBuffer | ((...given: never[]) => unknown);
