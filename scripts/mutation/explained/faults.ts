import type { Explained } from "../explained.ts"

/** Faults, and the weather they come as. */
export const faults: ReadonlyArray<Explained> = [
  {
    file: "src/faults/activeFaults.ts",
    why: "a number that only ever is compared with none",
    changes: [["for (const it of active) if (it.endsMillis !== undefined || isRestless(it)) count += 1", "2"]]
  },
  {
    file: "src/faults/activeFaults.ts",
    why: "what lasts is of a kind that says how it lasts, which the compiler cannot know of a deed",
    changes: [
      [
        "kindOf(fault).last?.(fault as never, world, state as never) ?? { end: Effect.void }",
        "kindOf(fault).last(fault as never, world, state as never)"
      ]
    ]
  },
  {
    file: "src/faults/pods/podFaults.ts",
    why: "an entry that is removed already is not removed again, and one subscription is enough",
    changes: [
      ["if (isListening) return", "false"],
      ["isListening = true", "false"]
    ]
  },
  {
    file: "src/faults/pods/podFaults.ts",
    why: "it is only answered sooner: where there is nothing, nothing is found",
    changes: [
      ['if ((struck.size === 0 && afflictions.size === 0) || life.mover === "you") return life', "false"]
    ]
  },
  {
    file: "src/faults/pods/podFaults.ts",
    why: "a mishap that is undefined is none",
    changes: [["containers[name] = mishap === undefined ? after : { ...after, mishap }", "false"]]
  },
  {
    file: "src/faults/heldValues.ts",
    why: "who lets go has taken, which a map cannot promise",
    changes: [["if (present === undefined) return undefined", "false"]]
  },
  {
    file: "src/faults/kinds/connectionsOf.ts",
    why: "every controller is linked, which a map cannot promise",
    changes: [["return link === undefined ? [] : [link]", "false"]]
  },
  {
    file: "src/faults/kinds/controllerFaults.ts",
    why: "every controller is linked, which a map cannot promise",
    changes: [
      [
        "const countdown = links.get(controller)?.faultyStore.afterWrites(writesLeft, () => {",
        "links.get(controller).faultyStore"
      ],
      ["if (countdown === undefined) return { end: Effect.void }", "false"]
    ]
  },
  {
    file: "src/faults/kinds/nodeFaults.ts",
    why: "what is kept of an annotation is a text or undefined, which the compiler cannot know of what was held",
    changes: [
      [
        'putBack: (node, before) => withKubelet(node, typeof before === "string" ? before : undefined)',
        "true"
      ]
    ]
  },
  {
    file: "src/faults/randomFaults.ts",
    why: "no draw of a real number comes out as just that one",
    changes: [["for (let at = fromMillis + wait(); at < untilMillis; at += wait()) {", "at <= untilMillis"]]
  }
]
