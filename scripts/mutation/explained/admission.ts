import type { Explained } from "../explained.ts"

/** What objects must be and what they are given, and the small rules that every other rule is made of. */
export const admission: ReadonlyArray<Explained> = [
  {
    file: "src/kubernetes/admission/admit.ts",
    why: "what is remembered is only found sooner",
    changes: [
      ["if (cached !== undefined) return cached", "false"],
      ["admissions.set(kind, found)", ";"]
    ]
  },
  {
    file: "src/kubernetes/admission/defaults/kindDefaults.ts",
    why: "the compiler asks for it: of no capacity nothing is filled in",
    changes: [["return capacity === undefined", "false"]]
  },
  {
    file: "src/kubernetes/admission/kinds/validateDeployment.ts",
    why: "the very spec that is stored was found good when it was stored",
    changes: [
      [
        "deployment.spec === old.spec && deployment.spec !== undefined",
        "false",
        "true",
        "deployment.spec === undefined"
      ]
    ]
  },
  {
    file: "src/kubernetes/admission/kinds/validateDeployment.ts",
    why: "the compiler asks: what is stored has a spec",
    changes: [["...validateSameSelector(deployment.spec?.selector, old.spec?.selector)", "old.spec.selector"]]
  },
  {
    file: "src/kubernetes/admission/kinds/validateDeployment.ts",
    why: "the compiler asks for it; without it the next comparison says no all the same",
    changes: [["if (seconds === undefined) return noErrors", "false"]]
  },
  {
    file: "src/kubernetes/validation/fieldErrors.ts",
    why: "the compiler asks for it; without it the next comparison says no all the same",
    changes: [["value !== undefined && value < 0 ? [invalid(field, value, notNegative)] : noErrors", "true"]]
  },
  {
    file: "src/kubernetes/validation/validateLabels.ts",
    why: "the two are never equal",
    changes: [["Object.fromEntries(Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1)))", "a <= b"]]
  },
  {
    file: "src/kubernetes/validation/validateMetadata.ts",
    why: "the very metadata that is stored was found good when it was stored",
    changes: [["if (metadata === old) return noErrors", "false"]]
  },
  {
    file: "src/kubernetes/admission/kinds/validateReplicaSet.ts",
    why: "the compiler asks: what is stored has a spec",
    changes: [["...validateSameSelector(replicaSet.spec?.selector, old.spec?.selector)", "old.spec.selector"]]
  },
  {
    file: "src/kubernetes/admission/kinds/validateStatuses.ts",
    why: "the compiler asks: what is stored has a spec",
    changes: [
      ['const restartPolicy = old.spec?.restartPolicy ?? "Always"', "old.spec.restartPolicy"],
      [
        'const sidecars = (old.spec?.initContainers ?? []).filter((it) => it.restartPolicy === "Always")',
        "old.spec.initContainers"
      ]
    ]
  },
  {
    file: "src/kubernetes/admission/decoding/parseTime.ts",
    why: "the compiler asks: what has the shape of a time has each of its parts",
    changes: [
      [
        "const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts.slice(1).map(Number)",
        "1"
      ]
    ]
  },
  {
    file: "src/kubernetes/meta/text/shortAge.ts",
    why: "at the bound both sides say the same",
    changes: [
      [
        'if (seconds < 10 * minute) return twoUnits(seconds, [minute, "m"], [1, "s"])',
        "seconds <= 10 * minute"
      ],
      ['if (seconds < 8 * hour) return twoUnits(seconds, [hour, "h"], [minute, "m"])', "seconds <= 8 * hour"],
      ['if (seconds < 8 * day) return twoUnits(seconds, [day, "d"], [hour, "h"])', "seconds <= 8 * day"],
      [
        'return seconds < 8 * year ? twoUnits(seconds, [year, "y"], [day, "d"]) : `${Math.floor(seconds / year)}y`',
        "seconds <= 8 * year"
      ]
    ]
  },
  {
    file: "src/kubernetes/meta/deepFreeze.ts",
    why: "what is no object counts as frozen; it is only found sooner",
    changes: [
      [
        'typeof value === "object" && value !== null && !Object.isFrozen(value)',
        "true",
        'typeof value === "object" || value !== null'
      ]
    ]
  },
  {
    file: "src/kubernetes/meta/kinds.ts",
    why: "the compiler asks for it: nothing is found under no name",
    changes: [
      [
        "kind.custom?.storedAs ?? (kind.viewOf === undefined ? undefined : kindOfResource(kind.viewOf)) ?? kind",
        "false"
      ]
    ]
  },
  {
    file: "src/kubernetes/pods/podRequests.ts",
    why: "at the bound both sides say the same",
    changes: [["const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b)", "a >= b"]]
  },
  {
    file: "src/kubernetes/pods/podRequests.ts",
    why: "the compiler asks for it: what is not there is no amount",
    changes: [["const quantity = text === undefined ? undefined : parseQuantity(text)", "false"]]
  },
  {
    file: "src/kubernetes/meta/semanticEquality.ts",
    why: "what is one and the same is only found the same sooner",
    changes: [["if (a[key] === b[key]) continue", "false"]]
  },
  {
    file: "src/kubernetes/meta/selectors/labelSelectorText.ts",
    why: "nothing else is thrown there",
    changes: [
      ["if (error instanceof Unreadable) return { ok: false, problem: error.message }", "true"],
      [
        "if (error instanceof Unreadable) throw new Unreadable(`unable to parse requirement: ${error.message}`)",
        "true"
      ]
    ]
  },
  {
    file: "src/kubernetes/meta/amounts/timestamps.ts",
    why: "what is remembered is only found sooner, and how much of it is a bound on memory",
    changes: [
      ["if (second !== lastSecond) {", "true"],
      ["const rememberedMax = 4096"],
      ["if (known !== undefined) return known", "false"],
      [
        "if (millisByText.size >= rememberedMax) millisByText.clear()",
        "false",
        "millisByText.size > rememberedMax",
        "millisByText.size < rememberedMax",
        ";"
      ],
      ["millisByText.set(timestamp, millis)", ";"]
    ]
  }
]
