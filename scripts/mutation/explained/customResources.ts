import type { Explained } from "../explained.ts"

/** Custom resources. */
export const customResources: ReadonlyArray<Explained> = [
  {
    file: "src/kubernetes/customResources/validateValue.ts",
    why: "the compiler asks: what is no pattern cannot be read, and refuses nothing",
    changes: [["if (pattern !== undefined && readPattern(pattern)?.(text) === false) {", "true"]]
  },
  {
    file: "src/kubernetes/customResources/validateValue.ts",
    why: "at the bound both sides say the same",
    changes: [
      ["const quotient = divisor < 1 ? (1 / divisor) * number : number / divisor", "divisor <= 1"],
      [
        "return quotient === whole || Math.abs(quotient - whole) / Math.abs(quotient + whole) < 1e-9",
        "Math.abs(quotient - whole) / Math.abs(quotient + whole) <= 1e-9"
      ]
    ]
  }
]
