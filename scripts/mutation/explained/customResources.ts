import type { Explained } from "../explained.ts"

/** Kinds that somebody defines. */
export const customResources: ReadonlyArray<Explained> = [
  {
    file: "src/domain/customResources/validateValue.ts",
    why: "the compiler asks: what is no pattern cannot be read, and refuses nothing",
    changes: [["if (pattern !== undefined && readPattern(pattern)?.(text) === false) {", "true"]]
  },
  {
    file: "src/domain/customResources/validateValue.ts",
    why: "at the bound both sides say the same",
    changes: [
      ["const times = of < 1 ? (1 / of) * number : number / of", "of <= 1"],
      [
        "return times === whole || Math.abs(times - whole) / Math.abs(times + whole) < 1e-9",
        "Math.abs(times - whole) / Math.abs(times + whole) <= 1e-9"
      ]
    ]
  }
]
