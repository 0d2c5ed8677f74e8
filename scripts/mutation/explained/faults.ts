import type { Explained } from "../explained.ts"

/** Faults, and the weather they come as. */
export const faults: ReadonlyArray<Explained> = [
  {
    file: "src/faults/choosePods.ts",
    why: "what is remembered is only found sooner",
    changes: [
      ["if (known !== undefined) return known", "false"],
      ["globs.set(glob, fits)", ";"]
    ]
  },
  {
    file: "src/faults/choosePods.ts",
    why: "each glob of the tests has been met in the run before the changes",
    changes: [["if (known !== undefined) return known", "true", "known === undefined"]]
  },
  {
    file: "src/faults/weather.ts",
    why: "no draw of a real number comes out as just that one",
    changes: [["for (let at = fromMillis + wait(); at < untilMillis; at += wait()) {", "at <= untilMillis"]]
  }
]
