import type { Reason } from "./verdict.ts"

/** Names of kinds, as `--accept-unknown` takes them. */
export const unknownKinds = [
  "MutatingWebhookConfiguration",
  "ValidatingWebhookConfiguration",
  "MutatingAdmissionPolicy",
  "ValidatingAdmissionPolicy",
  "CSIDriver",
  "NodeFile",
  "NodeLabel",
  "NodeResource",
  "PodSecurity",
  "ReadinessGate",
  "RuntimeClass",
  "Scheduler",
  "StorageClass",
  "Sysctl"
] as const

export type UnknownKind = (typeof unknownKinds)[number]

/** Something that decides about a rollout and that the plan does not play. */
export interface Unknown extends Pick<Reason, "text" | "field"> {
  readonly kind: UnknownKind
  /** By default, the rule of its kind. */
  readonly rule?: Reason["rule"]
  /** Whether Pods wait for it, Pending or unready. */
  readonly keepsPending: boolean
}
