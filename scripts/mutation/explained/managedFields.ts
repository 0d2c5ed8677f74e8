import type { Explained } from "../explained.ts"

/** Who manages which field. */
export const managedFields: ReadonlyArray<Explained> = [
  {
    file: "src/kubernetes/apply/managedFields/serverSideApply.ts",
    why: "for the compiler only: apiVersion and kind, which every manifest has, are never removed",
    changes: [["if (!isFields(object)) return {}", "false"]]
  },
  {
    file: "src/kubernetes/apply/managedFields/serverSideApply.ts",
    why: "without conflicts there is nothing to forgive, and it is only found sooner",
    changes: [["if (conflicts.length === 0 || !isKubectl(manager)) return conflicts", "false"]]
  },
  {
    file: "src/kubernetes/apply/managedFields/compareFields.ts",
    why: "what is shared is the same, and it is only found sooner",
    changes: [["if (before === after) return", "false"]]
  },
  {
    file: "src/kubernetes/apply/managedFields/ownerships.ts",
    why: "what is remembered is only found sooner",
    changes: [
      ["if (cached !== undefined) return cached", "false"],
      ["if (Object.isFrozen(entry)) ownershipByEntry.set(entry, owner)", "false", ";"]
    ]
  },
  {
    file: "src/kubernetes/apply/managedFields/ownerships.ts",
    why: "with just as many as there may be none is taken together either",
    changes: [["if (excess <= 0) return owners", "excess < 0"]]
  }
]
