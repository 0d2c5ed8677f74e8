/** The kinds of what may decide about a workload without being played, as `--accept-unknown` names them. */
export const unknownKinds = [
  "MutatingWebhookConfiguration",
  "ValidatingWebhookConfiguration",
  "NodeLabel",
  "NodeResource",
  "PodSecurity",
  "RuntimeClass",
  "Scheduler",
  "StorageClass"
] as const

export type UnknownKind = (typeof unknownKinds)[number]

/** What decides about a workload and is not played, in a clause. */
export interface Unknown {
  readonly kind: UnknownKind
  readonly text: string
  /** Whether it keeps the workload's Pods Pending in the plan, so that a stuck rollout says nothing. */
  readonly keepsPending: boolean
}
