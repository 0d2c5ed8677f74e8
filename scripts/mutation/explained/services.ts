import type { Explained } from "../explained.ts"

/** Quotas, endpoints, budgets and what is common to all kinds. */
export const services: ReadonlyArray<Explained> = [
  {
    file: "src/kubernetes/policy/disruptionBudgets.ts",
    why: "without it all Pods are walked and none is found",
    changes: [
      ["if (Object.keys(letGo).length === 0) return { disruptedPods, stuck, lookAgainMillis }", "false"]
    ]
  },
  {
    file: "src/kubernetes/core/endpoints.ts",
    why: "what is remembered is only found sooner",
    changes: [
      ["answers.set(service, ofService)", ";"],
      ["if (known !== undefined) return known.answer", "false"],
      ["ofService.set(pod, { answer })", ";"]
    ]
  },
  {
    file: "src/kubernetes/core/endpoints.ts",
    why: "the order of addresses is the same with wider steps and from another beginning",
    changes: [
      ['number: podIP.split(".").reduce((number, part) => number * 256 + Number(part), 0),', "257", "1"]
    ]
  },
  {
    file: "src/kubernetes/core/endpoints.ts",
    why: "the two are never equal",
    changes: [[".sort(([a], [b]) => (a < b ? -1 : 1))", "a <= b"]]
  },
  {
    file: "src/kubernetes/core/limitRanges.ts",
    why: "what is remembered is only found sooner",
    changes: [
      ["if (passed.has(spec)) return undefined", "false"],
      ["if (Object.isFrozen(spec)) passed.add(spec)", "false", ";"]
    ]
  },
  {
    file: "src/kubernetes/core/limitRanges.ts",
    why: "the two are never equal",
    changes: [
      [
        "const ordered = [...ranges].sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))",
        "a.metadata.name <= b.metadata.name"
      ],
      [".sort(([a], [b]) => (a < b ? -1 : 1))", "a <= b"]
    ]
  },
  {
    file: "src/kubernetes/core/quotas.ts",
    why: "what is remembered is only found sooner",
    changes: [
      ["if (known !== undefined) return known", "false"],
      ["names.set(resource, found)", ";"],
      ["if (known !== undefined && isSameBeside(known.of, spec)) return known.usage", "false"],
      [
        "if (Object.isFrozen(spec.containers)) remembered.set(spec.containers, { of: spec, usage })",
        "false",
        ";"
      ],
      [
        "a.initContainers === b.initContainers && a.overhead === b.overhead && a.resources === b.resources",
        "false"
      ]
    ]
  },
  {
    file: "src/kubernetes/core/quotas.ts",
    why: "the two are never equal",
    changes: [
      [
        "const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => (a < b ? -1 : 1)",
        "a <= b"
      ]
    ]
  },
  {
    file: "src/kubernetes/core/quotas.ts",
    why: "no answer counts as no",
    changes: [["default:", "default:"]]
  },
  {
    file: "src/kubernetes/core/quotas.ts",
    why: "the compiler asks: a rule names nothing that it has no bound for",
    changes: [
      ["if (hard === undefined || wanted === undefined || wanted.nanos === 0n) return false", "false"]
    ]
  },
  {
    file: "src/kubernetes/core/quotaUsage.ts",
    why: "nothing more is not asked for, named or not",
    changes: [["if (nanos > 0n) more.set(name, { ...quantity, nanos })", "nanos >= 0n"]]
  },
  {
    file: "src/kubernetes/meta/amounts/durations.ts",
    why: "the compiler asks: every unit that the text can have is there",
    changes: [["const nanosPerUnit = nanosByUnit[unit] ?? 0", "1"]]
  }
]
