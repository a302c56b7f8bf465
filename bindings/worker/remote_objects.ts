// The page's side of a worker that takes any call of the API and keeps what calls make: layers, models, caches.
import { DisposedError, ValueError, WorkerError, abortReason } from "../api/errors.ts";
import { unsupported } from "../api/given.ts";
import { Owned } from "../api/scope.ts";
import { Tensor } from "../api/tensor.ts";
import { buffersIn, isObjectMark, isPlain, membersOf, replaced, valuesOf } from "./crossing.ts";
import type { Members, ObjectMark } from "./crossing.ts";
import { errorOf } from "./failure.ts";
import type { FromObjects, FromWorker, ModuleWorker, ToObjects } from "./messages.ts";
import type { CallOptions, Remote, RemoteObject } from "./remote_types.ts";
import type { Workers } from "./workers.ts";

type Callback = (...given: readonly unknown[]) => unknown;

interface Job {
  /** What errors name. */
  readonly operator: string;
  readonly callbacks: readonly Callback[];
  /** Must not be forgotten meanwhile. */
  readonly uses: readonly unknown[];
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Where an object lives: in a worker, under a number. */
interface Place {
  readonly worker: ModuleWorker | undefined;
  readonly object: number;
}

/** What becomes an object of the page: one that is being made in the worker, or that a call has given. */
class Placement {
  readonly objects: RemoteObjects;
  readonly name: string;
  readonly place: Place;
  readonly ready: Promise<void>;

  constructor(objects: RemoteObjects, name: string, place: Place, ready: Promise<void>) {
    this.objects = objects;
    this.name = name;
    this.place = place;
    this.ready = ready;
  }
}

/** An object in the worker; classes that are derived from it have its members. */
class Placed implements RemoteObject {
  declare readonly [Symbol.dispose]: () => void;
  readonly ready: Promise<void>;
  readonly #objects: RemoteObjects;
  readonly #name: string;
  #place: Place | undefined;

  constructor({ objects, name, place, ready }: Placement) {
    this.ready = ready;
    this.#objects = objects;
    this.#name = name;
    this.#place = place;
    objects.forgotten.register(this, place, this);
  }

  get disposed(): boolean {
    return this.#place === undefined;
  }

  dispose(): void {
    if (!this.#place) return;
    this.#objects.forgotten.unregister(this);
    this.#objects.release(this.#place);
    this.#place = undefined;
  }

  static async call(object: Placed, member: string, given: readonly unknown[]): Promise<unknown> {
    return object.#objects.call(object.#name, Placed.placeOf(object), member, given, object);
  }

  /** Throws `DisposedError`. */
  static placeOf(object: Placed): Place {
    if (object.#place) return object.#place;
    const fields = { code: "disposed", operator: object.#name, argument: "", expected: "" } as const;
    throw new DisposedError({ ...fields, got: `the ${object.#name}, which was disposed` });
  }
}

if (Symbol.dispose) {
  const value = function (this: Placed): void {
    this.dispose();
  };
  Object.defineProperty(Placed.prototype, Symbol.dispose, { value });
}

type PlacedClass = new (...given: unknown[]) => Placed;

export class RemoteObjects {
  /** @internal What the page has forgotten is given back. */
  readonly forgotten = new FinalizationRegistry<Place>((place) => this.release(place));
  readonly #workers: Workers;
  readonly #jobs = new Map<number, Job>();
  readonly #classes = new Map<string, PlacedClass>(); // by their members
  #worker: ModuleWorker | undefined;
  #calls = 0;
  #made = 0;

  constructor(workers: Workers) {
    this.#workers = workers;
  }

  /** The functions and classes of `local`, a part of this thread's API, in the worker. */
  part<T extends object>(part: string, local: T): Remote<T> {
    const members = Object.entries(local).map(([name, member]: [string, unknown]) => {
      const { prototype } = member as { readonly prototype?: unknown };
      if (prototype instanceof Owned) return [name, this.#classOf(membersOf(prototype), part, name)];
      return [name, (...given: unknown[]) => this.call(name, part, name, given, undefined)];
    });
    return Object.fromEntries(members) as Remote<T>;
  }

  /** @internal Calls what `target`, a part of the API or an object, has under a name; `operator` is what errors name. */
  call(
    operator: string,
    target: string | Place,
    name: string,
    given: readonly unknown[],
    uses: unknown,
  ): Promise<unknown> {
    return this.#send(operator, given, uses, (call, sent) => {
      if (typeof target === "string") return { kind: "call", call, target, name, given: sent };
      return { kind: "call", call, target: this.#numberOf(operator, target), name, given: sent };
    });
  }

  /** @internal */
  release({ worker, object }: Place): void {
    if (worker && worker === this.#worker) worker.postMessage({ call: { kind: "release", object } });
  }

  #make(part: string, name: string, given: readonly unknown[]): Placement {
    const object = ++this.#made;
    const made = this.#send(name, given, undefined, (call, sent) => {
      return { kind: "make", call, target: part, name, given: sent, object };
    });
    const ready = made.then(() => undefined);
    ready.catch(() => undefined); // every call tells it
    return new Placement(this, name, { worker: this.#worker, object }, ready);
  }

  /** The class of objects with these members; with a part and a name one that makes them. */
  #classOf(members: Members, part?: string, name = "object"): PlacedClass {
    const make = (given: readonly unknown[]): Placement => {
      const [first] = given;
      return first instanceof Placement ? first : this.#make(part!, name, given);
    };
    const made = class extends Placed {
      constructor(...given: unknown[]) {
        super(make(given));
      }
    };
    Object.defineProperty(made, "name", { value: name });
    for (const [member, isMethod] of Object.entries(members)) {
      if (member in made.prototype) continue; // what it does by itself
      const call = function (this: Placed, ...given: unknown[]): Promise<unknown> {
        return Placed.call(this, member, given);
      };
      Object.defineProperty(made.prototype, member, isMethod ? { value: call } : { get: call });
    }
    const key = keyOf(members);
    if (!this.#classes.has(key)) this.#classes.set(key, made);
    return made;
  }

  #send(
    operator: string,
    given: readonly unknown[],
    uses: unknown,
    order: (call: number, given: readonly unknown[]) => ToObjects,
  ): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const [{ signal, transfer }, args] = splitOptions(given);
      if (signal?.aborted) throw abortReason(signal);
      const worker = (this.#worker ??= this.#start());
      const callbacks: Callback[] = [];
      const sent = this.#encoded(operator, args, callbacks);
      const call = ++this.#calls;
      const message = { call: order(call, sent) };
      try {
        worker.postMessage(message, transfer ? { transfer: buffersIn(sent) } : {});
      } catch (cause) {
        if (!(cause instanceof DOMException)) throw cause;
        const fields = { code: "unsupported", operator, argument: "", got: cause.message } as const;
        throw new ValueError({ ...fields, expected: "what can be sent to a worker" });
      }
      const abort = (): void => this.#abandon(call, abortReason(signal));
      const ended =
        <T>(settle: (value: T) => void) =>
        (value: T): void => {
          signal?.removeEventListener("abort", abort);
          this.#jobs.delete(call);
          if (this.#jobs.size === 0) this.#worker?.unref?.();
          settle(value);
        };
      signal?.addEventListener("abort", abort);
      worker.ref?.();
      this.#jobs.set(call, {
        operator,
        callbacks,
        uses: [uses, given],
        resolve: ended(resolve),
        reject: ended(reject),
      });
    });
  }

  #start(): ModuleWorker {
    const worker = this.#workers.open((error) => this.#lose(() => error));
    worker.onmessage = ({ data }) => this.#receive(data);
    worker.onerror = ({ message }) => this.#lost(message);
    return worker;
  }

  /** Objects are gone with their worker. */
  #lost(reason = "the worker's script failed"): void {
    if (this.#worker) this.#workers.close(this.#worker);
    this.#lose((operator) => lost(operator, reason));
  }

  #lose(error: (operator: string) => Error): void {
    this.#worker = undefined;
    for (const job of [...this.#jobs.values()]) job.reject(error(job.operator));
  }

  #receive(message: FromWorker): void {
    if (message.kind === "failed") this.#lost(message.message);
    else if (message.kind === "object") this.#take(message.report);
  }

  #take(report: FromObjects): void {
    const { call } = report;
    const job = this.#jobs.get(call);
    if (report.kind === "answer") {
      if (job) job.resolve(this.#decoded(report.value));
      else this.#drop(report.value);
    } else if (report.kind === "failure") job?.reject(errorOf(report));
    else if (job) this.#callBack(call, job.callbacks[report.callback]!, report.given);
  }

  #callBack(call: number, callback: Callback, given: readonly unknown[]): void {
    try {
      if (callback(...given) === false) this.#abandon(call, abortReason());
    } catch (error) {
      this.#abandon(call, error);
    }
  }

  /** It rejects at once; what the worker still makes is dropped. */
  #abandon(call: number, reason: unknown): void {
    this.#worker?.postMessage({ call: { kind: "stop", call } });
    this.#jobs.get(call)?.reject(reason);
  }

  #encoded(operator: string, given: readonly unknown[], callbacks: Callback[]): readonly unknown[] {
    const encode = (part: object): unknown => {
      if (part instanceof Placed) return { "sqrtdk:object": this.#numberOf(operator, Placed.placeOf(part)) };
      if (part instanceof Tensor) return valuesOf(part);
      if (part instanceof Owned) throw unsupported(operator, "", "an object of the worker", part);
      if (typeof part === "function") return { "sqrtdk:callback": callbacks.push(part as Callback) - 1 };
      return undefined;
    };
    return given.map((argument) => replaced(argument, encode));
  }

  /** Throws `WorkerError` where it was lost, or is of another instance. */
  #numberOf(operator: string, { worker, object }: Place): number {
    if (worker && worker === this.#worker) return object;
    throw lost(operator, "the object's worker is not there any more");
  }

  #decoded(value: unknown): unknown {
    return replaced(value, (part) => (isObjectMark(part) ? this.#adopted(part) : undefined));
  }

  #adopted({ "sqrtdk:object": object, members = {} }: ObjectMark): Placed {
    const made = this.#classes.get(keyOf(members)) ?? this.#classOf(members);
    return new made(new Placement(this, made.name, { worker: this.#worker, object }, Promise.resolve()));
  }

  /** Nobody waits for it. */
  #drop(value: unknown): void {
    replaced(value, (part) => {
      if (isObjectMark(part)) this.release({ worker: this.#worker, object: part["sqrtdk:object"] });
      return undefined;
    });
  }
}

const keyOf = (members: Members): string => JSON.stringify(Object.entries(members).sort());

/** What `CallOptions` names, from among the last argument, and the arguments without it. */
function splitOptions(given: readonly unknown[]): [CallOptions, readonly unknown[]] {
  const last = given.at(-1);
  if (!isPlain(last) || !("signal" in last || "transfer" in last)) return [{}, given];
  const { signal, transfer, ...rest } = last;
  const before = given.slice(0, -1);
  return [{ signal, transfer } as CallOptions, Object.keys(rest).length > 0 ? [...before, rest] : before];
}

function lost(operator: string, reason: string): WorkerError {
  const fields = { code: "worker_failed", operator, argument: "", expected: "", got: reason } as const;
  return new WorkerError(fields, `${operator}: the worker was lost: ${reason}`);
}
