/** Kinds of things that decide about a workload and that a plan does not play, by their names in `--accept-unknown`. */
export const unknownKinds = [
  "MutatingWebhookConfiguration",
  "ValidatingWebhookConfiguration",
  "MutatingAdmissionPolicy",
  "ValidatingAdmissionPolicy",
  "NodeLabel",
  "NodeResource",
  "PodSecurity",
  "ReadinessGate",
  "RuntimeClass",
  "Scheduler",
  "StorageClass"
] as const

export type UnknownKind = (typeof unknownKinds)[number]

/** Something that decides about a workload and that a plan does not play. `text` is a clause. */
export interface Unknown {
  readonly kind: UnknownKind
  readonly text: string
  /**
   * Whether the Pods stay Pending, or unready, in the plan because of it: then the rollout is stuck for no reason of
   * its own.
   */
  readonly keepsPending: boolean
}
