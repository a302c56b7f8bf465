import { describe, expect, it } from "vitest";
import { float32Text, paramText, requestText, seed64 } from "../../bindings/api/params.ts";
import { thrown } from "./thrown.ts";

const text = (value: Parameters<typeof paramText>[2], name = "d"): string => paramText("op", name, value);

describe("parameters as text", () => {
  it("joins lists, and leaves text as it is", () => {
    expect(text(8)).toBe("8");
    expect(text([32, "128"])).toBe("32,128");
    expect(text("1/sqrt(d), none")).toBe("1/sqrt(d), none");
    expect(text(1e-7)).toBe("1e-7");
    expect(text(-0.25)).toBe("-0.25");
    expect(text(NaN)).toBe("NaN");
  });

  it("writes a matrix as rows of the shortest digits", () => {
    const data = new Float32Array([0.1, -2, 1 / 3, 1e-40]);
    expect(text({ data, shape: [2, 2] })).toBe("0.1,-2;0.33333334,1e-40");
    for (const shape of [[4], [3, 1], [1, 2, 2]]) {
      const error = thrown(() => text({ data, shape }, "q"));
      expect(error).toMatchObject({ name: "ShapeError", code: "wrong_shape", argument: "q" });
    }
  });

  it("keeps all 64 bits of a seed, and refuses numbers that may have lost some", () => {
    expect(text(2n ** 64n - 1n, "seed")).toBe("18446744073709551615");
    expect(text("18446744073709551615", "seed")).toBe("18446744073709551615");
    expect(text(Number.MAX_SAFE_INTEGER, "seed")).toBe("9007199254740991");
    expect(thrown(() => text(2 ** 53, "seed"))).toMatchObject({ name: "ValueError", argument: "seed" });
    expect(seed64("op", " 12 ")).toBe(12n);
  });

  it("cannot be split by what a value holds", () => {
    const hostile = ["1", "n_keys", "2"].join("\0");
    expect(requestText("id", { d: hostile }).split("\0")).toEqual(["id", "d", "1\uFFFDn_keys\uFFFD2"]);
    expect(requestText("id", {})).toBe("id");
  });

  it("writes bytes in Base64", () => {
    expect(text(new Uint8Array([0, 255, 65, 66]), "checkpoint")).toBe("AP9BQg==");
    expect(text(new Uint8Array([0, 255, 65, 66]).buffer, "checkpoint")).toBe("AP9BQg==");
    const empty = thrown(() => text(new Uint8Array(0), "checkpoint")); // no text would mean: not given
    expect(empty).toMatchObject({ name: "ValueError", code: "empty", argument: "checkpoint" });
    const many = new Uint8Array(100_000).map((_, i) => i * 7);
    expect(text(many, "checkpoint")).toBe(Buffer.from(many).toString("base64"));
  });

  it("refuses other types", () => {
    const error = thrown(() => text({} as unknown as number));
    expect(error).toMatchObject({ name: "ValueError", code: "unsupported", operator: "op", got: "object" });
  });
});

describe("float32Text", () => {
  it("reads back as the same float32, for numbers of every size", () => {
    const bits = new Uint32Array(1);
    const float = new Float32Array(bits.buffer);
    for (let i = 0; i < 20000; ++i) {
      bits[0] = Math.imul(i, 0x9e3779b1); // spread over all patterns
      const value = float[0] ?? 0;
      if (Number.isFinite(value)) expect(Math.fround(Number(float32Text(value)))).toBe(value);
    }
    expect(float32Text(-0)).toBe("-0");
    expect(float32Text(16777216)).toBe("16777216");
  });
});
