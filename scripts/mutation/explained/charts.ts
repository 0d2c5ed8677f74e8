import type { Explained } from "../explained.ts"

/** The statecharts. */
export const charts: ReadonlyArray<Explained> = [
  {
    file: "machines/replicaSet.ts",
    why: "the compiler asks: the chart comes here with this event only",
    changes: [
      ['event.type !== "refused" || event.refusal.reason === "NamespaceTerminating"', "false"],
      ['event.type === "refused" &&', "true"],
      ['remember: assign(({ event }) => (event.type === "observed" ? { seen: event.seen } : {})),', "true"]
    ]
  },
  {
    file: "machines/replicaSet.ts",
    why: "the compiler asks: the chart comes here with an observation only",
    changes: [
      [
        "wanted: context.seen === undefined ? 0 : Math.min(missingPods(context.seen), burstMax)",
        "false",
        "1"
      ],
      ["Math.max(0, (context.seen?.pods.nextAvailableMillis ?? 0) - (context.seen?.nowMillis ?? 0))", "1"],
      ["context: { seen: undefined, created: 0, wanted: 0 },", "1"]
    ]
  }
]
