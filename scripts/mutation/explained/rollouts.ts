import type { Explained } from "../explained.ts"

/** The rules of Deployments and ReplicaSets. */
export const rollouts: ReadonlyArray<Explained> = [
  {
    file: "src/kubernetes/apps/revisions/historyCleanUp.ts",
    why: "no Deployment has that many ReplicaSets, so the limit is the same as none",
    changes: [["const keepAll = 2147483647"]]
  },
  {
    file: "src/kubernetes/apps/revisions/historyCleanUp.ts",
    why: "less than nothing is too much, or no number is, and then none is taken",
    changes: [
      [
        "if (limit === undefined || limit === keepAll) return []",
        "false",
        "limit === undefined && limit === keepAll"
      ]
    ]
  },
  {
    file: "src/kubernetes/apps/revisions/historyCleanUp.ts",
    why: "at the bound both sides say the same",
    changes: [["if (excess <= 0) return []", "excess < 0"]]
  },
  {
    file: "src/kubernetes/apps/revisions/historyCleanUp.ts",
    why: "a sort only asks whether the later one goes before the earlier, so 0 and 1 are one answer",
    changes: [["if (left === undefined || right === undefined || left === right) return 0"]]
  },
  {
    file: "src/kubernetes/apps/revisions/historyCleanUp.ts",
    why: "the two are never equal, or it does not matter which comes first",
    changes: [["return left < right ? -1 : 1", "left <= right"]]
  },
  {
    file: "src/kubernetes/apps/revisions/historyCleanUp.ts",
    why: "a ReplicaSet's status has `replicas` from the beginning",
    changes: [["(replicaSet.status.replicas ?? 0) === 0 &&", "1"]]
  },
  {
    file: "src/kubernetes/pods/deletionOrder.ts",
    why: "the order is the same with wider steps and from another beginning",
    changes: [
      [
        "return ((scheduled * 3 + phase) * 2 + ready) * costSpan + (deletionCost(pod) - costMin)",
        "4",
        "3",
        "deletionCost(pod) + costMin"
      ]
    ]
  },
  {
    file: "src/kubernetes/pods/deletionOrder.ts",
    why: "the compiler asks for it; without it the next comparison says no all the same",
    changes: [["return text === undefined ? 0 : (parseCost(text) ?? 0)", "false"]]
  },
  {
    file: "src/kubernetes/pods/deletionOrder.ts",
    why: "Pods of one class are both ready or both not, and who is not has not been since any time",
    changes: [
      [
        "(isReady(a) && isReady(b) ? byAge(a, b, readySinceMillis(a), readySinceMillis(b), nowMillis) : 0) ||",
        "true",
        "isReady(a) || isReady(b)"
      ]
    ]
  },
  {
    file: "src/kubernetes/pods/deletionOrder.ts",
    why: "the two are never equal, or it does not matter which comes first",
    changes: [["return a.metadata.uid < b.metadata.uid ? -1 : 1", "a.metadata.uid <= b.metadata.uid"]]
  },
  {
    file: "src/kubernetes/pods/deletionOrder.ts",
    why: "the youngest with an age is a million nanoseconds old, in stroke 19",
    changes: [
      ["return bucket < 0 ? sinceMillis + 1 : sinceMillis + 2 ** (bucket + 1) / 1e6", "bucket <= 0", "1"]
    ]
  },
  {
    file: "src/kubernetes/apps/deploymentCommands.ts",
    why: "the compiler asks: there is nothing wanted of what is not there",
    changes: [["if (wanted === undefined || seen.next === undefined) return []", "false"]]
  },
  {
    file: "src/kubernetes/apps/revisions/rollback.ts",
    why: "the compiler asks for it; without it the next comparison says no all the same",
    changes: [["return text === undefined ? undefined : integerOf(text)", "false"]]
  },
  {
    file: "src/kubernetes/core/eventCorrelation.ts",
    why: "the compiler asks: there are thousands",
    changes: [["if (first.done !== true) talks.delete(first.value)", "true"]]
  },
  {
    file: "src/kubernetes/core/eventCorrelation.ts",
    why: "how many of the old messages are remembered is a bound on memory",
    changes: [["said: known?.said.slice(-1) ?? [],", "2"]]
  },
  {
    file: "src/kubernetes/apps/revisions/rollback.ts",
    why: "the compiler asks for it; without it the next comparison says no all the same",
    changes: [["if (revision === undefined) continue", "false"]]
  },
  {
    file: "src/kubernetes/apps/revisions/rollback.ts",
    why: "the compiler asks: a template has the labels that are selected by",
    changes: [
      [
        "const { [hashLabel]: _hash, ...labels } = template.metadata?.labels ?? {}",
        "template.metadata.labels"
      ]
    ]
  },
  {
    file: "src/kubernetes/apps/revisions/rollback.ts",
    why: "at the bound both sides say the same",
    changes: [
      ["if (revision >= max) [second, max] = [max, revision]", "revision > max"],
      ["else if (revision > second) second = revision", "revision >= second"]
    ]
  },
  {
    file: "src/kubernetes/apps/revisions/podTemplates.ts",
    why: "what is remembered is only found sooner",
    changes: [
      ["if (Object.isFrozen(template)) fingerprints.set(template, text)", "false", ";"],
      ["if (Object.isFrozen(template)) hashes.set(template, { collisionCount, hash })", "false", ";"],
      ["a === b || fingerprint(a) === fingerprint(b)", "false"],
      ["if (known !== undefined) return known", "false"],
      ["if (known?.collisionCount === collisionCount && known !== undefined) return known.hash", "false"]
    ]
  },
  {
    file: "src/kubernetes/apps/revisions/podTemplates.ts",
    why: "a null in a list is refused long before; elsewhere it is left out",
    changes: [['if (typeof value !== "object" || value === null) return JSON.stringify(value)', "false"]]
  },
  {
    file: "src/kubernetes/apps/revisions/podTemplates.ts",
    why: "the two are never equal, or it does not matter which comes first",
    changes: [
      ["for (const [key, item] of Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) {", "a <= b"]
    ]
  },
  {
    file: "src/kubernetes/meta/amounts/quantity.ts",
    why: "at 0 nothing is moved in either direction",
    changes: [["return exponent < 0"]]
  },
  {
    file: "src/kubernetes/meta/amounts/quantity.ts",
    why: "any bound beyond 28 says the same",
    changes: [["const exponentMax = 64"]]
  },
  {
    file: "src/kubernetes/meta/amounts/quantity.ts",
    why: "at the bound both sides say the same",
    changes: [
      [
        "const capped = (magnitude: bigint): bigint => (magnitude > nanosMax ? nanosMax : magnitude)",
        "magnitude >= nanosMax"
      ],
      ["nanos: sum < 0n ? -capped(-sum) : capped(sum),", "sum <= 0n"],
      ["nanos > 0n ? divideUp(nanos, nanosPerMilli) : nanos / nanosPerMilli", "nanos >= 0n"],
      ["const magnitude = quantity.nanos < 0n ? -quantity.nanos : quantity.nanos", "quantity.nanos <= 0n"],
      ["return { ...quantity, nanos: quantity.nanos < 0n ? -rounded : rounded }", "quantity.nanos <= 0n"],
      ["const magnitude = nanos < 0n ? -nanos : nanos", "nanos <= 0n"]
    ]
  },
  {
    file: "src/kubernetes/meta/amounts/quantity.ts",
    why: "rounding what is round makes an equal one",
    changes: [
      [
        "if (quantity.nanos % nanosPerMilli === 0n) return quantity",
        "false",
        "quantity.nanos * nanosPerMilli"
      ]
    ]
  },
  {
    file: "src/kubernetes/meta/amounts/quantity.ts",
    why: "the two are never equal, or it does not matter which comes first",
    changes: [['const sign = nanos < 0n ? "-" : ""', "nanos <= 0n"]]
  },
  {
    file: "src/kubernetes/meta/amounts/quantity.ts",
    why: "amounts are capped below 1024Ei",
    changes: [
      [
        "while (power + 1 < binarySuffixes.length && count % 1024n === 0n) {",
        "true",
        "power + 1 <= binarySuffixes.length",
        "power - 1"
      ]
    ]
  },
  {
    file: "src/kubernetes/meta/amounts/quantity.ts",
    why: "amounts are capped below 1000E",
    changes: [
      [
        "while (power + 1 < decimalSuffixes.length && count % 1000n === 0n) {",
        "true",
        "power + 1 <= decimalSuffixes.length",
        "power - 1"
      ]
    ]
  },
  {
    file: "src/kubernetes/apps/replicaCounts.ts",
    why: "a ReplicaSet's status has `replicas` from the beginning",
    changes: [["replicaSets.reduce((sum, it) => sum + (it.status.replicas ?? 0), 0)", "1"]]
  },
  {
    file: "src/kubernetes/apps/replicaSetObservation.ts",
    why: "a ReplicaSet's status has `replicas` from the beginning",
    changes: [["missingPods(seen) > 0 && seen.pods.active < (seen.replicaSet.status.replicas ?? 0)", "1"]]
  },
  {
    file: "src/kubernetes/apps/revisions/revisions.ts",
    why: "at the bound both sides say the same",
    changes: [["return revision > max ? revision : max", "revision >= max"]]
  },
  {
    file: "src/kubernetes/apps/revisions/revisions.ts",
    why: "the compiler asks for it; without it the next comparison says no all the same",
    changes: [
      ["if (text === undefined || !/^\\d+$/.test(text)) return undefined", "false"],
      ["if (own !== undefined && own < revision) {", "true"]
    ]
  },
  {
    file: "src/kubernetes/apps/revisions/revisions.ts",
    why: "a revision is too short to be too long alone",
    changes: [
      [
        "while (entries.length > 0 && length + 1 + revision.length > historyLengthMax) {",
        "true",
        "entries.length >= 0"
      ]
    ]
  },
  {
    file: "src/kubernetes/apps/rollingUpdate.ts",
    why: "at the bound both sides say the same",
    changes: [
      ["if (own >= desired) return desired", "own > desired"],
      ["return room <= 0 ? own : own + Math.min(room, desired - own)", "room < 0"]
    ]
  },
  {
    file: "src/kubernetes/apps/rollingUpdate.ts",
    why: "with nothing left to share the rest comes to nothing as well",
    changes: [
      ["if (previousTotal === 0) return []", "false"],
      ["if (left <= 0) break", "false", "left < 0"]
    ]
  },
  {
    file: "src/kubernetes/apps/rollingUpdate.ts",
    why: "nor is then more available than must be",
    changes: [["if (removable <= 0) return []", "false", "removable < 0"]]
  },
  {
    file: "src/kubernetes/apps/scaling.ts",
    why: "the compiler asks: there is a share for each",
    changes: [["const size = Math.max(0, replicaSet.spec.replicas + (shares[index] ?? 0) + leftover)", "1"]]
  },
  {
    file: "src/kubernetes/apps/scaling.ts",
    why: "0 has been dealt with",
    changes: [
      ["const oldestFirst = toAdd < 0 ? active : [...active].reverse()", "toAdd <= 0", "1"],
      ["return left > 0 ? Math.min(fraction, left) : Math.max(fraction, left)", "left >= 0"]
    ]
  },
  {
    file: "src/kubernetes/meta/selectors/labelSelectors.ts",
    why: "the compiler asks for it; without it the next comparison says no all the same",
    changes: [
      ["return value !== undefined && (requirement.values ?? []).includes(value)", "true"],
      ["return value === undefined || !(requirement.values ?? []).includes(value)", "false"]
    ]
  },
  {
    file: "src/kubernetes/meta/selectors/labelSelectors.ts",
    why: "nothing returned is no match either",
    changes: [["default:", "default:"]]
  },
  {
    file: "src/kubernetes/meta/selectors/labelSelectors.ts",
    why: "a sort only asks whether the later one goes before the earlier, so 0 and 1 are one answer",
    changes: [
      [
        ".sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))",
        "true",
        "false",
        "a.key >= b.key",
        "a.key <= b.key",
        "1"
      ]
    ]
  },
  {
    file: "src/kubernetes/meta/selectors/labelSelectors.ts",
    why: "the compiler asks: only texts are compared by number, and they name one",
    changes: [
      ["return `${key}>${values?.[0]}`", "values[0]"],
      ["return `${key}<${values?.[0]}`", "values[0]"]
    ]
  }
]
