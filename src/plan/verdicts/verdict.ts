import type { DocumentPath } from "../../kubernetes/meta/text/fieldPath.ts"

export const verdictsWorstFirst = ["stuck", "unknown", "risky", "ships"] as const

/**
 * `ships`: the rollout completes, and no request is lost. `risky`: it completes, at a price. `stuck`: with some seeds
 * it misses its deadline or never completes. `unknown`: it depends on something that is not played.
 */
export type VerdictName = (typeof verdictsWorstFirst)[number]

export interface ReasonedVerdict {
  readonly verdict: VerdictName
  /** The most important first; none for `ships`. */
  readonly reasons: ReadonlyArray<Reason>
}

export interface Reason {
  readonly rule: RuleName
  readonly text: string
  /** The field that the reason is about, if it is not the field of its rule. */
  readonly field?: DocumentPath
}

/** Reports, suppressions and CI systems use these names; see `ruleTexts`. */
export const ruleNames = [
  "rollout-stuck",
  "rollout-late",
  "service-without-pods",
  "ingress-without-service",
  "missing-reference",
  "requests-lost",
  "no-pod-available",
  "probe-ends-start",
  "probe-not-asked",
  "evicted-by-taint",
  "undo-stuck",
  "threshold",
  "container-ends",
  "stop-cut-short",
  "image-not-pulled",
  "drain-blocked",
  "overlapping-selectors",
  "no-revision-kept",
  "mutable-image",
  "replicas-removed",
  "autoscaler-conflict",
  "autoscaler-range",
  "replaced-on-delete",
  "strategy-not-followed",
  "unknown-mutating-webhook",
  "unknown-validating-webhook",
  "unknown-mutating-policy",
  "unknown-validating-policy",
  "unknown-csi-driver",
  "unknown-node-file",
  "unknown-node-label",
  "unknown-node-resource",
  "unknown-pod-security",
  "unknown-readiness-gate",
  "unknown-runtime-class",
  "unknown-scheduler",
  "unknown-storage-class",
  "unknown-sysctl"
] as const

export type RuleName = (typeof ruleNames)[number]

export const worstVerdict = (verdicts: ReadonlyArray<VerdictName>): VerdictName =>
  verdictsWorstFirst.find((name) => verdicts.includes(name)) ?? "ships"

type WithVerdict = Pick<ReasonedVerdict, "verdict">

export const byVerdict = (a: WithVerdict, b: WithVerdict): number =>
  verdictsWorstFirst.indexOf(a.verdict) - verdictsWorstFirst.indexOf(b.verdict)
