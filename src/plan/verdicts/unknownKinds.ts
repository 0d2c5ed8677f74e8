/** Names of kinds, as `--accept-unknown` takes them. */
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

export interface Unknown {
  readonly kind: UnknownKind
  readonly text: string
  /** Whether the unplayed thing keeps the Pods Pending or unready. */
  readonly keepsPending: boolean
}
