// The worker's side of calls of the API: makes objects and keeps them under their numbers.
import type { Border } from "../api/raw.ts";
import { Owned } from "../api/scope.ts";
import { Tensor } from "../api/tensor.ts";
import { buffersIn, isCallbackMark, isObjectMark, membersOf, replaced, valuesOf } from "./crossing.ts";
import { failureOf } from "./failure.ts";
import { later } from "./later.ts";
import type { FromObjects, MakeHost, Target, Tell, ToObjects } from "./messages.ts";

/** An instance of the API, with its parts by name. */
interface Api {
  scope<T>(body: () => T): T;
}

type Calls = Readonly<Record<string, unknown>>;
type Call = (...given: unknown[]) => unknown;
type MadeBy = new (...given: readonly unknown[]) => Owned;

/** An object that could not be made: every call says why. */
class Failed {
  readonly error: unknown;
  constructor(error: unknown) {
    this.error = error;
  }
}

export function objectsHost(makeApi: (border: Border) => Api): MakeHost {
  return (border, tell) => {
    let host: ObjectsHost | undefined;
    return {
      receive: (message) => {
        if ("call" in message) (host ??= new ObjectsHost(makeApi(border), tell)).receive(message.call);
      },
      end: () => host?.end(),
    };
  };
}

class ObjectsHost {
  readonly #api: Api;
  readonly #tell: Tell;
  readonly #objects = new Map<number, Owned | Failed>();
  readonly #underWay = new Map<number, Generator>(); // calls that let others in
  #given = 0; // objects that calls gave

  constructor(api: Api, tell: Tell) {
    this.#api = api;
    this.#tell = tell;
  }

  receive(order: ToObjects): void {
    if (order.kind === "release") this.#release(order.object);
    else if (order.kind === "stop") this.#stop(order.call);
    else if (order.kind === "make") this.#try(order.call, () => this.#make(order));
    else this.#try(order.call, () => this.#call(order));
  }

  end(): void {
    for (const call of [...this.#underWay.keys()]) this.#stop(call);
  }

  #make({ call, target, name, given, object }: ToObjects & { kind: "make" }): void {
    try {
      const made = this.#targetOf(target)[name] as MadeBy;
      this.#objects.set(object, new made(...this.#received(call, given)));
    } catch (error) {
      this.#objects.set(object, new Failed(error));
      throw error;
    }
    this.#send({ kind: "answer", call, value: undefined });
  }

  /** A method `x` that takes long has a twin `xSteps`, a generator: between its steps other calls are let in. */
  #call({ call, target, name, given }: ToObjects & { kind: "call" }): void {
    const owner = this.#targetOf(target);
    const args = this.#received(call, given);
    const steps = owner[`${name}Steps`] as Call | undefined;
    if (steps) {
      this.#underWay.set(call, steps.apply(owner, args) as Generator);
      later(() => this.#step(call));
      return;
    }
    const { value } = this.#api.scope(() => {
      const member = owner[name];
      return this.#packed(typeof member === "function" ? (member as Call).apply(owner, args) : member);
    });
    this.#send({ kind: "answer", call, value });
  }

  #step(call: number): void {
    const steps = this.#underWay.get(call);
    if (!steps) return;
    this.#try(call, () => {
      const next = steps.next();
      if (!next.done) {
        later(() => this.#step(call));
        return;
      }
      this.#underWay.delete(call);
      this.#send({ kind: "answer", call, value: next.value });
    });
  }

  #stop(call: number): void {
    const steps = this.#underWay.get(call);
    this.#underWay.delete(call);
    steps?.return(undefined);
  }

  #release(object: number): void {
    const released = this.#objects.get(object);
    if (released instanceof Owned) released.dispose();
    this.#objects.delete(object);
  }

  #targetOf(target: Target): Calls {
    const api = this.#api as unknown as Readonly<Record<string, Calls>>;
    if (typeof target === "string") return target === "" ? api : api[target]!;
    const object = this.#objects.get(target);
    if (object instanceof Failed) throw object.error;
    return object as unknown as Calls;
  }

  /** The arguments of a call. */
  #received(call: number, given: readonly unknown[]): unknown[] {
    const receive = (part: object): unknown => {
      if (isObjectMark(part)) return this.#targetOf(part["sqrtdk:object"]);
      if (!isCallbackMark(part)) return undefined;
      const callback = part["sqrtdk:callback"];
      return (...said: unknown[]): void => this.#send({ kind: "called", call, callback, given: said });
    };
    return given.map((argument) => replaced(argument, receive));
  }

  /** A result as it is sent, and the objects in it, which stay here. */
  #packed(result: unknown): { value: unknown; kept: readonly Owned[] } {
    const kept: Owned[] = [];
    const value = replaced(result, (part) => {
      if (part instanceof Tensor) return valuesOf(part);
      if (!(part instanceof Owned)) return undefined;
      kept.push(part);
      const object = --this.#given;
      this.#objects.set(object, part);
      return { "sqrtdk:object": object, members: membersOf(part) };
    });
    return { value, kept };
  }

  #try(call: number, action: () => void): void {
    try {
      action();
    } catch (error) {
      this.#underWay.delete(call);
      if (error instanceof WebAssembly.RuntimeError) this.#tell({ kind: "failed", message: String(error) });
      else this.#send({ kind: "failure", call, ...failureOf(error) });
    }
  }

  #send(report: FromObjects): void {
    this.#tell({ kind: "object", report }, report.kind === "answer" ? buffersIn(report.value) : []);
  }
}
