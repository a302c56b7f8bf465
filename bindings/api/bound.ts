// Classes that make their objects in the memory of one instance.
import type { TensorMemory } from "./tensor.ts";

/** A class of an instance: what it makes is in that instance's memory. */
export type Bound<Given, Made> = new (given: Given) => Made;

type InMemory<Given extends readonly unknown[], Made> = new (memory: TensorMemory, ...given: Given) => Made;

/** A subclass of `Class`, called `name` also after minification. */
export function bound<Given extends readonly unknown[], Made extends object>(
  memory: TensorMemory,
  name: string,
  Class: InMemory<Given, Made>,
): new (...given: Given) => Made {
  const Base = Class as unknown as InMemory<any[], object>; // eslint-disable-line @typescript-eslint/no-explicit-any -- what TypeScript asks of a class that is extended by a function
  class Here extends Base {
    constructor(...given: Given) {
      super(memory, ...given);
    }
  }
  Object.defineProperty(Here, "name", { value: name });
  return Here as unknown as new (...given: Given) => Made;
}
